#include "tests/testing/in_process_transport.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/sync.h"
#include "server/session_sink.h"

namespace ascend::testing {
namespace {

using client::TransportSink;
using core::MutexLock;
using core::Ticket;

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr int kChunksUnderWayMax = 4;

std::span<const std::byte> SpanOf(const std::string& bytes) {
  return std::as_bytes(std::span(bytes));
}

client::ServerDescription Describe(const core::MachineOptions& machine) {
  const core::DeviceSpec& spec = machine.spec;
  client::ServerDescription out;
  out.daemon_version = "in-process";
  out.devices.assign(machine.device_count,
                     client::DeviceDescription{
                         .soc_name = spec.soc_name,
                         .arch = spec.arch,
                         .ai_cores = spec.ai_cores,
                         .cube_cores = spec.cube_cores,
                         .vector_cores = spec.vector_cores,
                         .ai_cpus = spec.ai_cpus,
                         .hbm_bytes = spec.hbm_bytes,
                         .l2_bytes = spec.l2_bytes,
                     });
  out.streams_max = spec.streams_max;
  out.stream_depth = spec.stream_depth;
  out.events_max = spec.events_max;
  out.notifies_max = spec.notifies_max;
  out.launch_ticks = spec.host_launch_ticks;
  out.launch_fast_ticks = spec.host_launch_fast_ticks;
  out.alloc_ticks = spec.host_alloc_ticks;
  out.poll_ticks = spec.host_poll_ticks;
  out.sync_wake_ticks = spec.host_sync_wake_ticks;
  out.sync_wake_fast_ticks = spec.host_sync_wake_fast_ticks;
  return out;
}

}  // namespace

// What the host calls, and the completion thread that passes it on.
class InProcessTransport::Ear final : public server::SessionSink,
                                      public server::BulkSink {
 public:
  explicit Ear(TransportSink* sink) : sink_(sink) {}

  void Start() {
    thread_ = std::thread([this] { Deliver(); });
  }

  // No sink call follows.
  void Stop() {
    {
      MutexLock lock(mutex_);
      is_over_ = true;
      is_stopped_ = true;
      changed_.NotifyAll();
    }
    if (thread_.joinable()) thread_.join();
  }

  // Around a post of commands: false means that the host wants a pause.
  void BeginPost() {
    MutexLock lock(mutex_);
    is_drained_ = false;
  }
  void AwaitDrained() {
    MutexLock lock(mutex_);
    while (!is_drained_ && !is_over_) changed_.Wait(mutex_);
  }

  // Chunks of uploads: waits for room; false when the session is over.
  bool BeginChunk() {
    MutexLock lock(mutex_);
    while (chunks_under_way_ >= kChunksUnderWayMax && !is_over_) {
      changed_.Wait(mutex_);
    }
    if (is_over_) return false;
    ++chunks_under_way_;
    return true;
  }
  void EndChunk() {
    MutexLock lock(mutex_);
    --chunks_under_way_;
    changed_.NotifyAll();
  }

  void OnReply(core::Reply reply) override {
    Keep([reply = std::move(reply)](TransportSink& sink) mutable {
      sink.OnReply(std::move(reply));
    });
  }
  void OnHostData(Ticket ticket, std::string bytes) override {
    Keep([ticket, bytes = std::move(bytes)](TransportSink& sink) {
      sink.OnHostData(ticket, /*offset=*/0, SpanOf(bytes));
    });
  }
  void OnTransferDue(Ticket ticket) override {
    Keep([ticket](TransportSink& sink) { sink.OnTransferDue(ticket); });
  }
  void OnStreamProgress(core::StreamHandle stream, uint64_t retired) override {
    Keep([stream, retired](TransportSink& sink) {
      sink.OnStreamProgress(stream, retired);
    });
  }
  void OnHostFunctionDue(Ticket ticket, core::Tick tick) override {
    Keep([ticket, tick](TransportSink& sink) {
      sink.OnHostFunctionDue(ticket, tick);
    });
  }
  void OnTaskFailed(core::TaskFailure failure) override {
    Keep([failure = std::move(failure)](TransportSink& sink) mutable {
      sink.OnTaskFailed(std::move(failure));
    });
  }
  void Flush() override {
    MutexLock lock(mutex_);
    for (Event& event : kept_) due_.push_back(std::move(event));
    kept_.clear();
    changed_.NotifyAll();
  }
  void OnDrained() override {
    MutexLock lock(mutex_);
    is_drained_ = true;
    changed_.NotifyAll();
  }
  void OnEnded(absl::Status why) override {
    Keep([this, why = std::move(why)](TransportSink& sink) mutable {
      sink.OnLost(std::move(why));
      MutexLock lock(mutex_);
      is_over_ = true;
      changed_.NotifyAll();
    });
    Flush();
  }

  void SendChunk(Ticket ticket, uint64_t offset, server::BulkBytes bytes,
                 std::function<void()> sent) override {
    {
      MutexLock lock(mutex_);
      if (!is_over_) {
        due_.push_back(
            {[ticket, offset, bytes = std::move(bytes)](TransportSink& sink) {
               uint64_t at = offset;
               for (const server::BulkBytes::Piece piece : bytes.pieces()) {
                 sink.OnHostData(ticket, at, piece);
                 at += piece.size();
               }
             },
             std::move(sent)});
        changed_.NotifyAll();
        return;
      }
    }
    sent();
  }

 private:
  // Called once, so it may move what it holds: a Status must not be shared
  // between threads, whose count of owners the thread sanitizer does not see.
  struct Event {
    std::function<void(TransportSink&)> deliver;
    std::function<void()> afterwards;  // may be empty
  };

  // Until the end of the turn.
  void Keep(std::function<void(TransportSink&)> deliver) {
    MutexLock lock(mutex_);
    kept_.push_back({std::move(deliver), nullptr});
  }

  void Deliver() {
    for (;;) {
      std::deque<Event> events;
      {
        MutexLock lock(mutex_);
        while (due_.empty() && !is_stopped_) changed_.Wait(mutex_);
        events.swap(due_);
        // What is left is dropped, but the host is told of each chunk.
        if (events.empty()) return;
      }
      for (Event& event : events) {
        if (!IsOver()) event.deliver(*sink_);
        if (event.afterwards) event.afterwards();
      }
    }
  }

  bool IsOver() {
    MutexLock lock(mutex_);
    return is_over_;
  }

  TransportSink* const sink_;
  std::thread thread_;
  core::Mutex mutex_;
  core::CondVar changed_;
  std::vector<Event> kept_ ABSL_GUARDED_BY(mutex_);  // of a turn under way
  std::deque<Event> due_ ABSL_GUARDED_BY(mutex_);
  bool is_drained_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_over_ ABSL_GUARDED_BY(mutex_) = false;     // the session
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;  // by Stop
  int chunks_under_way_ ABSL_GUARDED_BY(mutex_) = 0;
};

InProcessTransport::InProcessTransport(server::MachineHost& host,
                                       TransportSink* sink)
    : host_(host), ear_(std::make_shared<Ear>(sink)) {}

InProcessTransport::~InProcessTransport() { Close(); }

absl::StatusOr<client::ServerDescription> InProcessTransport::Open() {
  server::Peer peer{.transport = "in-process", .pid = ::getpid()};
  const absl::StatusOr<server::SessionGrant> grant =
      host_.OpenSession(std::move(peer), program_invocation_short_name, ear_);
  if (!grant.ok()) return grant.status();
  session_ = grant->id;
  is_open_ = true;
  ear_->Start();
  host_.AttachBulk(session_, ear_);
  client::ServerDescription description = Describe(host_.options().machine);
  description.session = session_.value();
  description.tick = grant->tick;
  return description;
}

void InProcessTransport::Post(core::Command command) {
  std::vector<core::Command> commands;
  commands.push_back(std::move(command));
  ear_->BeginPost();
  if (!host_.Post(session_, std::move(commands))) ear_->AwaitDrained();
}

absl::Status InProcessTransport::SendUpload(Ticket ticket,
                                            std::span<const std::byte> bytes) {
  for (size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    if (!ear_->BeginChunk()) {
      return core::MakeError(core::Reason::kConnectionLost,
                             "the session is over");
    }
    const auto chunk =
        bytes.subspan(at, std::min(kChunkBytes, bytes.size() - at));
    host_.ReceiveUpload(
        session_, ticket, at,
        std::string(reinterpret_cast<const char*>(chunk.data()), chunk.size()),
        [ear = ear_] { ear->EndChunk(); });
  }
  return absl::OkStatus();
}

void InProcessTransport::FailUpload(Ticket ticket, absl::Status why) {
  host_.FailUpload(session_, ticket, std::move(why));
}

void InProcessTransport::FinishDownload(Ticket ticket, absl::Status status) {
  host_.DownloadDone(session_, ticket, std::move(status));
}

void InProcessTransport::Close() {
  if (!is_open_) return;
  is_open_ = false;
  // Behind all that was posted: one mailbox keeps the order.
  host_.CloseSession(session_);
  ear_->Stop();
}

client::ConnectionMaker InProcessConnections(server::MachineHost& host) {
  return [&host](TransportSink* sink) -> absl::StatusOr<client::Connection> {
    client::Connection connection;
    connection.transport = std::make_unique<InProcessTransport>(host, sink);
    return connection;
  };
}

}  // namespace ascend::testing
