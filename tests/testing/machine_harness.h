// MachineHarness: a machine with fakes around it, and a client that knows how
// to make commands.
#ifndef ASCEND_TESTS_TESTING_MACHINE_HARNESS_H_
#define ASCEND_TESTS_TESTING_MACHINE_HARNESS_H_

#include <memory>
#include <string>
#include <utility>

#include "core/machine/machine.h"
#include "tests/testing/fake_hbm_backing.h"
#include "tests/testing/fake_runners.h"
#include "tests/testing/recording_observer.h"
#include "tests/testing/test_kernels.h"

namespace ascend::core {

inline constexpr uint64_t kMib = uint64_t{1} << 20;
inline constexpr uint32_t kHugeFirst = 0;  // the policy of an allocation
// What a kernel takes before its body, in the default profile.
inline constexpr Tick kRamp = Nanoseconds(1500);

// The default profile without jitter, so that times can be stated exactly.
inline DeviceSpec ExactSpec() {
  DeviceSpec spec = Ascend910Spec();
  spec.dispatch_jitter = 0;
  return spec;
}

class MachineHarness {
 public:
  explicit MachineHarness(DeviceSpec spec = ExactSpec(),
                          std::string policy = "strict_priority",
                          uint32_t device_count = 1, uint64_t seed = 1,
                          SessionLimits limits = {})
      : MachineHarness(MachineOptions{.spec = std::move(spec),
                                      .device_count = device_count,
                                      .scheduling = {{std::move(policy)}},
                                      .seed = seed,
                                      .limits = limits}) {}

  // With the kernels of TestCatalog unless `options` has others.
  explicit MachineHarness(MachineOptions options) {
    if (options.catalog == nullptr) options.catalog = &TestCatalog();
    machine = std::make_unique<Machine>(std::move(options), backing, runners,
                                        observer);
  }

  // Ends jobs as soon as they start and moves time until nothing is left: no
  // job is ever late.
  void RunUntilQuiet() { RunUntil(kTickMax); }
  void RunUntil(Tick horizon) {
    runners.FinishAll(*machine);
    while (true) {
      const auto next = machine->NextEventTime();
      if (!next.has_value() || *next >= horizon) return;
      machine->AdvanceTo(*next + 1);
      runners.FinishAll(*machine);
    }
  }

  FakeHbmBacking backing;
  FakeRunners runners;
  RecordingObserver observer;
  std::unique_ptr<Machine> machine;
};

// One session of a harness. Handles are made in order of asking.
class TestClient {
 public:
  TestClient(MachineHarness& harness, uint64_t id, uint64_t rank = 0,
             uint64_t quota_bytes = 0)
      : harness_(harness), session(id) {
    harness.machine->OpenSession(
        session, {.rank = rank, .hbm_quota_bytes = quota_bytes});
  }

  // Sends at `stamp`; the ticket is the next one.
  Ticket Send(Operation operation, Tick stamp = 0, LaneId lane = LaneId(1)) {
    const Ticket ticket(++last_ticket_);
    harness_.machine->Submit(session,
                             Command{.ticket = ticket,
                                     .lane = lane,
                                     .stamp = stamp,
                                     .operation = std::move(operation)});
    return ticket;
  }
  // Leaves out one ticket.
  void SkipTicket() { ++last_ticket_; }

  ContextHandle CreateContext(DeviceId device = DeviceId(0)) {
    const ContextHandle context{next_context_++, 1};
    default_stream = StreamHandle{next_stream_++, 1};
    Send(core::CreateContext{context, device, default_stream});
    return context;
  }
  StreamHandle CreateStream(ContextHandle context, uint32_t priority = 0) {
    const StreamHandle stream{next_stream_++, 1};
    Send(core::CreateStream{
        .stream = stream, .context = context, .priority = priority});
    return stream;
  }
  EventHandle CreateEvent() {
    const EventHandle event{next_event_++, 1};
    Send(core::CreateEvent{event, DeviceId(0)});
    return event;
  }
  // Runs the machine until it answers; 0 when it refuses.
  uint64_t Malloc(uint64_t bytes, uint32_t policy = 0) {
    const Ticket ticket = Send(core::Malloc{DeviceId(0), bytes, policy});
    harness_.machine->AdvanceTo(harness_.machine->now() + 1);
    const Reply* reply = ReplyTo(ticket);
    if (reply == nullptr || !reply->status.ok()) return 0;
    return std::get<MallocReply>(reply->payload).address;
  }
  Ticket Launch(StreamHandle stream, TestKernelArgs args = {},
                uint32_t num_blocks = 1, uint32_t kernel = kTestMix,
                Tick stamp = 0, LaneId lane = LaneId(1)) {
    return Send(core::Launch{.stream = stream,
                             .kernel = kernel,
                             .num_blocks = num_blocks,
                             .args = args.ToBlock()},
                stamp, lane);
  }
  Ticket SynchronizeStream(StreamHandle stream, Tick stamp = 0,
                           LaneId lane = LaneId(1)) {
    return Send(
        Synchronize{.target = Synchronize::Target::kStream, .stream = stream},
        stamp, lane);
  }

  const Reply* ReplyTo(Ticket ticket) const {
    return harness_.observer.ReplyTo(session, ticket);
  }
  SessionUsage Usage() const {
    SessionUsage usage;
    EXPECT_TRUE(harness_.machine->GetSessionUsage(session, &usage));
    return usage;
  }
  bool is_closed() const {
    return harness_.observer.closed.count(session) == 1;
  }
  // The sentence of its protocol violation; empty when there was none.
  std::string Violation() const {
    const auto found = harness_.observer.violations.find(session);
    if (found == harness_.observer.violations.end()) return "";
    return std::string(found->second.message());
  }

 private:
  MachineHarness& harness_;
  uint64_t last_ticket_ = 0;
  uint32_t next_context_ = 0;
  uint32_t next_stream_ = 0;
  uint32_t next_event_ = 0;

 public:
  const SessionId session;
  StreamHandle default_stream;  // of the last context
};

}  // namespace ascend::core

#endif  // ASCEND_TESTS_TESTING_MACHINE_HARNESS_H_
