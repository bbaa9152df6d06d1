#include "core/base/check.h"

#include <cstdio>

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

TEST(CheckDeathTest, FailureNamesTheConditionAndTheMessage) {
  const int held = 9;
  EXPECT_DEATH(
      ASCEND_CHECK(held <= 8) << "units held: " << held,
      "check failed at .*check_test.cc:[0-9]+: held <= 8 units held: 9");
}

TEST(CheckTest, PassingCheckDoesNotEvaluateItsMessage) {
  int evaluations = 0;
  const auto message = [&evaluations] { return ++evaluations; };
  ASCEND_CHECK(true) << message();
  EXPECT_EQ(evaluations, 0);
}

TEST(CheckDeathTest, HookRunsOnceBeforeTheEnd) {
  EXPECT_DEATH(
      {
        SetCheckFailureHook([](const char* message) {
          std::fprintf(stderr, "hook saw <%s>\n", message);
          ASCEND_CHECK(false) << "inside the hook";
        });
        ASCEND_CHECK(false) << "first";
      },
      "hook saw <.*first>");
}

TEST(CheckTest, BindsLikeAStatement) {
  bool reached_else = false;
  if (false)
    ASCEND_CHECK(false) << "never";
  else
    reached_else = true;
  EXPECT_TRUE(reached_else);
}

}  // namespace
}  // namespace ascend::core
