// FakeRunners: keeps the jobs that the machine started; the test ends them.
//
// Nothing is computed. A fetch is answered with the bytes the test put under
// its address, a small device-to-host copy with as many zeros as it has bytes.
#ifndef ASCEND_TESTS_TESTING_FAKE_RUNNERS_H_
#define ASCEND_TESTS_TESTING_FAKE_RUNNERS_H_

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/machine/machine.h"
#include "core/machine/runners.h"

namespace ascend::core {

class FakeRunners : public Runners {
 public:
  struct Started {
    JobId id;
    SessionId session;
    enum class Kind { kKernel, kCopy, kFill, kFetch } kind = Kind::kKernel;
    std::string payload;  // of its result
    uint64_t ticket = 0;  // of copies
    uint32_t tag = 0;     // of kernels: num_blocks
  };

  void StartKernel(KernelJob job) override {
    Add({.id = job.id,
         .session = job.session,
         .kind = Started::Kind::kKernel,
         .tag = job.num_blocks});
    if (keeps_kernels) kernels.push_back(std::move(job));
  }
  void StartCopy(CopyJob job) override {
    Started started{.id = job.id,
                    .session = job.session,
                    .kind = Started::Kind::kCopy,
                    .ticket = job.ticket.value()};
    const uint64_t bytes = job.bytes * job.rows;
    if (job.kind == CopyKind::kDeviceToHost && bytes <= kInlineBytesMax) {
      started.payload.assign(bytes, '\0');
    }
    Add(std::move(started));
    copies.push_back(std::move(job));
  }
  void StartFill(FillJob job) override {
    Add({.id = job.id, .session = job.session, .kind = Started::Kind::kFill});
  }
  void StartFetch(FetchJob job) override {
    Add({.id = job.id,
         .session = job.session,
         .kind = Started::Kind::kFetch,
         .payload = memory[job.address]});
  }
  void CancelJobs(SessionId session) override { cancelled.insert(session); }
  void StartTimer(TimerId timer, Tick ticks) override { timers[timer] = ticks; }
  void CancelTimer(TimerId timer) override { timers.erase(timer); }

  // Ends the oldest job that runs with `status`; false when there is none.
  bool FinishOne(Machine& machine, absl::Status status = absl::OkStatus()) {
    if (running.empty()) return false;
    Started job = std::move(running.front());
    running.pop_front();
    machine.OnJobDone(job.id, {std::move(status), std::move(job.payload)});
    return true;
  }
  // The host's clock gets to where all timers end.
  void EndTimers(Machine& machine) {
    for (const auto& [timer, ticks] : std::exchange(timers, {})) {
      machine.OnTimer(timer);
    }
  }
  void FinishAll(Machine& machine) {
    while (FinishOne(machine)) {
    }
    if (ends_timers) EndTimers(machine);
  }

  std::deque<Started> running;
  size_t started_count = 0;
  bool keeps_kernels = true;
  bool ends_timers = true;  // in FinishAll: the host's clock runs fastest
  std::vector<KernelJob> kernels;
  std::vector<CopyJob> copies;
  std::set<SessionId> cancelled;
  std::map<TimerId, Tick> timers;
  std::map<uint64_t, std::string> memory;  // for fetches, by address

 private:
  void Add(Started job) {
    ++started_count;
    running.push_back(std::move(job));
  }
};

}  // namespace ascend::core

#endif  // ASCEND_TESTS_TESTING_FAKE_RUNNERS_H_
