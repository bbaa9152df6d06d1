#include "tests/conformance/fresh_process.h"

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/conformance/backend.h"
#include "tests/testing/daemon_process.h"

namespace ascend::conformance {
namespace {

constexpr char kChildVariable[] = "ASCEND_CONFORMANCE_CHILD";

}  // namespace

bool IsFreshProcess() { return std::getenv(kChildVariable) != nullptr; }

void RunInFreshProcess(const char* suite, const char* name) {
  const size_t sessions_before = Backend::Get().CountSessions();
  const testing::ProgramResult result = testing::RunProgram(
      {"/proc/self/exe", absl::StrCat("--gtest_filter=", suite, ".", name),
       "--gtest_color=no"},
      {absl::StrCat(kChildVariable, "=1")});
  EXPECT_TRUE(AwaitSessions(sessions_before))
      << "the child's session outlives it";
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == kFreshExitCode)
      << "the child ends with " << result.exit_code << "\n"
      << result.out << result.err;
}

}  // namespace ascend::conformance
