#include "server/clock_mode.h"

#include "core/base/error.h"
#include "gtest/gtest.h"

namespace ascend::server {
namespace {

TEST(ClockModeTest, FreeWaitsAMillisecondAndForNoJob) {
  const auto mode = ParseClockMode("free");
  ASSERT_TRUE(mode.ok());
  EXPECT_TRUE(mode->is_gated);
  EXPECT_EQ(mode->patience, std::chrono::milliseconds(1));
  EXPECT_EQ(mode->patience_in_run, std::chrono::milliseconds(1));
  EXPECT_FALSE(mode->waits_for_jobs);
  EXPECT_EQ(mode->pace, 0);
}

TEST(ClockModeTest, LockstepWaitsLongAndForJobs) {
  const auto mode = ParseClockMode("lockstep");
  ASSERT_TRUE(mode.ok());
  EXPECT_EQ(mode->patience, std::chrono::milliseconds(200));
  EXPECT_EQ(mode->patience_in_run, std::chrono::seconds(10));
  EXPECT_TRUE(mode->waits_for_jobs);
}

TEST(ClockModeTest, PacedHasAPace) {
  EXPECT_EQ(ParseClockMode("paced")->pace, 1);
  EXPECT_EQ(ParseClockMode("paced:0.25")->pace, 0.25);
  EXPECT_EQ(ParseClockMode("paced:40")->name, "paced:40");
}

TEST(ClockModeTest, UngatedWaitsForNobody) {
  EXPECT_FALSE(ParseClockMode("ungated")->is_gated);
}

TEST(ClockModeTest, RefusesWhatIsNoMode) {
  for (const char* text :
       {"", "fast", "paced:", "paced:0", "paced:-1", "paced:nan", "paced:inf",
        "paced:1e9", "paced2", "free:1"}) {
    const auto mode = ParseClockMode(text);
    EXPECT_EQ(core::ReasonOf(mode.status()), core::Reason::kInvalidArgument)
        << text;
    EXPECT_NE(mode.status().message().find("lockstep"), std::string::npos);
  }
}

}  // namespace
}  // namespace ascend::server
