#include "tests/integration/in_process/host_driver.h"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "core/base/error.h"

namespace ascend::server {

using core::MutexLock;
using core::Operation;
using core::Reason;
using core::Reply;
using core::Ticket;

// What the sinks have heard. Uploads are sent by a thread of the driver, as the
// client library does, since the sink must not block.
struct HostDriver::State {
  core::Mutex mutex;
  core::CondVar changed;
  std::map<Ticket, Reply> replies ABSL_GUARDED_BY(mutex);
  std::set<Ticket> due ABSL_GUARDED_BY(mutex);
  std::map<Ticket, std::string> host_data ABSL_GUARDED_BY(mutex);
  std::map<uint64_t, uint64_t> retired ABSL_GUARDED_BY(mutex);  // by stream
  std::optional<absl::Status> end ABSL_GUARDED_BY(mutex);
  uint64_t flush_count ABSL_GUARDED_BY(mutex) = 0;
  uint64_t drained_count ABSL_GUARDED_BY(mutex) = 0;
  bool has_unflushed ABSL_GUARDED_BY(mutex) = false;
  bool has_room ABSL_GUARDED_BY(mutex) = true;

  // True when `condition` held within half a minute.
  template <typename Condition>
  bool WaitFor(Condition condition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    const auto deadline = HostClock::Now() + std::chrono::seconds(30);
    while (!condition()) {
      if (!changed.WaitUntil(mutex, deadline)) return false;
    }
    return true;
  }
};

class HostDriver::Sink final : public SessionSink {
 public:
  explicit Sink(std::shared_ptr<State> state) : state_(std::move(state)) {}

  void OnReply(Reply reply) override {
    MutexLock lock(state_->mutex);
    const Ticket ticket = reply.ticket;
    state_->replies[ticket] = std::move(reply);
    state_->has_unflushed = true;
  }
  void OnHostData(Ticket ticket, std::string bytes) override {
    MutexLock lock(state_->mutex);
    state_->host_data[ticket] += bytes;
    state_->has_unflushed = true;
  }
  void OnTransferDue(Ticket ticket) override {
    MutexLock lock(state_->mutex);
    state_->due.insert(ticket);
    state_->has_unflushed = true;
  }
  void OnStreamProgress(core::StreamHandle stream, uint64_t retired) override {
    MutexLock lock(state_->mutex);
    state_->retired[stream.ToBits()] = retired;
    state_->has_unflushed = true;
  }
  void OnHostFunctionDue(Ticket, core::Tick) override {}
  void OnTaskFailed(core::TaskFailure) override {}
  bool HasRoom(uint64_t) override {
    MutexLock lock(state_->mutex);
    return state_->has_room;
  }
  void Flush() override {
    MutexLock lock(state_->mutex);
    ++state_->flush_count;
    state_->has_unflushed = false;
    state_->changed.NotifyAll();
  }
  void OnDrained() override {
    MutexLock lock(state_->mutex);
    ++state_->drained_count;
    state_->changed.NotifyAll();
  }
  void OnEnded(absl::Status why) override {
    MutexLock lock(state_->mutex);
    state_->end = std::move(why);
    state_->changed.NotifyAll();
  }

 private:
  const std::shared_ptr<State> state_;
};

class HostDriver::Bulk final : public BulkSink {
 public:
  explicit Bulk(std::shared_ptr<State> state) : state_(std::move(state)) {}

  void SendChunk(Ticket ticket, uint64_t offset, BulkBytes bytes,
                 std::function<void()> sent) override {
    {
      MutexLock lock(state_->mutex);
      std::string& data = state_->host_data[ticket];
      if (offset == data.size()) data += bytes.ToString();
      state_->changed.NotifyAll();
    }
    sent();
  }

 private:
  const std::shared_ptr<State> state_;
};

HostDriver::HostDriver(MachineHost& host, bool is_silent)
    : host_(host), is_silent_(is_silent), state_(std::make_shared<State>()) {
  const auto grant = host_.OpenSession(Peer{.transport = "in-process"}, "test",
                                       std::make_shared<Sink>(state_));
  status_ = grant.status();
  if (!status_.ok()) return;
  session_ = grant->id;
  if (!is_silent_) {
    host_.AttachBulk(session_, std::make_shared<Bulk>(state_));
  }
  status_ = Call(core::CreateContext{core::ContextHandle{0, 1},
                                     core::DeviceId(0), stream()})
                .status();
}

HostDriver::~HostDriver() { host_.CloseSession(session_); }

Ticket HostDriver::Post(Operation operation) {
  return PostFrom(core::LaneId(1), 0, std::move(operation));
}

Ticket HostDriver::PostFrom(core::LaneId lane, core::Tick stamp,
                            Operation operation) {
  const Ticket ticket(++last_ticket_);
  std::vector<core::Command> commands;
  commands.push_back({ticket, lane, stamp, std::move(operation)});
  host_.Post(session_, std::move(commands));
  return ticket;
}

void HostDriver::PostBatch(std::vector<Operation> operations) {
  std::vector<core::Command> commands;
  for (Operation& operation : operations) {
    commands.push_back(
        {Ticket(++last_ticket_), core::LaneId(1), 0, std::move(operation)});
  }
  host_.Post(session_, std::move(commands));
}

bool HostDriver::PostRaw(std::vector<core::Command> commands) {
  return host_.Post(session_, std::move(commands));
}

std::optional<Reply> HostDriver::WaitForReply(Ticket ticket) {
  State& state = *state_;
  MutexLock lock(state.mutex);
  const bool is_answered = state.WaitFor([&] {
    state.mutex.AssertHeld();
    return state.end.has_value() ||
           (state.replies.count(ticket) != 0 && !state.has_unflushed);
  });
  if (!is_answered || state.replies.count(ticket) == 0) return std::nullopt;
  return state.replies[ticket];
}

absl::StatusOr<Reply> HostDriver::Call(Operation operation) {
  const std::optional<Reply> reply = WaitForReply(Post(std::move(operation)));
  if (!reply.has_value()) {
    return core::MakeError(Reason::kSessionHung, "no reply came");
  }
  if (!reply->status.ok()) return reply->status;
  return *reply;
}

absl::StatusOr<uint64_t> HostDriver::Malloc(uint64_t bytes, uint32_t policy) {
  const auto reply = Call(core::Malloc{core::DeviceId(0), bytes, policy});
  if (!reply.ok()) return reply.status();
  return std::get<core::MallocReply>(reply->payload).address;
}

absl::Status HostDriver::Upload(uint64_t address, std::string bytes) {
  core::Copy copy;
  copy.kind = core::CopyKind::kHostToDevice;
  copy.target = address;
  copy.bytes = bytes.size();
  copy.wants_reply = true;
  if (bytes.size() <= core::kInlineBytesMax) {
    copy.inline_data = std::move(bytes);
    return Call(std::move(copy)).status();
  }
  const Ticket ticket = Post(std::move(copy));
  if (!WaitForTransferDue(ticket)) {
    return core::MakeError(Reason::kSessionHung, "the transfer is never due");
  }
  for (uint64_t at = 0; at < bytes.size(); at += uint64_t{1} << 20) {
    host_.ReceiveUpload(session_, ticket, at, bytes.substr(at, 1 << 20), [] {});
  }
  const std::optional<Reply> reply = WaitForReply(ticket);
  if (!reply.has_value()) {
    return core::MakeError(Reason::kSessionHung, "no reply came");
  }
  return reply->status;
}

absl::StatusOr<std::string> HostDriver::Download(uint64_t address,
                                                 uint64_t bytes) {
  core::Copy copy;
  copy.kind = core::CopyKind::kDeviceToHost;
  copy.source = address;
  copy.bytes = bytes;
  copy.wants_reply = true;
  const Ticket ticket = Post(std::move(copy));
  if (bytes > core::kInlineBytesMax) {
    {
      State& state = *state_;
      MutexLock lock(state.mutex);
      const bool is_here = state.WaitFor([&] {
        state.mutex.AssertHeld();
        return state.host_data[ticket].size() == bytes;
      });
      if (!is_here) {
        return core::MakeError(Reason::kSessionHung, "bytes are missing");
      }
      if (state.replies.count(ticket) != 0) {
        return core::MakeError(Reason::kInternal, "the reply came too early");
      }
    }
    host_.DownloadDone(session_, ticket, absl::OkStatus());
  }
  const std::optional<Reply> reply = WaitForReply(ticket);
  if (!reply.has_value()) {
    return core::MakeError(Reason::kSessionHung, "no reply came");
  }
  if (!reply->status.ok()) return reply->status;
  return HostData(ticket);
}

std::string HostDriver::HostData(Ticket ticket) {
  MutexLock lock(state_->mutex);
  return state_->host_data[ticket];
}

absl::StatusOr<uint32_t> HostDriver::KernelId(const std::string& name) {
  const auto reply = Call(core::LoadPackage{"builtin:ops"});
  if (!reply.ok()) return reply.status();
  for (const auto& kernel :
       std::get<core::PackageReply>(reply->payload).kernels) {
    if (kernel.name == name) return kernel.id;
  }
  return core::MakeError(Reason::kUnknownKernel, name);
}

bool HostDriver::WaitForTransferDue(Ticket ticket) {
  State& state = *state_;
  MutexLock lock(state.mutex);
  return state.WaitFor([&] {
    state.mutex.AssertHeld();
    return state.due.count(ticket) != 0 && !state.has_unflushed;
  });
}

std::optional<absl::Status> HostDriver::WaitForEnd() {
  State& state = *state_;
  MutexLock lock(state.mutex);
  state.WaitFor([&] {
    state.mutex.AssertHeld();
    return state.end.has_value();
  });
  return state.end;
}

bool HostDriver::WaitForDrained() {
  State& state = *state_;
  MutexLock lock(state.mutex);
  return state.WaitFor([&] {
    state.mutex.AssertHeld();
    return state.drained_count != 0;
  });
}

void HostDriver::SetHasRoom(bool has_room) {
  MutexLock lock(state_->mutex);
  state_->has_room = has_room;
}

bool HostDriver::IsAnswered(Ticket ticket) {
  MutexLock lock(state_->mutex);
  return state_->replies.count(ticket) != 0;
}

uint64_t HostDriver::WaitForRetired(core::StreamHandle stream,
                                    uint64_t retired) {
  State& state = *state_;
  MutexLock lock(state.mutex);
  state.WaitFor([&] {
    state.mutex.AssertHeld();
    return state.retired[stream.ToBits()] >= retired;
  });
  return state.retired[stream.ToBits()];
}

}  // namespace ascend::server
