// What a program is told it did not give back.
#include "client/runtime/leak_check.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <memory>

#include "tests/unit/client/runtime/runtime_fixture.h"

namespace ascend::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

// The variable is read when the runtime is made.
class SwitchOn {
 public:
  explicit SwitchOn(const char* value) {
    setenv("ASCEND_RTD_LEAK_CHECK", value, 1);
  }
  ~SwitchOn() { unsetenv("ASCEND_RTD_LEAK_CHECK"); }
};

class LeakCheckTest : public ::testing::Test {
 protected:
  LeakCheckTest() : switch_on_("1"), runtime_(daemon_.Maker()) {
    ThreadContext() = nullptr;
  }
  void SetUp() override {
    ASSERT_EQ(runtime_.Init(""), ClientRuntime::InitOutcome::kFirst);
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
  }

  std::string Finalized() {
    CaptureStderr();
    EXPECT_TRUE(runtime_.Finalize());
    return GetCapturedStderr();
  }
  std::string Reported() {
    CaptureStderr();
    runtime_.ReportLeaks();
    return GetCapturedStderr();
  }

  SwitchOn switch_on_;
  testing::FakeDaemon daemon_;
  ClientRuntime runtime_;
};

TEST_F(LeakCheckTest, NothingIsSaidWhenAllWasGivenBack) {
  void* const memory = runtime_.Malloc(8, 0).value();
  void* const stream = runtime_.CreateStream({}).value();
  void* const event = runtime_.CreateEvent({1, true}).value();
  EXPECT_TRUE(runtime_.Free(memory).ok());
  EXPECT_TRUE(runtime_.DestroyStream(stream, false).ok());
  EXPECT_TRUE(runtime_.DestroyEvent(event).ok());
  EXPECT_EQ(Reported(), "");
  EXPECT_TRUE(runtime_.ResetDevice(0, false).ok());
  EXPECT_EQ(Finalized(), "");
}

TEST_F(LeakCheckTest, FinalizeListsWhatIsLeftOnce) {
  runtime_.Malloc(8, 0).value();
  runtime_.Malloc(1, 0).value();
  void* const stream = runtime_.CreateStream({}).value();
  runtime_.CreateEvent({1, true}).value();
  const std::string said = Finalized();
  EXPECT_THAT(said, StartsWith("ascend-rtd: not given back: 2 allocations of 9 "
                               "bytes, 1 stream, 1 event\n  memory 0x"));
  EXPECT_THAT(said, HasSubstr(" of device 0: 8 bytes\n"));
  EXPECT_THAT(said, HasSubstr(" of device 0: 1 byte\n"));
  EXPECT_THAT(said,
              HasSubstr(absl::StrCat(
                  "  stream 0x", absl::Hex(reinterpret_cast<uintptr_t>(stream)),
                  " of device 0\n  event 0x")));
  EXPECT_EQ(Reported(), "");
}

TEST_F(LeakCheckTest, WhatEndedWithItsContextIsListedToo) {
  void* const context = runtime_.CreateContext(0).value();
  runtime_.CreateStream({}).value();
  runtime_.CreateEvent({1, true}).value();
  EXPECT_TRUE(runtime_.DestroyContext(context).ok());
  const std::string said = Finalized();
  EXPECT_THAT(said, HasSubstr("0 allocations of 0 bytes, 1 stream, 1 event"));
  EXPECT_THAT(said, HasSubstr(" of device 0, which ended with its context\n"));
}

TEST_F(LeakCheckTest, AForkedChildSaysNothing) {
  runtime_.Malloc(8, 0).value();
  runtime_.Poison();
  EXPECT_EQ(Reported(), "");
}

TEST(LeakReportTest, OnlyTheFirstAreListedOneByOne) {
  const SwitchOn on("1");
  LeakCheck check;
  for (size_t i = 0; i < LeakCheck::kListedMax + 3; ++i) {
    check.AddStream(nullptr, core::DeviceId(0), "");
  }
  const std::string report = check.TakeReport();
  EXPECT_THAT(report, HasSubstr("103 streams"));
  EXPECT_THAT(report, HasSubstr("  and 3 more\n"));
  EXPECT_EQ(check.TakeReport(), "");
}

TEST(LeakReportTest, IsOffUnlessTheVariableIsOne) {
  EXPECT_FALSE(LeakCheck().is_on());
  const SwitchOn off("0");
  EXPECT_FALSE(LeakCheck().is_on());
  CaptureStderr();
  const SwitchOn bad("yes");
  EXPECT_FALSE(LeakCheck().is_on());
  EXPECT_EQ(GetCapturedStderr(),
            "ascend-rtd: ASCEND_RTD_LEAK_CHECK is ignored: it is 'yes', not 0 "
            "or 1\n");
}

TEST(LeakReportTest, ARuntimeThatDoesNotCheckSaysNothing) {
  testing::FakeDaemon daemon;
  ClientRuntime runtime(daemon.Maker());
  ThreadContext() = nullptr;
  ASSERT_EQ(runtime.Init(""), ClientRuntime::InitOutcome::kFirst);
  ASSERT_TRUE(runtime.SetDevice(0).ok());
  runtime.Malloc(8, 0).value();
  CaptureStderr();
  EXPECT_TRUE(runtime.Finalize());
  EXPECT_EQ(GetCapturedStderr(), "");
}

}  // namespace
}  // namespace ascend::client
