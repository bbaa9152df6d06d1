// semantics 4: events.
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

enum class Kind { kClassic, kRerecordable };

class OwnEvent {
 public:
  explicit OwnEvent(Kind kind = Kind::kClassic,
                    uint32_t flags = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE) {
    EXPECT_ACL_OK(kind == Kind::kClassic
                      ? aclrtCreateEventWithFlag(&event_, flags)
                      : aclrtCreateEventExWithFlag(&event_, flags));
  }
  ~OwnEvent() { EXPECT_ACL_OK(aclrtDestroyEvent(event_)); }
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  operator aclrtEvent() const { return event_; }

 private:
  aclrtEvent event_ = nullptr;
};

// `before` is what the query must overwrite.
aclrtEventRecordedStatus RecordedStatusOf(
    aclrtEvent event,
    aclrtEventRecordedStatus before = ACL_EVENT_RECORDED_STATUS_COMPLETE) {
  auto status = before;
  EXPECT_ACL_OK(aclrtQueryEventStatus(event, &status));
  return status;
}

aclrtEventStatus OldStatusOf(aclrtEvent event) {
  auto status = ACL_EVENT_STATUS_RESERVED;
  EXPECT_ACL_OK(aclrtQueryEvent(event, &status));
  return status;
}

float Elapsed(aclrtEvent start, aclrtEvent end) {
  float ms = NAN;
  EXPECT_ACL_OK(aclrtEventElapsedTime(&ms, start, end));
  return ms;
}

class EventTest : public AclTest {
 protected:
  void SetUp() override {
    AclTest::SetUp();
    ops_.emplace();
    ones_.emplace(std::vector<float>(Ops::kBusyElements, 1));
    product_.emplace(Ops::kBusyElements);
  }
  void TearDown() override {
    product_.reset();
    ones_.reset();
    ops_.reset();
    AclTest::TearDown();
  }
  void KeepBusy(aclrtStream stream, int times = 4) {
    for (int i = 0; i < times; ++i) {
      ASSERT_ACL_OK(ops_->KeepBusy(ones_->data(), product_->data(), stream));
    }
  }

  std::optional<Ops> ops_;
  std::optional<DeviceArray<float>> ones_;
  std::optional<DeviceArray<float>> product_;
};

// 4: "0 or unknown bits: 107000"; EXTERNAL alone, IPC alone and for Ex only.
TEST_F(EventTest, FlagsAreChecked) {
  const ExpectNothingChanges unchanged;
  aclrtEvent event = Garbage();
  for (const uint32_t flags :
       {0u, 0x80u, ~0u, ACL_EVENT_EXTERNAL | ACL_EVENT_SYNC,
        ACL_EVENT_IPC | ACL_EVENT_SYNC, ACL_EVENT_SYNC | 0x100u}) {
    EXPECT_ACL_ERROR(107000, aclrtCreateEventWithFlag(&event, flags));
    EXPECT_ACL_ERROR(107000, aclrtCreateEventExWithFlag(&event, flags));
  }
  EXPECT_ACL_ERROR(107000, aclrtCreateEventWithFlag(&event, ACL_EVENT_IPC));
  EXPECT_EQ(event, Garbage());
  EXPECT_ACL_ERROR(100000, aclrtCreateEvent(nullptr));
  EXPECT_ACL_ERROR(100000, aclrtCreateEventWithFlag(nullptr, ACL_EVENT_SYNC));
  EXPECT_ACL_ERROR(100000, aclrtCreateEventExWithFlag(nullptr, ACL_EVENT_SYNC));
  InThread([&] {
    EXPECT_ACL_ERROR(107002, aclrtCreateEvent(&event));
    EXPECT_EQ(event, Garbage());
  });
  for (const uint32_t flags : {ACL_EVENT_SYNC, ACL_EVENT_TIME_LINE,
                               ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE |
                                   ACL_EVENT_CAPTURE_STREAM_PROGRESS,
                               ACL_EVENT_DEVICE_USE_ONLY, ACL_EVENT_EXTERNAL}) {
    const OwnEvent classic(Kind::kClassic, flags);
    const OwnEvent rerecordable(Kind::kRerecordable, flags);
  }
  const OwnEvent shared(Kind::kRerecordable, ACL_EVENT_IPC);
}

// 4, 13: null 100000, stale or foreign 107017.
TEST_F(EventTest, DeadAndForeignHandlesAreRefused) {
  aclrtEvent dead = nullptr;
  ASSERT_ACL_OK(aclrtCreateEvent(&dead));
  ASSERT_ACL_OK(aclrtRecordEvent(dead, nullptr));
  ASSERT_ACL_OK(aclrtDestroyEvent(dead));
  const OwnStream stream;
  const OwnEvent event;
  ASSERT_ACL_OK(aclrtRecordEvent(event, stream));
  ASSERT_ACL_OK(aclrtSynchronizeEvent(event));
  const ExpectNothingChanges unchanged;
  auto status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  auto old_status = ACL_EVENT_STATUS_RESERVED;
  auto wait_status = ACL_EVENT_WAIT_STATUS_RESERVED;
  uint64_t us = 7;
  uint32_t id = 7;
  float ms = -1;
  for (void* const bad : {dead, Garbage(), aclrtStream(stream)}) {
    EXPECT_ACL_ERROR(107017, aclrtDestroyEvent(bad));
    EXPECT_ACL_ERROR(107017, aclrtRecordEvent(bad, stream));
    EXPECT_ACL_ERROR(107017, aclrtRecordEvent(bad, nullptr));
    EXPECT_ACL_ERROR(107017, aclrtStreamWaitEvent(stream, bad));
    EXPECT_ACL_ERROR(107017, aclrtStreamWaitEventWithTimeout(stream, bad, 1));
    EXPECT_ACL_ERROR(107017, aclrtStreamWaitEventWithFlag(stream, bad, 1, 0));
    EXPECT_ACL_ERROR(107017, aclrtRecordEventWithFlag(bad, stream, 0));
    EXPECT_ACL_ERROR(107017, aclrtResetEvent(bad, stream));
    EXPECT_ACL_ERROR(107017, aclrtQueryEventWaitStatus(bad, &wait_status));
    EXPECT_ACL_ERROR(107017, aclrtEventGetTimestamp(bad, &us));
    EXPECT_ACL_ERROR(107017, aclrtGetEventId(bad, &id));
    EXPECT_ACL_ERROR(107017, aclrtSynchronizeEvent(bad));
    EXPECT_ACL_ERROR(107017, aclrtSynchronizeEventWithTimeout(bad, 100));
    EXPECT_ACL_ERROR(107017, aclrtQueryEventStatus(bad, &status));
    EXPECT_ACL_ERROR(107017, aclrtQueryEvent(bad, &old_status));
    EXPECT_ACL_ERROR(107017, aclrtEventElapsedTime(&ms, bad, event));
    EXPECT_ACL_ERROR(107017, aclrtEventElapsedTime(&ms, event, bad));
  }
  EXPECT_ACL_ERROR(100000, aclrtDestroyEvent(nullptr));
  EXPECT_ACL_ERROR(100000, aclrtRecordEvent(nullptr, stream));
  EXPECT_ACL_ERROR(100000, aclrtStreamWaitEvent(stream, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtStreamWaitEventWithTimeout(stream, nullptr, 1));
  EXPECT_ACL_ERROR(100000, aclrtStreamWaitEventWithFlag(stream, nullptr, 1, 0));
  EXPECT_ACL_ERROR(100000, aclrtRecordEventWithFlag(nullptr, stream, 0));
  EXPECT_ACL_ERROR(100000, aclrtResetEvent(nullptr, stream));
  EXPECT_ACL_ERROR(100000, aclrtQueryEventWaitStatus(nullptr, &wait_status));
  EXPECT_ACL_ERROR(100000, aclrtQueryEventWaitStatus(event, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtEventGetTimestamp(nullptr, &us));
  EXPECT_ACL_ERROR(100000, aclrtEventGetTimestamp(event, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetEventId(nullptr, &id));
  EXPECT_ACL_ERROR(100000, aclrtGetEventId(event, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetEventAvailNum(nullptr));
  EXPECT_EQ(wait_status, ACL_EVENT_WAIT_STATUS_RESERVED);
  EXPECT_EQ(us, 7u);
  EXPECT_EQ(id, 7u);
  EXPECT_ACL_ERROR(100000, aclrtSynchronizeEvent(nullptr));
  EXPECT_ACL_ERROR(100000, aclrtSynchronizeEventWithTimeout(nullptr, 100));
  EXPECT_ACL_ERROR(100000, aclrtQueryEventStatus(nullptr, &status));
  EXPECT_ACL_ERROR(100000, aclrtQueryEventStatus(event, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtQueryEvent(nullptr, &old_status));
  EXPECT_ACL_ERROR(100000, aclrtQueryEvent(event, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtEventElapsedTime(nullptr, event, event));
  EXPECT_ACL_ERROR(100000, aclrtEventElapsedTime(&ms, nullptr, event));
  EXPECT_ACL_ERROR(100000, aclrtEventElapsedTime(&ms, event, nullptr));
  EXPECT_EQ(ms, -1);
  EXPECT_EQ(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_EQ(old_status, ACL_EVENT_STATUS_RESERVED);
}

// 4: never recorded: "Ex event COMPLETE, classic NOT_READY by the new query but
// COMPLETE by the old query"; synchronise succeeds at once; a wait does not
// block; elapsed time 507000. The old query is refused for Ex: 207000.
TEST_F(EventTest, WithoutARecord) {
  const OwnEvent classic;
  const OwnEvent rerecordable(Kind::kRerecordable);
  EXPECT_EQ(RecordedStatusOf(classic), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(RecordedStatusOf(rerecordable, ACL_EVENT_RECORDED_STATUS_NOT_READY),
            ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_EQ(OldStatusOf(classic), ACL_EVENT_STATUS_COMPLETE);
  auto old_status = ACL_EVENT_STATUS_RESERVED;
  EXPECT_ACL_ERROR(207000, aclrtQueryEvent(rerecordable, &old_status));
  EXPECT_EQ(old_status, ACL_EVENT_STATUS_RESERVED);
  EXPECT_ACL_OK(aclrtSynchronizeEvent(classic));
  EXPECT_ACL_OK(aclrtSynchronizeEvent(rerecordable));
  EXPECT_ACL_OK(aclrtSynchronizeEventWithTimeout(classic, 10));
  EXPECT_ACL_OK(aclrtStreamWaitEvent(nullptr, rerecordable));
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  float ms = -1;
  const OwnEvent recorded;
  ASSERT_ACL_OK(aclrtRecordEvent(recorded, nullptr));
  ASSERT_ACL_OK(aclrtSynchronizeEvent(recorded));
  EXPECT_ACL_ERROR(507000, aclrtEventElapsedTime(&ms, classic, recorded));
  EXPECT_ACL_ERROR(507000, aclrtEventElapsedTime(&ms, recorded, classic));
  EXPECT_EQ(ms, -1);
}

// 4: NOT_READY 0 and COMPLETE 1 by the new query, the other way round by the
// old one; elapsed time wants a complete record.
TEST_F(EventTest, ARecordIsPendingUntilTheStreamIsThere) {
  const OwnStream stream;
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    const OwnEvent start;
    const OwnEvent end;
    EXPECT_ACL_OK(aclrtRecordEvent(start, stream));
    KeepBusy(stream, work);
    EXPECT_ACL_OK(aclrtRecordEvent(end, stream));
    const int status = RecordedStatusOf(end);
    const int old_status = OldStatusOf(end);
    float ms = -1;
    const aclError code = aclrtEventElapsedTime(&ms, start, end);
    if (code == ACL_SUCCESS) return false;  // too late
    EXPECT_EQ(status, 0);
    EXPECT_EQ(old_status, 1);
    EXPECT_ACL_ERROR(507000, code);
    EXPECT_EQ(ms, -1);
    EXPECT_ACL_OK(aclrtSynchronizeEvent(end));
    EXPECT_EQ(RecordedStatusOf(end, ACL_EVENT_RECORDED_STATUS_NOT_READY), 1);
    EXPECT_EQ(static_cast<int>(OldStatusOf(end)), 0);
    EXPECT_GT(Elapsed(start, end), 0);
    return true;
  }));
}

// 4: "-1 forever; 0 or < -1 107000; 507047 on expiry".
TEST_F(EventTest, SynchronizeMayExpire) {
  const OwnStream stream;
  const OwnEvent event(Kind::kRerecordable);
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    KeepBusy(stream, work);
    EXPECT_ACL_OK(aclrtRecordEvent(event, stream));
    const aclError code = aclrtSynchronizeEventWithTimeout(event, 1);
    if (code == ACL_SUCCESS) return false;
    EXPECT_ACL_ERROR(507047, code);
    return true;
  }));
  EXPECT_ACL_ERROR(107000, aclrtSynchronizeEventWithTimeout(event, 0));
  EXPECT_ACL_ERROR(107000, aclrtSynchronizeEventWithTimeout(event, -2));
  EXPECT_ACL_OK(aclrtSynchronizeEventWithTimeout(event, -1));
  EXPECT_ACL_OK(aclrtSynchronizeEventWithTimeout(event, 60000));
}

// 4: elapsed time is ticks of 20 ns; of the device's clock, so additive.
TEST_F(EventTest, ElapsedTimeIsOfTheDevice) {
  const OwnStream stream;
  const OwnEvent a;
  const OwnEvent b;
  const OwnEvent c;
  ASSERT_ACL_OK(aclrtRecordEvent(a, stream));
  KeepBusy(stream, 1);
  ASSERT_ACL_OK(aclrtRecordEvent(b, stream));
  KeepBusy(stream, 3);
  ASSERT_ACL_OK(aclrtRecordEvent(c, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  const float ab = Elapsed(a, b);
  const float bc = Elapsed(b, c);
  EXPECT_GT(ab, 0);
  EXPECT_GT(bc, ab);
  EXPECT_NEAR(Elapsed(a, c), ab + bc, 1e-4 * (ab + bc));
  EXPECT_EQ(Elapsed(b, a), -ab);
  EXPECT_EQ(Elapsed(a, a), 0);
  const double counts = double{ab} * 50000;
  EXPECT_NEAR(counts, std::round(counts), 1e-2);
}

// 4: no time stamp 107006; EXTERNAL and IPC 207000; no SYNC, no stream waits:
// 207000.
TEST_F(EventTest, FlagsSayWhatAnEventIsGoodFor) {
  const OwnStream stream;
  const OwnEvent timed;
  const OwnEvent untimed(Kind::kClassic, ACL_EVENT_SYNC);
  const OwnEvent only_timed(Kind::kClassic, ACL_EVENT_TIME_LINE);
  const OwnEvent external(Kind::kClassic, ACL_EVENT_EXTERNAL);
  const OwnEvent shared(Kind::kRerecordable, ACL_EVENT_IPC);
  for (const aclrtEvent event :
       {aclrtEvent(timed), aclrtEvent(untimed), aclrtEvent(only_timed)}) {
    ASSERT_ACL_OK(aclrtRecordEvent(event, stream));
  }
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  float ms = -1;
  EXPECT_ACL_ERROR(107006, aclrtEventElapsedTime(&ms, untimed, timed));
  EXPECT_ACL_ERROR(107006, aclrtEventElapsedTime(&ms, timed, untimed));
  EXPECT_ACL_ERROR(207000, aclrtEventElapsedTime(&ms, external, timed));
  EXPECT_ACL_ERROR(207000, aclrtEventElapsedTime(&ms, timed, external));
  EXPECT_ACL_ERROR(207000, aclrtEventElapsedTime(&ms, shared, timed));
  EXPECT_EQ(ms, -1);
  EXPECT_ACL_OK(aclrtEventElapsedTime(&ms, timed, only_timed));
  EXPECT_ACL_ERROR(207000, aclrtStreamWaitEvent(stream, only_timed));
  EXPECT_ACL_ERROR(207000, aclrtStreamWaitEvent(stream, external));
  EXPECT_ACL_ERROR(207000, aclrtSynchronizeEvent(external));
}

// 3, 4: "many streams may wait for one event"; their tasks come after it.
TEST_F(EventTest, StreamsWaitForARecord) {
  constexpr int kWaiters = 8;
  const OwnStream producer;
  const OwnEvent event;
  std::vector<std::unique_ptr<OwnStream>> streams;
  std::vector<std::unique_ptr<DeviceArray<float>>> sums;
  for (int i = 0; i < kWaiters; ++i) {
    streams.push_back(std::make_unique<OwnStream>());
    sums.push_back(std::make_unique<DeviceArray<float>>(Ops::kBusyElements));
  }
  KeepBusy(producer, 2);
  ASSERT_ACL_OK(aclrtRecordEvent(event, producer));
  for (int i = 0; i < kWaiters; ++i) {
    ASSERT_ACL_OK(aclrtStreamWaitEvent(*streams[i], event));
    ASSERT_ACL_OK(ops_->Add(product_->data(), ones_->data(), sums[i]->data(),
                            Ops::kBusyElements, *streams[i]));
  }
  for (int i = 0; i < kWaiters; ++i) {
    ASSERT_ACL_OK(aclrtSynchronizeStream(*streams[i]));
    EXPECT_EQ(sums[i]->Download(),
              std::vector<float>(Ops::kBusyElements, Ops::kBusySide + 1));
  }
}

// 4: Ex: "each Record replaces the previous, waits attach to the record that
// was latest when the wait was submitted".
TEST_F(EventTest, AWaitKeepsTheRecordItWasMadeFor) {
  const OwnStream producer;
  const OwnStream waiter;
  const OwnEvent event(Kind::kRerecordable);
  const OwnEvent waited;
  const OwnEvent last;
  ASSERT_ACL_OK(aclrtRecordEvent(event, producer));
  ASSERT_ACL_OK(aclrtStreamWaitEvent(waiter, event));
  ASSERT_ACL_OK(aclrtRecordEvent(waited, waiter));
  KeepBusy(producer);
  ASSERT_ACL_OK(aclrtRecordEvent(event, producer));
  ASSERT_ACL_OK(aclrtStreamWaitEvent(waiter, event));
  ASSERT_ACL_OK(aclrtRecordEvent(last, waiter));
  ASSERT_ACL_OK(aclrtSynchronizeDevice());
  // The first wait did not see the second record, the second one did.
  EXPECT_GT(Elapsed(waited, event), 0);
  EXPECT_GE(Elapsed(event, last), 0);
}

// 4: "Destroy while referenced: deferred internally".
TEST_F(EventTest, AWaitOutlivesItsEvent) {
  const OwnStream producer;
  const OwnStream waiter;
  const DeviceArray<float> sum(Ops::kBusyElements);
  KeepBusy(producer);
  {
    const OwnEvent event;
    ASSERT_ACL_OK(aclrtRecordEvent(event, producer));
    ASSERT_ACL_OK(aclrtStreamWaitEvent(waiter, event));
  }
  ASSERT_ACL_OK(ops_->Add(product_->data(), ones_->data(), sum.data(),
                          Ops::kBusyElements, waiter));
  ASSERT_ACL_OK(aclrtSynchronizeStream(waiter));
  EXPECT_EQ(sum.Download(),
            std::vector<float>(Ops::kBusyElements, Ops::kBusySide + 1));
}

// 4: stream and event have one device.
TEST_F(EventTest, AnEventIsRecordedOnItsDevice) {
  const OwnEvent event;
  ASSERT_ACL_OK(aclrtSetDevice(1));
  EXPECT_ACL_ERROR(107000, aclrtRecordEvent(event, nullptr));
  EXPECT_EQ(RecordedStatusOf(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  ASSERT_ACL_OK(aclrtSetDevice(0));
}

// 4: a classic event is recorded again "only after aclrtResetEvent"; then it
// counts as never recorded. Re-recordable ones refuse the reset: 207000.
TEST_F(EventTest, AClassicEventIsResetBeforeItIsRecordedAgain) {
  const OwnStream stream;
  const OwnEvent event;
  ASSERT_ACL_OK(aclrtResetEvent(event, stream));  // nothing to take back
  ASSERT_ACL_OK(aclrtRecordEvent(event, stream));
  EXPECT_ACL_ERROR(207000, aclrtRecordEvent(event, stream));
  EXPECT_ACL_ERROR(207000, aclrtRecordEventWithFlag(event, nullptr, 0));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(RecordedStatusOf(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  ASSERT_ACL_OK(aclrtResetEvent(event, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(RecordedStatusOf(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(OldStatusOf(event), ACL_EVENT_STATUS_COMPLETE);
  EXPECT_ACL_OK(aclrtSynchronizeEvent(event));
  float ms = -1;
  EXPECT_ACL_ERROR(507000, aclrtEventElapsedTime(&ms, event, event));
  ASSERT_ACL_OK(
      aclrtRecordEventWithFlag(event, nullptr, ACL_EVENT_RECORD_DEFAULT));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(RecordedStatusOf(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);

  const OwnEvent rerecordable(Kind::kRerecordable);
  ASSERT_ACL_OK(aclrtRecordEvent(rerecordable, stream));
  ASSERT_ACL_OK(aclrtRecordEvent(rerecordable, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_ACL_ERROR(207000, aclrtResetEvent(rerecordable, stream));
  EXPECT_EQ(RecordedStatusOf(rerecordable), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

// 4: a reset is a task; of a stream of the current context and of the event's
// device.
TEST_F(EventTest, AResetIsATaskOfAStream) {
  const OwnStream stream;
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    const OwnEvent event;
    EXPECT_ACL_OK(aclrtRecordEvent(event, nullptr));
    EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
    KeepBusy(stream, work);
    EXPECT_ACL_OK(aclrtResetEvent(event, stream));
    const auto status = RecordedStatusOf(event);
    EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(RecordedStatusOf(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
  }));
  const OwnEvent event;
  ASSERT_ACL_OK(aclrtRecordEvent(event, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_ACL_ERROR(107017, aclrtResetEvent(event, Garbage()));
  ASSERT_ACL_OK(aclrtSetDevice(1));
  EXPECT_ACL_ERROR(107003, aclrtResetEvent(event, stream));
  EXPECT_ACL_ERROR(107000, aclrtResetEvent(event, nullptr));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  EXPECT_EQ(RecordedStatusOf(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  InThread([&] { EXPECT_ACL_ERROR(107002, aclrtResetEvent(event, stream)); });
}

// 4: "EXTERNAL record/wait is legal only in capture" (else 107000).
TEST_F(EventTest, ExternalRecordsAndWaitsAreForCaptures) {
  const OwnStream stream;
  const OwnEvent event(Kind::kRerecordable, ACL_EVENT_SYNC);
  for (const uint32_t flag : {ACL_EVENT_RECORD_EXTERNAL, 2u, ~0u}) {
    EXPECT_ACL_ERROR(107000, aclrtRecordEventWithFlag(event, stream, flag));
    EXPECT_ACL_ERROR(107000,
                     aclrtStreamWaitEventWithFlag(stream, event, 0, flag));
  }
  ASSERT_ACL_OK(aclrtRecordEventWithFlag(event, stream, 0));
  ASSERT_ACL_OK(aclrtStreamWaitEventWithFlag(nullptr, event, 100,
                                             ACL_EVENT_WAIT_DEFAULT));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(RecordedStatusOf(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

aclrtEventWaitStatus WaitStatusOf(aclrtEvent event) {
  auto status = ACL_EVENT_WAIT_STATUS_RESERVED;
  EXPECT_ACL_OK(aclrtQueryEventWaitStatus(event, &status));
  return status;
}

// 4: "wait-status: COMPLETE 0 / NOT_READY 1"; refused for Ex events: 207000.
TEST_F(EventTest, AWaitIsPendingUntilItsStreamIsThere) {
  const OwnStream producer;
  const OwnStream waiter;
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    const OwnEvent event;
    EXPECT_EQ(static_cast<int>(WaitStatusOf(event)), 0);
    KeepBusy(producer, work);
    EXPECT_ACL_OK(aclrtRecordEvent(event, producer));
    EXPECT_ACL_OK(aclrtStreamWaitEvent(waiter, event));
    const int status = WaitStatusOf(event);
    EXPECT_ACL_OK(aclrtSynchronizeStream(waiter));
    EXPECT_EQ(static_cast<int>(WaitStatusOf(event)), 0);
    return status == 1;
  }));
  const OwnEvent rerecordable(Kind::kRerecordable);
  auto status = ACL_EVENT_WAIT_STATUS_RESERVED;
  EXPECT_ACL_ERROR(207000, aclrtQueryEventWaitStatus(rerecordable, &status));
  EXPECT_EQ(status, ACL_EVENT_WAIT_STATUS_RESERVED);
}

// 4: "returns microseconds since device boot"; errors as of the elapsed time.
TEST_F(EventTest, TimestampsAreMicrosecondsOfTheDevice) {
  const OwnStream stream;
  const OwnEvent start;
  const OwnEvent end;
  const OwnEvent untimed(Kind::kClassic, ACL_EVENT_SYNC);
  const OwnEvent external(Kind::kClassic, ACL_EVENT_EXTERNAL);
  uint64_t us = 7;
  EXPECT_ACL_ERROR(507000, aclrtEventGetTimestamp(start, &us));
  ASSERT_ACL_OK(aclrtRecordEvent(start, stream));
  KeepBusy(stream);
  ASSERT_ACL_OK(aclrtRecordEvent(end, stream));
  ASSERT_ACL_OK(aclrtRecordEvent(untimed, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_ACL_ERROR(107006, aclrtEventGetTimestamp(untimed, &us));
  EXPECT_ACL_ERROR(207000, aclrtEventGetTimestamp(external, &us));
  EXPECT_EQ(us, 7u);
  uint64_t start_us = 0;
  uint64_t end_us = 0;
  ASSERT_ACL_OK(aclrtEventGetTimestamp(start, &start_us));
  ASSERT_ACL_OK(aclrtEventGetTimestamp(end, &end_us));
  EXPECT_NEAR(static_cast<double>(end_us) - static_cast<double>(start_us),
              double{Elapsed(start, end)} * 1000, 1.1);
}

// 4, 18: small integers; "Hardware id is claimed at first record".
TEST_F(EventTest, RecordedEventsHaveIdsOfTheirOwn) {
  const OwnEvent a;
  const OwnEvent b;
  uint32_t left = 0;
  ASSERT_ACL_OK(aclrtGetEventAvailNum(&left));
  EXPECT_LE(left, 65536u);
  uint32_t id = 7;
  EXPECT_ACL_ERROR(507000, aclrtGetEventId(a, &id));
  EXPECT_EQ(id, 7u);
  ASSERT_ACL_OK(aclrtRecordEvent(a, nullptr));
  ASSERT_ACL_OK(aclrtRecordEvent(b, nullptr));
  uint32_t id_a = ~0u;
  uint32_t id_b = ~0u;
  ASSERT_ACL_OK(aclrtGetEventId(a, &id_a));
  ASSERT_ACL_OK(aclrtGetEventId(b, &id_b));
  EXPECT_NE(id_a, id_b);
  EXPECT_LT(id_a, 65536u);
  EXPECT_LT(id_b, 65536u);
  uint32_t left_after = 0;
  ASSERT_ACL_OK(aclrtGetEventAvailNum(&left_after));
  EXPECT_EQ(left_after, left - 2);
  InThread([&] {
    EXPECT_ACL_ERROR(107002, aclrtGetEventId(a, &id));
    EXPECT_ACL_ERROR(107002, aclrtGetEventAvailNum(&id));
  });
  EXPECT_EQ(id, 7u);
}

// 4: seconds, negative 107000; 0 and the default of aclrtSetOpWaitTimeout are
// for ever.
TEST_F(EventTest, StreamsMayWaitForAWhile) {
  const OwnStream producer;
  const OwnEvent event;
  const OwnEvent only_timed(Kind::kClassic, ACL_EVENT_TIME_LINE);
  KeepBusy(producer);
  ASSERT_ACL_OK(aclrtRecordEvent(event, producer));
  EXPECT_ACL_ERROR(107000, aclrtStreamWaitEventWithTimeout(nullptr, event, -1));
  EXPECT_ACL_ERROR(107000,
                   aclrtStreamWaitEventWithTimeout(nullptr, event, INT32_MIN));
  EXPECT_ACL_ERROR(207000,
                   aclrtStreamWaitEventWithTimeout(nullptr, only_timed, 1));
  for (const int32_t seconds : {0, 3600, INT32_MAX}) {
    ASSERT_ACL_OK(aclrtStreamWaitEventWithTimeout(nullptr, event, seconds));
  }
  for (const uint32_t seconds : {3600u, UINT32_MAX, 0u}) {
    ASSERT_ACL_OK(aclrtSetOpWaitTimeout(seconds));
    ASSERT_ACL_OK(aclrtStreamWaitEvent(nullptr, event));
  }
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
}

// 4, 13: "exhaustion (65536 per device) shows as 207007" at the first record;
// "creation never fails for lack of ids".
TEST_F(EventTest, EventsRunOutAndComeBack) {
  constexpr size_t kEventsMax = 65536;
  std::vector<aclrtEvent> events(kEventsMax + 1);
  for (aclrtEvent& event : events) ASSERT_ACL_OK(aclrtCreateEvent(&event));
  for (size_t i = 0; i < kEventsMax; ++i) {
    ASSERT_ACL_OK(aclrtRecordEvent(events[i], nullptr));
  }
  EXPECT_ACL_ERROR(207007, aclrtRecordEvent(events.back(), nullptr));
  // One that has its id may be recorded again.
  ASSERT_ACL_OK(aclrtDestroyEvent(events.front()));
  ASSERT_ACL_OK(aclrtRecordEvent(events.back(), nullptr));
  ASSERT_ACL_OK(aclrtSynchronizeEvent(events.back()));
  for (size_t i = 1; i < events.size(); ++i) {
    ASSERT_ACL_OK(aclrtDestroyEvent(events[i]));
  }
}

// 4: a wait of the device expires, with the time-out of the call or the default
// of aclrtSetOpWaitTimeout; later work of the stream runs. What it waits for is
// held up by a notify, since nothing expires while the host is late with work.
TEST_F(EventTest, AWaitOfTheDeviceExpires) {
  const OwnStream held;
  const OwnStream waiting;
  const OwnEvent event(Kind::kRerecordable);
  aclrtNotify notify = nullptr;
  ASSERT_ACL_OK(aclrtCreateNotify(&notify, 0));
  ASSERT_ACL_OK(aclrtWaitAndResetNotify(notify, held, 0));
  ASSERT_ACL_OK(aclrtRecordEvent(event, held));
  ASSERT_ACL_OK(aclrtStreamWaitEventWithTimeout(waiting, event, 1));
  EXPECT_ACL_ERROR(507047, aclrtSynchronizeStream(waiting));
  ASSERT_ACL_OK(aclrtSetOpWaitTimeout(1));
  ASSERT_ACL_OK(aclrtStreamWaitEvent(waiting, event));
  EXPECT_ACL_ERROR(507047, aclrtSynchronizeStream(waiting));
  ASSERT_ACL_OK(aclrtSetOpWaitTimeout(0));
  ASSERT_ACL_OK(aclrtRecordNotify(notify, waiting));
  ASSERT_ACL_OK(aclrtSynchronizeStream(held));
  ASSERT_ACL_OK(aclrtDestroyNotify(notify));
}

}  // namespace
}  // namespace ascend::conformance
