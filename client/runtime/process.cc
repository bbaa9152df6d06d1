// The life of the runtime in its process: initialisation, connection, fork.
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "client/runtime/config.h"
#include "client/runtime/environment.h"
#include "client/runtime/lane.h"
#include "client/runtime/last_error.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {

using core::MakeError;
using core::Reason;

namespace {

absl::StatusOr<VisibleDevices> ReadVisibleDevices(size_t device_count) {
  const absl::string_view list = ReadVariable(VisibleDevices::kVariable);
  if (list.empty()) return VisibleDevices(device_count);
  std::string complaint;
  auto visible = VisibleDevices::Parse(list, device_count, &complaint);
  if (!complaint.empty()) {
    WriteToStandardError(absl::StrCat("ascend-rtd: the end of ",
                                      VisibleDevices::kVariable,
                                      " is ignored: ", complaint, "\n"));
  }
  return visible;
}

}  // namespace

void*& ThreadContext() {
  static thread_local void* context = nullptr;
  return context;
}

ClientRuntime& ClientRuntime::Get() {
  static ClientRuntime* const runtime = [] {
    pthread_atfork(nullptr, nullptr, [] { ClientRuntime::Get().Poison(); });
    SetLaneEndListener([] { Get().OnLaneEnd(); });
    auto* const made = new ClientRuntime(MakeDefaultConnection);
    if (made->checks_leaks()) {
      std::atexit([] { ClientRuntime::Get().ReportLeaks(); });
    }
    return made;
  }();
  return *runtime;
}

ClientRuntime::ClientRuntime(ConnectionMaker make_connection)
    : make_connection_(std::move(make_connection)),
      checks_leaks_(leak_check_.is_on()) {}

ClientRuntime::~ClientRuntime() { TearDown(); }

ClientRuntime::InitOutcome ClientRuntime::Init(const std::string& config_path) {
  core::MutexLock lock(init_mutex_);
  if (init_count_ > 0) {
    ++init_count_;
    return InitOutcome::kRepeated;
  }
  std::string text;
  Config config;
  if (!config_path.empty()) {
    if (ReadConfigFile(config_path, &text) != ConfigOutcome::kOk) {
      return InitOutcome::kUnreadable;
    }
    if (ParseConfig(text, &config) != ConfigOutcome::kOk) {
      return InitOutcome::kNotJson;
    }
  }
  if (first_config_.has_value() && *first_config_ != text) {
    return InitOutcome::kOtherFile;
  }
  first_config_ = std::move(text);
  SetMessageScope(config.message_scope);
  default_device_.store(config.default_device.value_or(-1));
  init_count_ = 1;
  return InitOutcome::kFirst;
}

std::string ClientRuntime::ConfigText() {
  core::MutexLock lock(init_mutex_);
  return first_config_.value_or("");
}

bool ClientRuntime::Finalize(absl::FunctionRef<void()> before_end) {
  {
    core::MutexLock lock(init_mutex_);
    if (init_count_ == 0 || is_ending_) return false;
    is_ending_ = true;
  }
  End(before_end);
  return true;
}

bool ClientRuntime::Release(uint64_t* remaining,
                            absl::FunctionRef<void()> before_end) {
  {
    core::MutexLock lock(init_mutex_);
    if (init_count_ == 0 || is_ending_) return false;
    if (init_count_ > 1) {
      *remaining = --init_count_;
      return true;
    }
    is_ending_ = true;
  }
  End(before_end);
  *remaining = 0;
  return true;
}

void ClientRuntime::End(absl::FunctionRef<void()> before_end) {
  before_end();
  core::MutexLock lock(init_mutex_);
  init_count_ = 0;
  is_ending_ = false;
  TearDown();
}

void ClientRuntime::Poison() {
  // Nothing but atomics: another thread of the parent may have held any mutex.
  if (!is_in_use_.load()) return;
  is_poisoned_.store(true);
  const int lifeline = lifeline_fd_.exchange(-1);
  if (lifeline >= 0) close(lifeline);
}

absl::Status ClientRuntime::EnsureConnected() {
  if (is_poisoned_.load()) {
    return MakeError(Reason::kConnectionLost,
                     "this process was forked from one that uses AscendCL and "
                     "cannot use its connection: fork before the first call, "
                     "or call exec in the child");
  }
  if (is_connected_.load()) return absl::OkStatus();
  core::MutexLock connect_lock(connect_mutex_);
  if (is_connected_.load()) return absl::OkStatus();
  is_in_use_.store(true);
  ASCEND_ASSIGN_OR_RETURN(std::shared_ptr<Session> session,
                          Session::Open(make_connection_));
  lifeline_fd_.store(session->lifeline_fd());
  ListenTo(session);
  core::MutexLock lock(order_mutex_);
  visible_devices_ = ReadVisibleDevices(session->description().devices.size());
  session_ = std::move(session);
  is_connected_.store(true);
  return absl::OkStatus();
}

absl::Status ClientRuntime::Enter() {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  const int32_t default_device = default_device_.load();
  // Callbacks of SetDevice come back here.
  static thread_local bool is_setting = false;
  if (default_device < 0 || ThreadContext() != nullptr || is_setting) {
    return absl::OkStatus();
  }
  is_setting = true;
  const absl::Status status = SetDevice(default_device);
  is_setting = false;
  return status;
}

absl::StatusOr<std::shared_ptr<Session>> ClientRuntime::LiveSession() {
  if (session_ == nullptr) {
    return MakeError(Reason::kConnectionLost,
                     "AscendCL was finalized during this call");
  }
  ASCEND_RETURN_IF_ERROR(session_->status());
  return session_;
}

void ClientRuntime::NoteLeaks(const void* context, const char* end) {
  if (!checks_leaks_) return;
  for (void* handle : streams_.Select([&](const Stream& stream) {
         return stream.context == context && !stream.is_default;
       })) {
    leak_check_.AddStream(handle, streams_.Find(handle)->device, end);
  }
  for (void* handle : events_.Select(
           [&](const Event& event) { return event.context == context; })) {
    leak_check_.AddEvent(handle, events_.Find(handle)->device, end);
  }
}

void ClientRuntime::ReportLeaks() {
  if (!checks_leaks_ || is_poisoned_.load()) return;
  std::string report;
  {
    core::MutexLock lock(order_mutex_);
    for (const Allocation& allocation : device_memory_.All()) {
      leak_check_.AddMemory(allocation);
    }
    for (void* context :
         contexts_.Select([](const Context&) { return true; })) {
      NoteLeaks(context, "");
    }
    report = leak_check_.TakeReport();
  }
  WriteToStandardError(report);
}

void ClientRuntime::TearDown() {
  if (is_poisoned_.load()) return;
  ReportLeaks();
  core::MutexLock connect_lock(connect_mutex_);
  std::shared_ptr<Session> session;
  {
    core::MutexLock lock(order_mutex_);
    session = std::exchange(session_, nullptr);
    is_connected_.store(false);
    devices_.clear();
    visible_devices_ = VisibleDevices();
    options_.clear();
    contexts_.Clear();
    streams_.Clear();
    events_.Clear();
    notifies_.Clear();
    binaries_.Clear();
    functions_.Clear();
    argument_lists_.Clear();
    context_minter_ = {};
    stream_minter_ = {};
    event_minter_ = {};
    notify_minter_ = {};
    device_memory_.Clear();
    lifeline_fd_.store(-1);
  }
  if (session != nullptr) {
    session->Close(MakeError(Reason::kConnectionLost,
                             "AscendCL was finalized during this call"));
  }
  wait_seconds_.store(0);
  is_in_use_.store(false);
}

}  // namespace ascend::client
