// The suite: one back end and one initialisation for all tests of the process.
#include <chrono>
#include <ostream>

#include "acl/acl.h"
#include "gtest/gtest.h"
#include "tests/conformance/backend.h"
#include "tests/conformance/fresh_process.h"

namespace ascend::conformance {

std::ostream& operator<<(std::ostream& out, const Holdings& holdings) {
  return out << "{contexts " << holdings.context_count << ", streams "
             << holdings.stream_count << ", events " << holdings.event_count
             << ", HBM " << holdings.hbm_bytes << ", tasks "
             << holdings.pending_task_count << "}";
}

bool AwaitSessions(size_t count_max) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (Backend::Get().CountSessions() > count_max) {
    if (std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

namespace {

class ConformanceEnvironment : public ::testing::Environment {
 public:
  void SetUp() override {
    Backend::Get().Start();
    if (IsFreshProcess()) return;
    ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  }
  void TearDown() override {
    // A fresh process says itself what it does.
    const bool has_own = IsFreshProcess();
    EXPECT_EQ(has_own ? ACL_SUCCESS : aclFinalize(), ACL_SUCCESS);
    Backend::Get().Stop();
  }
};

}  // namespace
}  // namespace ascend::conformance

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::AddGlobalTestEnvironment(
      new ascend::conformance::ConformanceEnvironment());
  return RUN_ALL_TESTS();
}
