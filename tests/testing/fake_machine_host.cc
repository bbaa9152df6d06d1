#include "tests/testing/fake_machine_host.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "proto/wire.h"

namespace ascend::testing {

using core::Reason;
using server::HostSnapshot;
using server::SessionGrant;

FakeMachineHost::FakeMachineHost(server::MachineHostOptions options)
    : options_(std::move(options)),
      started_(std::chrono::steady_clock::now()),
      thread_([this] { Run(); }) {}

FakeMachineHost::~FakeMachineHost() {
  Shutdown(std::chrono::steady_clock::now());
}

void FakeMachineHost::Enqueue(std::function<void()> job) {
  {
    core::MutexLock lock(mutex_);
    if (stopped_) return;
    jobs_.push_back(std::move(job));
  }
  changed_.NotifyAll();
}

void FakeMachineHost::Run() {
  while (true) {
    std::deque<std::function<void()>> turn;
    {
      core::MutexLock lock(mutex_);
      while ((jobs_.empty() || held_) && !stopped_) changed_.Wait(mutex_);
      if (stopped_) return;
      turn.swap(jobs_);
    }
    for (const auto& job : turn) job();
    for (auto& [id, session] : sessions_) {
      if (std::exchange(session.told, false)) session.sink->Flush();
    }
  }
}

void FakeMachineHost::HoldTurns(bool hold) {
  {
    core::MutexLock lock(mutex_);
    held_ = hold;
  }
  changed_.NotifyAll();
}

size_t FakeMachineHost::open_count() const {
  core::MutexLock lock(mutex_);
  return open_count_;
}

uint64_t FakeMachineHost::pending_count() const {
  core::MutexLock lock(mutex_);
  uint64_t count = 0;
  for (const auto& [id, pending] : pending_) count += pending;
  return count;
}

FakeMachineHost::Session* FakeMachineHost::Find(core::SessionId session) {
  const auto it = sessions_.find(session);
  return it == sessions_.end() ? nullptr : &it->second;
}

absl::StatusOr<SessionGrant> FakeMachineHost::OpenSession(
    server::Peer peer, std::string program,
    std::shared_ptr<server::SessionSink> sink) {
  {
    core::MutexLock lock(mutex_);
    if (refusing_) {
      return core::MakeError(Reason::kConnectionLost, "daemon is ending");
    }
    if (open_count_ >= options_.sessions_max) {
      return core::MakeError(
          Reason::kQuotaExceeded,
          absl::StrCat("daemon has ", open_count_,
                       " sessions open and takes no more (--sessions-max)"));
    }
    ++open_count_;
  }
  std::promise<SessionGrant> granted;
  Enqueue([&] {
    const core::SessionId id(next_session_++);
    Session& session = sessions_[id];
    session.snapshot.id = id;
    session.snapshot.peer = std::move(peer);
    session.snapshot.program = std::move(program);
    session.opened = std::chrono::steady_clock::now();
    session.sink = std::move(sink);
    granted.set_value(SessionGrant{.id = id, .tick = 0});
  });
  return granted.get_future().get();
}

void FakeMachineHost::End(core::SessionId id, const absl::Status& why,
                          bool tell) {
  Session* session = Find(id);
  if (session == nullptr) return;
  if (core::ReasonOf(why) == Reason::kProtocolViolation) ++protocol_violations_;
  if (tell) session->sink->OnEnded(why);
  session->snapshot.age = std::chrono::steady_clock::now() - session->opened;
  if (options_.on_session_closed) {
    options_.on_session_closed(session->snapshot, why);
  }
  sessions_.erase(id);
  core::MutexLock lock(mutex_);
  pending_.erase(id);
  --open_count_;
  changed_.NotifyAll();
}

void FakeMachineHost::CloseSession(core::SessionId session) {
  Enqueue([this, session] { End(session, absl::OkStatus(), /*tell=*/false); });
}

void FakeMachineHost::EndSession(core::SessionId session, absl::Status why) {
  Enqueue([this, session, why] { End(session, why, /*tell=*/true); });
}

bool FakeMachineHost::Post(core::SessionId id,
                           std::vector<core::Command> commands) {
  const uint64_t count = commands.size();
  bool has_room = false;
  {
    core::MutexLock lock(mutex_);
    uint64_t& pending = pending_[id];
    pending += count;
    has_room = pending <= kPendingCommandsMax;
  }
  Enqueue([this, id, count, batch = std::move(commands)]() mutable {
    bool drained = false;
    {
      core::MutexLock lock(mutex_);
      const auto pending = pending_.find(id);
      if (pending != pending_.end()) {
        pending->second -= count;
        drained = pending->second == 0;
      }
    }
    Session* session = Find(id);
    if (session == nullptr) return;
    Take(*session, std::move(batch));
    session = Find(id);
    if (session != nullptr && drained) session->sink->OnDrained();
  });
  return has_room;
}

void FakeMachineHost::Reply(Session& session, const core::Command& command,
                            absl::Status status, core::ReplyPayload payload) {
  session.told = true;
  session.sink->OnReply(core::Reply{.ticket = command.ticket,
                                    .lane = command.lane,
                                    .status = std::move(status),
                                    .tick = 0,
                                    .payload = std::move(payload)});
}

char* FakeMachineHost::Translate(Session& session, uint64_t address,
                                 uint64_t bytes) {
  auto it = session.memory.upper_bound(address);
  if (it == session.memory.begin()) return nullptr;
  --it;
  const uint64_t offset = address - it->first;
  if (offset > it->second.size() || bytes > it->second.size() - offset) {
    return nullptr;
  }
  return it->second.data() + offset;
}

// One overload per operation; those that change nothing here answer at once.
struct FakeMachineHost::Carry {
  const server::MachineHostOptions& options;
  Session& session;
  core::Command& command;

  void Done(absl::Status status = absl::OkStatus(),
            core::ReplyPayload payload = {}) const {
    if (core::IsRequest(command.operation)) {
      Reply(session, command, std::move(status), std::move(payload));
    }
  }

  absl::Status BadAddress(uint64_t address) const {
    return core::MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("address ", address, " is not in an allocation"));
  }

  template <typename Operation>
  void operator()(Operation&) const {
    Done();
  }
  void operator()(core::CreateContext&) const {
    ++session.snapshot.usage.context_count;
    ++session.snapshot.usage.stream_count;
    Done();
  }
  void operator()(core::CreateStream&) const {
    ++session.snapshot.usage.stream_count;
    Done();
  }
  void operator()(core::QueryStream&) const {
    Done(absl::OkStatus(), core::QueryReply{.complete = true});
  }
  void operator()(core::QueryEvent&) const {
    Done(absl::OkStatus(),
         core::EventReply{.recorded = true, .complete = true});
  }
  void operator()(core::MemInfo&) const {
    const uint64_t total = options.machine.spec.hbm_bytes;
    Done(absl::OkStatus(),
         core::MemInfoReply{
             .free_bytes = total - session.snapshot.usage.hbm_used_bytes,
             .total_bytes = total});
  }
  void operator()(core::Malloc& malloc) const {
    core::SessionUsage& usage = session.snapshot.usage;
    if (malloc.bytes > options.machine.spec.hbm_bytes - usage.hbm_used_bytes) {
      Done(core::MakeError(
          Reason::kOutOfDeviceMemory,
          absl::StrCat("device memory cannot hold ", malloc.bytes, " bytes")));
      return;
    }
    const uint64_t address = session.next_address;
    session.next_address += malloc.bytes + 4096;
    session.memory[address] = std::string(malloc.bytes, '\0');
    usage.hbm_used_bytes += malloc.bytes;
    usage.hbm_peak_bytes = std::max(usage.hbm_peak_bytes, usage.hbm_used_bytes);
    Done(absl::OkStatus(), core::MallocReply{.address = address});
  }
  void operator()(core::Free& free) const {
    const auto it = session.memory.find(free.address);
    if (it == session.memory.end()) return;
    session.snapshot.usage.hbm_used_bytes -= it->second.size();
    session.memory.erase(it);
  }
  void operator()(core::Fill& fill) const {
    char* at = Translate(session, fill.address, fill.bytes);
    if (at == nullptr) return Done(BadAddress(fill.address));
    std::memset(at, fill.value, fill.bytes);
    Done();
  }
  void operator()(core::Launch& launch) const {
    ++session.snapshot.usage.kernel_count;
    session.told = true;
    session.sink->OnStreamProgress(launch.stream,
                                   ++session.retired[launch.stream]);
  }
  void operator()(core::LoadPackage& load) const {
    if (load.name != "builtin:ops") {
      Done(core::MakeError(
          Reason::kUnknownKernel,
          absl::StrCat("package '", load.name, "' is not there")));
      return;
    }
    Done(absl::OkStatus(),
         core::PackageReply{
             .kernels = {{.id = 1, .name = "add", .args_bytes = 40}}});
  }
  void operator()(core::Copy& copy) const {
    core::SessionUsage& usage = session.snapshot.usage;
    ++usage.copy_count;
    usage.copied_bytes += copy.bytes;
    switch (copy.kind) {
      case core::CopyKind::kHostToDevice:
        return HostToDevice(copy);
      case core::CopyKind::kDeviceToHost:
        return DeviceToHost(copy);
      case core::CopyKind::kDeviceToDevice: {
        char* target = Translate(session, copy.target, copy.bytes);
        const char* source = Translate(session, copy.source, copy.bytes);
        if (target == nullptr || source == nullptr) {
          return Done(BadAddress(copy.target));
        }
        std::memmove(target, source, copy.bytes);
        Done();
      }
    }
  }

  void HostToDevice(core::Copy& copy) const {
    char* target = Translate(session, copy.target, copy.bytes);
    if (target == nullptr) return Done(BadAddress(copy.target));
    if (!copy.inline_data.empty()) {
      std::memcpy(target, copy.inline_data.data(), copy.bytes);
      return Done();
    }
    session.uploads[command.ticket] =
        Upload{.copy = copy, .lane = command.lane};
    session.told = true;
    session.sink->OnTransferDue(command.ticket);
  }

  void DeviceToHost(core::Copy& copy) const {
    const char* source = Translate(session, copy.source, copy.bytes);
    if (source == nullptr) return Done(BadAddress(copy.source));
    if (copy.bytes <= core::kInlineBytesMax) {
      session.told = true;
      session.sink->OnHostData(command.ticket, std::string(source, copy.bytes));
      return Done();
    }
    for (uint64_t offset = 0; offset < copy.bytes;
         offset += wire::kChunkBytesMax) {
      session.bulk->SendChunk(
          command.ticket, offset,
          std::string(source + offset, std::min<uint64_t>(wire::kChunkBytesMax,
                                                          copy.bytes - offset)),
          [] {});
    }
    session.downloads[command.ticket] = command;
  }
};

void FakeMachineHost::Take(Session& session,
                           std::vector<core::Command> commands) {
  for (core::Command& command : commands) {
    const core::Ticket ticket = command.ticket;
    if (ticket.value() < session.next_ticket ||
        !session.early.emplace(ticket, std::move(command)).second) {
      End(session.snapshot.id,
          core::MakeError(
              Reason::kProtocolViolation,
              absl::StrCat("ticket ", ticket.value(), " comes twice")),
          /*tell=*/true);
      return;
    }
  }
  while (!session.early.empty() &&
         session.early.begin()->first.value() == session.next_ticket) {
    core::Command command = std::move(session.early.begin()->second);
    session.early.erase(session.early.begin());
    ++session.next_ticket;
    std::visit(Carry{options_, session, command}, command.operation);
  }
}

void FakeMachineHost::AttachBulk(core::SessionId id,
                                 std::shared_ptr<server::BulkSink> sink) {
  Enqueue([this, id, sink] {
    if (Session* session = Find(id)) session->bulk = sink;
  });
}

void FakeMachineHost::ReceiveUpload(core::SessionId id, core::Ticket ticket,
                                    uint64_t offset, server::BulkBytes bytes,
                                    std::function<void()> consumed) {
  Enqueue([this, id, ticket, offset, bytes = std::move(bytes), consumed] {
    Session* session = Find(id);
    if (session == nullptr) return consumed();
    const auto it = session->uploads.find(ticket);
    if (it == session->uploads.end() || offset != it->second.received_bytes ||
        bytes.size() > it->second.copy.bytes - offset) {
      End(id,
          core::MakeError(Reason::kProtocolViolation,
                          "chunk is of no running copy or out of order"),
          /*tell=*/true);
      return consumed();
    }
    Upload& upload = it->second;
    std::memcpy(Translate(*session, upload.copy.target + offset, bytes.size()),
                bytes.ToString().data(), bytes.size());
    upload.received_bytes += bytes.size();
    if (upload.received_bytes == upload.copy.bytes) {
      const core::Command command{
          .ticket = ticket, .lane = upload.lane, .operation = upload.copy};
      if (upload.copy.wants_reply) {
        Reply(*session, command, absl::OkStatus());
      }
      session->uploads.erase(it);
    }
    consumed();
  });
}

void FakeMachineHost::FailUpload(core::SessionId id, core::Ticket ticket,
                                 absl::Status why) {
  Enqueue([this, id, ticket, why] {
    Session* session = Find(id);
    if (session == nullptr) return;
    const auto it = session->uploads.find(ticket);
    if (it == session->uploads.end()) return;
    const core::Command command{.ticket = ticket,
                                .lane = it->second.lane,
                                .operation = it->second.copy};
    if (it->second.copy.wants_reply) Reply(*session, command, why);
    session->uploads.erase(it);
  });
}

void FakeMachineHost::DownloadDone(core::SessionId id, core::Ticket ticket,
                                   absl::Status status) {
  Enqueue([this, id, ticket, status] {
    Session* session = Find(id);
    if (session == nullptr) return;
    const auto it = session->downloads.find(ticket);
    if (it == session->downloads.end()) return;
    if (core::IsRequest(it->second.operation)) {
      Reply(*session, it->second, status);
    }
    session->downloads.erase(it);
  });
}

HostSnapshot FakeMachineHost::Snapshot() {
  std::promise<HostSnapshot> taken;
  Enqueue([&] {
    HostSnapshot out;
    const auto now = std::chrono::steady_clock::now();
    out.uptime = now - started_;
    out.sessions_opened = next_session_ - 1;
    out.protocol_violations = protocol_violations_;
    out.devices.resize(options_.machine.device_count);
    for (core::DeviceUsage& device : out.devices) {
      device.hbm_total_bytes = options_.machine.spec.hbm_bytes;
    }
    for (auto& [id, session] : sessions_) {
      session.snapshot.age = now - session.opened;
      out.devices[0].hbm_used_bytes += session.snapshot.usage.hbm_used_bytes;
      out.sessions.push_back(session.snapshot);
    }
    taken.set_value(std::move(out));
  });
  return taken.get_future().get();
}

void FakeMachineHost::Shutdown(std::chrono::steady_clock::time_point deadline) {
  if (!thread_.joinable()) return;
  {
    core::MutexLock lock(mutex_);
    refusing_ = true;
    while (open_count_ > 0 && changed_.WaitUntil(mutex_, deadline)) {
    }
  }
  std::promise<void> ended;
  Enqueue([&] {
    const absl::Status why =
        core::MakeError(Reason::kConnectionLost, "daemon is ending");
    while (!sessions_.empty()) {
      End(sessions_.begin()->first, why, /*tell=*/true);
    }
    ended.set_value();
  });
  HoldTurns(false);
  ended.get_future().wait();
  {
    core::MutexLock lock(mutex_);
    stopped_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

}  // namespace ascend::testing
