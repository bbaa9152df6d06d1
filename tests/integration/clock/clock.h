// What the tests of the clock share: clock_client in a role, and what it says.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_TESTS_INTEGRATION_CLOCK_CLOCK_H_
#define ASCEND_TESTS_INTEGRATION_CLOCK_CLOCK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "tests/testing/child_program.h"
#include "tests/testing/daemon_process.h"
#include "tests/testing/operator_view.h"

namespace ascend::testing {

inline std::vector<std::string> Role(const std::string& name,
                                     uint32_t participants = 0,
                                     uint32_t rank = 0, uint32_t seed = 0) {
  return {ASCEND_TEST_CLOCK_CLIENT, name, absl::StrCat(participants),
          absl::StrCat(rank), absl::StrCat(seed)};
}

inline std::unique_ptr<ChildProgram> Start(
    const DaemonProcess& daemon, const std::vector<std::string>& role) {
  return std::make_unique<ChildProgram>(
      role,
      std::vector<std::string>{"ASCEND_RTD_ADDRESS=" + daemon.unix_address()});
}

// The run, as a program that comes later sees it.
struct RunInfo {
  uint64_t participants = 0;
  uint64_t left = 0;
  uint64_t hash = 0;
  uint64_t tasks = 0;
  uint64_t late = 0;
  uint64_t demoted = 0;
  uint64_t evicted = 0;

  bool is_deterministic() const { return late + demoted + evicted == 0; }
};

inline std::ostream& operator<<(std::ostream& out, const RunInfo& info) {
  return out << info.left << " of " << info.participants << " left, hash "
             << info.hash << " of " << info.tasks << " tasks, late "
             << info.late << ", demoted " << info.demoted << ", evicted "
             << info.evicted;
}

inline RunInfo RunInfoOf(const DaemonProcess& daemon) {
  std::map<std::string, uint64_t> values;
  for (const std::string& line : Start(daemon, Role("info"))->ReadLines()) {
    const std::pair<std::string, std::string> words =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    EXPECT_TRUE(absl::SimpleAtoi(words.second, &values[words.first])) << line;
  }
  return {.participants = values["participants"],
          .left = values["left"],
          .hash = values["hash"],
          .tasks = values["tasks"],
          .late = values["late"],
          .demoted = values["demoted"],
          .evicted = values["evicted"]};
}

// Waits until so many processes use the daemon. False: others still do.
inline bool AwaitSessions(const DaemonProcess& daemon, uint32_t count) {
  return AwaitOperator<rtd::v1::GetInfoReply>(
      InfoOf, daemon.unix_address(),
      [count](const rtd::v1::GetInfoReply& info) {
        return info.session_count() == count;
      });
}

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_INTEGRATION_CLOCK_CLOCK_H_
