// FuzzRunners: keeps the jobs that the machine started and ends them in an
// order of its own random numbers, which stand for the speed of the host.
//
// It checks what the machine promises: of a stream at most one job runs, and
// its tasks start in the order in which they were sent. A job's outcome depends
// on what it is, not on when it ends, so that two runs which differ in order
// only can be compared.
#ifndef ASCEND_TESTS_FUZZ_CORE_MACHINE_FUZZ_RUNNERS_H_
#define ASCEND_TESTS_FUZZ_CORE_MACHINE_FUZZ_RUNNERS_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/machine/machine.h"
#include "core/machine/runners.h"
#include "core/sim/rng.h"
#include "gtest/gtest.h"
#include "tests/testing/test_kernels.h"

namespace ascend::core {

// Where a task stands: a stream of a session, and its place there.
struct TaskPlace {
  SessionId session;
  uint64_t stream_bits = 0;
  uint64_t place = 0;
};

class FuzzRunners : public Runners {
 public:
  explicit FuzzRunners(uint64_t seed) : rng_(seed) {}

  void Watch(Machine* machine) { machine_ = machine; }
  // The copy `ticket` will be a task at `place`.
  void ExpectCopy(Ticket ticket, const TaskPlace& place) {
    copies_[{place.session, ticket}] = place;
  }

  void StartKernel(KernelJob job) override {
    const auto args =
        TestKernelArgs::Of(std::as_bytes(std::span(job.args.data(),  //
                                                   job.args.size())));
    Add(job.id, job.session, Nanoseconds(1500), args.tag % 11 == 0,
        {job.session, args.tag >> 20, args.tag & 0xfffff});
  }
  void StartCopy(CopyJob job) override {
    TaskPlace place;
    const auto found = copies_.find({job.session, job.ticket});
    if (found != copies_.end()) place = found->second;
    Add(job.id, job.session, Microseconds(1), job.ticket.value() % 13 == 0,
        place);
    if (job.kind == CopyKind::kDeviceToHost && job.bytes <= kInlineBytesMax) {
      jobs_.back().payload.assign(job.bytes, '\0');
    }
  }
  void StartFill(FillJob job) override {
    Add(job.id, job.session, Microseconds(1), false, {});
  }
  // What it reads is a kernel of 50 us, or not a legal block.
  void StartFetch(FetchJob job) override {
    Add(job.id, job.session, 0, job.address % 7 == 0, {});
    jobs_.back().payload =
        TestKernelArgs{.vector_ticks = Microseconds(50),
                       .is_legal = job.address % 3 == 0 ? 0u : 1u}
            .ToBlock();
  }
  void CancelJobs(SessionId session) override {
    EXPECT_TRUE(cancelled_.insert(session).second) << "cancelled twice";
  }
  void StartTimer(TimerId timer, Tick ticks) override {
    EXPECT_GT(ticks, 0);
    EXPECT_TRUE(timers_.insert(timer).second) << "timer used twice";
  }
  void CancelTimer(TimerId timer) override {
    EXPECT_EQ(timers_.erase(timer), 1u) << "cancelled a timer that has ended";
  }

  bool is_idle() const { return jobs_.empty() && timers_.empty(); }

  // Ends some job, if any runs.
  void EndOne() {
    if (!jobs_.empty()) End(rng_.Below(jobs_.size()));
  }
  void EndAll() {
    while (!jobs_.empty()) EndOne();
    EndTimers();
  }
  // The host's clock gets to where all timers end.
  void EndTimers() {
    for (const TimerId timer : std::exchange(timers_, {})) {
      machine_->OnTimer(timer);
    }
  }
  // Ends, in any order, at least those jobs whose task may end at `tick`.
  void EndDue(Tick tick) {
    EndTimers();
    for (size_t i = rng_.Below(jobs_.size() + 1); i > 0; --i) EndOne();
    for (size_t i = jobs_.size(); i > 0; --i) {
      if (jobs_[i - 1].least_end <= tick) End(i - 1);
    }
  }

 private:
  struct Job {
    JobId id;
    SessionId session;
    Tick least_end = 0;  // its task ends no sooner
    bool fails = false;
    TaskPlace place;
    std::string payload;
  };
  using StreamKey = std::pair<SessionId, uint64_t>;

  void Add(JobId id, SessionId session, Tick least_ticks, bool fails,
           const TaskPlace& place) {
    EXPECT_EQ(cancelled_.count(session), 0u) << "started after cancelling";
    EXPECT_TRUE(ids_.insert(id.value()).second) << "job id used twice";
    jobs_.push_back(
        {id, session, machine_->now() + least_ticks, fails, place, ""});
    if (place.stream_bits == 0) return;
    const StreamKey key{session, place.stream_bits};
    EXPECT_TRUE(busy_.insert(key).second) << "two jobs of one stream";
    uint64_t& last = last_place_[key];
    EXPECT_GT(place.place, last) << "out of order";
    last = place.place;
  }

  void End(size_t index) {
    Job job = std::move(jobs_[index]);
    jobs_.erase(jobs_.begin() + static_cast<ptrdiff_t>(index));
    busy_.erase({job.session, job.place.stream_bits});
    absl::Status status;
    if (job.fails) status = MakeError(Reason::kCubeFault, "the job failed");
    machine_->OnJobDone(job.id, {std::move(status), std::move(job.payload)});
  }

  Rng rng_;
  Machine* machine_ = nullptr;
  std::vector<Job> jobs_;
  std::set<TimerId> timers_;
  std::set<uint64_t> ids_;
  std::set<SessionId> cancelled_;
  std::set<StreamKey> busy_;
  std::map<StreamKey, uint64_t> last_place_;
  std::map<std::pair<SessionId, Ticket>, TaskPlace> copies_;
};

}  // namespace ascend::core

#endif  // ASCEND_TESTS_FUZZ_CORE_MACHINE_FUZZ_RUNNERS_H_
