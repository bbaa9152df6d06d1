// Which synchronisation reports which failed task.

#include "core/base/error.h"
#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

class MachineErrorsTest : public ::testing::Test {
 protected:
  MachineErrorsTest() : client_(harness_, 1) { client_.CreateContext(); }

  void LaunchBad() { client_.Launch(client_.default_stream, {.is_legal = 0}); }
  EventHandle Record() {
    const EventHandle event = client_.CreateEvent();
    client_.Send(RecordEvent{event, client_.default_stream});
    return event;
  }
  // What a synchronisation of the event reports.
  Reason ReportOf(EventHandle event) {
    return ReasonOf(client_.Send(
        Synchronize{.target = Synchronize::Target::kEvent, .event = event}));
  }
  Reason ReportOfStream() {
    return ReasonOf(client_.SynchronizeStream(client_.default_stream));
  }

 private:
  Reason ReasonOf(Ticket ticket) {
    harness_.RunUntilQuiet();
    const Reply* reply = client_.ReplyTo(ticket);
    EXPECT_NE(reply, nullptr);
    return reply == nullptr ? Reason::kInternal : core::ReasonOf(reply->status);
  }

 protected:
  MachineHarness harness_;
  TestClient client_;
};

TEST_F(MachineErrorsTest, AnEventDoesNotReportWhatCameAfterIt) {
  const EventHandle before = Record();
  LaunchBad();
  harness_.RunUntilQuiet();  // it has failed by now
  EXPECT_EQ(ReportOf(before), Reason::kNone);
  EXPECT_EQ(ReportOfStream(), Reason::kCubeFault);
  EXPECT_EQ(ReportOfStream(), Reason::kNone);
}

TEST_F(MachineErrorsTest, AnEventLeavesWhatCameAfterItToOthers) {
  LaunchBad();
  const EventHandle between = Record();
  LaunchBad();
  harness_.RunUntilQuiet();
  EXPECT_EQ(ReportOf(between), Reason::kCubeFault);
  EXPECT_EQ(ReportOf(between), Reason::kNone);
  EXPECT_EQ(ReportOfStream(), Reason::kCubeFault);
  EXPECT_EQ(ReportOfStream(), Reason::kNone);
}

TEST_F(MachineErrorsTest, ManyFailuresAreReportedOnce) {
  for (int i = 0; i < 5; ++i) LaunchBad();
  const EventHandle after = Record();
  EXPECT_EQ(ReportOf(after), Reason::kCubeFault);
  EXPECT_EQ(ReportOf(after), Reason::kNone);
  EXPECT_EQ(ReportOfStream(), Reason::kNone);
}

}  // namespace
}  // namespace ascend::core
