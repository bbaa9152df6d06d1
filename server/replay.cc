#include "server/replay.h"

#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/strings/str_format.h"
#include "core/base/status_macros.h"
#include "core/machine/input_log.h"

namespace ascend::server {
namespace {

// What jobs give is in the log.
class NoRunners final : public core::Runners {
 public:
  void StartKernel(core::KernelJob) override {}
  void StartCopy(core::CopyJob) override {}
  void StartFill(core::FillJob) override {}
  void StartFetch(core::FetchJob) override {}
  void CancelJobs(core::SessionId) override {}
  void StartTimer(core::TimerId, core::Tick) override {}
  void CancelTimer(core::TimerId) override {}
};

class NoBacking final : public core::HbmBacking {
 public:
  absl::Status CreateSegment(const core::SegmentKey&,
                             const core::SegmentWindow&) override {
    return absl::OkStatus();
  }
  void ReleaseSegment(const core::SegmentKey&) override {}
  void Scrub(const core::SegmentKey&, uint64_t, uint64_t) override {}
};

class NoObserver final : public core::Observer {
 public:
  void OnReply(core::SessionId, core::Reply) override {}
  void OnHostData(core::SessionId, core::Ticket, std::string) override {}
  void OnStreamProgress(core::SessionId, core::StreamHandle,
                        uint64_t) override {}
  void OnHostFunctionDue(core::SessionId, core::Ticket, core::Tick,
                         bool) override {}
  void OnTaskFailed(core::SessionId, core::TaskFailure) override {}
  void OnProtocolViolation(core::SessionId, absl::Status) override {}
  void OnSessionClosed(core::SessionId, const core::SessionUsage&) override {}
};

int Fail(const char* what, absl::string_view why) {
  std::fprintf(stderr, "ascend-rtd: %s: %s\n", what, std::string(why).c_str());
  return 2;
}

}  // namespace

absl::StatusOr<ReplayResult> Replay(absl::string_view log,
                                    const core::Catalog& catalog,
                                    core::Observer* observer) {
  ASCEND_ASSIGN_OR_RETURN(core::InputLogReader reader,
                          core::InputLogReader::Open(log));
  core::MachineOptions options = reader.options();
  options.catalog = &catalog;
  options.reports_trace = observer != nullptr;
  NoRunners runners;
  NoBacking backing;
  NoObserver nobody;
  core::Machine machine(std::move(options), backing, runners,
                        observer != nullptr ? *observer : nobody);
  ASCEND_RETURN_IF_ERROR(reader.Play(machine).status());
  return ReplayResult{.tick = machine.now(),
                      .task_count = machine.ended_task_count(),
                      .trace_hash = machine.trace_hash(),
                      .run = machine.DescribeRun()};
}

int RunReplay(int argc, const char* const* argv, const core::Catalog& catalog) {
  if (argc != 2) {
    return Fail("replay", "usage: ascend-rtd replay FILE");
  }
  std::ifstream file(argv[1], std::ios::binary);
  if (!file) return Fail(argv[1], "it cannot be read");
  std::stringstream text;
  text << file.rdbuf();
  const absl::StatusOr<ReplayResult> result = Replay(text.str(), catalog);
  if (!result.ok()) return Fail(argv[1], result.status().message());
  const std::string out = absl::StrFormat(
      "device_clock_ns %d\ntasks %d\ntrace_hash %016x\nrun_tasks %d\n"
      "run_trace_hash %016x\n",
      result->tick / core::kTicksPerNanosecond, result->task_count,
      result->trace_hash, result->run.task_count, result->run.trace_hash);
  std::fputs(out.c_str(), stdout);
  return 0;
}

}  // namespace ascend::server
