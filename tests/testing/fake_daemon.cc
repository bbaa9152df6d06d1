#include "tests/testing/fake_daemon.h"

#include <algorithm>
#include <utility>

namespace ascend::testing {

// A connection to the daemon; all state is the daemon's.
class FakeTransport final : public client::Transport {
 public:
  FakeTransport(FakeDaemon& daemon, client::TransportSink* sink)
      : daemon_(daemon), sink_(sink) {}
  ~FakeTransport() override { Detach(); }

  absl::StatusOr<client::ServerDescription> Open() override {
    core::MutexLock lock(daemon_.mutex_);
    daemon_.sink_ = sink_;
    return daemon_.description;
  }

  void Post(core::Command command) override {
    daemon_.Accept(std::move(command));
  }

  void ReadWhile(absl::FunctionRef<bool()>, client::Deadline) override {}

  absl::Status SendUpload(core::Ticket ticket,
                          std::span<const std::byte> bytes) override {
    core::MutexLock lock(daemon_.mutex_);
    daemon_.uploads_[ticket.value()] =
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    daemon_.changed_.NotifyAll();
    return absl::OkStatus();
  }

  void FailUpload(core::Ticket, absl::Status) override {}

  void FinishDownload(core::Ticket ticket, absl::Status) override {
    core::MutexLock lock(daemon_.mutex_);
    daemon_.finished_downloads_.push_back(ticket.value());
  }

  void Close() override {
    Detach();
    core::MutexLock lock(daemon_.mutex_);
    ++daemon_.closed_count_;
  }

 private:
  // No sink call follows.
  void Detach() {
    core::MutexLock lock(daemon_.mutex_);
    if (daemon_.sink_ != sink_) return;
    daemon_.sink_ = nullptr;
    while (daemon_.is_delivering_) daemon_.changed_.Wait(daemon_.mutex_);
  }

  FakeDaemon& daemon_;
  client::TransportSink* const sink_;
};

FakeDaemon::FakeDaemon() {
  description.session = 1;
  description.daemon_version = "fake";
  client::DeviceDescription device;
  device.soc_name = "Ascend910A";
  device.arch = 2201;
  device.ai_cores = 32;
  device.hbm_bytes = uint64_t{32} << 30;
  description.devices = {device, device};
  description.streams_max = 16;
  description.stream_depth = 8;
  description.events_max = 4;
  description.notifies_max = 4;
  description.tick = core::Microseconds(100);
  description.launch_ticks = core::Microseconds(6);
  description.launch_fast_ticks = core::Microseconds(3);
  description.alloc_ticks = core::Microseconds(5);
  description.poll_ticks = core::Microseconds(1);
  description.sync_wake_ticks = core::Microseconds(30);
  description.sync_wake_fast_ticks = core::Microseconds(5);
  completion_thread_ = std::thread([this] { DeliverEvents(); });
}

FakeDaemon::~FakeDaemon() {
  {
    core::MutexLock lock(mutex_);
    is_ended_ = true;
    changed_.NotifyAll();
  }
  completion_thread_.join();
}

client::ConnectionMaker FakeDaemon::Maker() {
  return
      [this](
          client::TransportSink* sink) -> absl::StatusOr<client::Connection> {
        client::Connection connection;
        connection.transport = std::make_unique<FakeTransport>(*this, sink);
        return connection;
      };
}

void FakeDaemon::HoldBack(Predicate predicate) {
  core::MutexLock lock(mutex_);
  held_ = std::move(predicate);
}

void FakeDaemon::Release() {
  core::MutexLock lock(mutex_);
  held_ = nullptr;
  for (const core::Command& command : std::exchange(held_back_, {})) {
    core::Reply reply = Answer(command);
    Enqueue([reply](client::TransportSink& sink) { sink.OnReply(reply); });
  }
}

void FakeDaemon::FailWhen(Predicate predicate, absl::Status status) {
  core::MutexLock lock(mutex_);
  failing_ = std::move(predicate);
  failure_ = std::move(status);
}

void FakeDaemon::RetireByHand() {
  core::MutexLock lock(mutex_);
  retires_by_hand_ = true;
}

void FakeDaemon::Run(std::function<void(client::TransportSink&)> event) {
  core::MutexLock lock(mutex_);
  Enqueue(std::move(event));
}

void FakeDaemon::Retire(core::StreamHandle stream, uint64_t retired) {
  core::MutexLock lock(mutex_);
  retired_[stream] = std::max(retired_[stream], retired);
  Enqueue([=](client::TransportSink& sink) {
    sink.OnStreamProgress(stream, retired);
  });
  for (const core::Command& command : std::exchange(waiting_for_room_, {})) {
    AnswerWhenThereIsRoom(command);
  }
}

void FakeDaemon::AnswerWhenThereIsRoom(const core::Command& command) {
  const auto& await = *As<core::AwaitProgress>(command);
  if (retired_[await.stream] < await.retired) {
    waiting_for_room_.push_back(command);
    return;
  }
  core::Reply reply = Answer(command);
  Enqueue([reply](client::TransportSink& sink) { sink.OnReply(reply); });
}

void FakeDaemon::Lose(absl::Status why) {
  Run([why](client::TransportSink& sink) { sink.OnLost(why); });
}

std::vector<core::Command> FakeDaemon::commands() const {
  core::MutexLock lock(mutex_);
  return commands_;
}

core::Command FakeDaemon::Await(const Predicate& predicate) {
  core::MutexLock lock(mutex_);
  for (;;) {
    const auto found =
        std::find_if(commands_.begin(), commands_.end(), predicate);
    if (found != commands_.end()) return *found;
    changed_.Wait(mutex_);
  }
}

std::string FakeDaemon::AwaitUpload(core::Ticket ticket) {
  core::MutexLock lock(mutex_);
  while (uploads_.count(ticket.value()) == 0) changed_.Wait(mutex_);
  return uploads_[ticket.value()];
}

std::vector<uint64_t> FakeDaemon::finished_downloads() const {
  core::MutexLock lock(mutex_);
  return finished_downloads_;
}

uint64_t FakeDaemon::closed_count() const {
  core::MutexLock lock(mutex_);
  return closed_count_;
}

namespace {

// The stream of which the command is a task; null when it is of none.
core::StreamHandle StreamOf(const core::Command& command) {
  if (const auto* launch = As<core::Launch>(command)) return launch->stream;
  if (const auto* record = As<core::RecordEvent>(command)) {
    return record->stream;
  }
  if (const auto* reset = As<core::ResetEvent>(command)) return reset->stream;
  if (const auto* wait = As<core::WaitEvent>(command)) return wait->stream;
  if (const auto* copy = As<core::Copy>(command)) return copy->stream;
  if (const auto* fill = As<core::Fill>(command)) return fill->stream;
  return {};
}

}  // namespace

void FakeDaemon::Accept(core::Command command) {
  core::MutexLock lock(mutex_);
  commands_.push_back(command);
  changed_.NotifyAll();
  const core::StreamHandle stream = StreamOf(command);
  if (!stream.is_null() && !retires_by_hand_) {
    const uint64_t retired = ++retired_[stream];
    Enqueue([=](client::TransportSink& sink) {
      sink.OnStreamProgress(stream, retired);
    });
  }
  if (!core::IsRequest(command.operation)) return;
  if (Is<core::AwaitProgress>(command)) return AnswerWhenThereIsRoom(command);
  if (const auto* destroy = As<core::DestroyStream>(command)) {
    // What is dropped has retired, too.
    retired_[destroy->stream] = ~uint64_t{0};
    for (const core::Command& waiting : std::exchange(waiting_for_room_, {})) {
      AnswerWhenThereIsRoom(waiting);
    }
  }
  if (held_ && held_(command)) {
    held_back_.push_back(std::move(command));
    return;
  }
  core::Reply reply = Answer(command);
  Enqueue([reply](client::TransportSink& sink) { sink.OnReply(reply); });
}

core::Reply FakeDaemon::Answer(const core::Command& command) {
  core::Reply reply;
  reply.ticket = command.ticket;
  reply.lane = command.lane;
  reply.tick = command.stamp;
  if (failing_ && failing_(command)) {
    reply.status = failure_;
  } else if (Is<core::Malloc>(command)) {
    reply.payload = core::MallocReply{next_address_};
    next_address_ += uint64_t{1} << 20;
  } else if (Is<core::MemInfo>(command)) {
    reply.payload = core::MemInfoReply{1000, 2000};
  } else if (Is<core::QueryStream>(command)) {
    reply.payload = core::QueryReply{true};
  } else if (Is<core::QueryEvent>(command)) {
    reply.payload = core::EventReply{true, true, command.stamp};
  } else if (Is<core::LoadPackage>(command)) {
    reply.payload = core::PackageReply{{{3, "add", 48}, {9, "fill", 32}}};
  }
  return reply;
}

void FakeDaemon::Enqueue(std::function<void(client::TransportSink&)> event) {
  events_.push_back(std::move(event));
  changed_.NotifyAll();
}

void FakeDaemon::DeliverEvents() {
  for (;;) {
    std::function<void(client::TransportSink&)> event;
    client::TransportSink* sink = nullptr;
    {
      core::MutexLock lock(mutex_);
      while (events_.empty() && !is_ended_) changed_.Wait(mutex_);
      if (is_ended_) return;
      event = std::move(events_.front());
      events_.pop_front();
      sink = sink_;
      is_delivering_ = sink != nullptr;
    }
    if (sink != nullptr) event(*sink);
    core::MutexLock lock(mutex_);
    is_delivering_ = false;
    changed_.NotifyAll();
  }
}

}  // namespace ascend::testing
