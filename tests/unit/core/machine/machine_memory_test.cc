// Memory: malloc, free, quarantine and waiting for it.

#include "core/mem/device_window.h"
#include "gtest/gtest.h"
#include "tests/testing/machine_harness.h"

namespace ascend::core {
namespace {

class MachineMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    client_.CreateContext();
    stream_ = client_.default_stream;
  }

  MachineHarness harness_;
  TestClient client_{harness_, 1, 0, /*quota_bytes=*/64 * kMib};
  StreamHandle stream_;
};

TEST_F(MachineMemoryTest, MallocGivesAnAddressOfTheDevice) {
  const uint64_t address = client_.Malloc(kMib);
  EXPECT_GE(address, DeviceWindowVa(DeviceId(0)));
  EXPECT_LT(address, DeviceWindowVa(DeviceId(1)));
  EXPECT_GE(client_.Usage().hbm_used_bytes, kMib);
  client_.Send(Free{address});
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.Usage().hbm_used_bytes, 0u);
  EXPECT_GE(client_.Usage().hbm_peak_bytes, kMib);
}

TEST_F(MachineMemoryTest, MallocBeyondTheQuotaIsRefusedAtOnce) {
  const Ticket ticket =
      client_.Send(Malloc{DeviceId(0), 65 * kMib, kHugeFirst});
  harness_.RunUntilQuiet();
  ASSERT_NE(client_.ReplyTo(ticket), nullptr);
  EXPECT_EQ(ReasonOf(client_.ReplyTo(ticket)->status),
            Reason::kOutOfDeviceMemory);
}

TEST_F(MachineMemoryTest, MallocOnAnUnknownDeviceIsRefused) {
  const Ticket ticket = client_.Send(Malloc{DeviceId(9), kMib, kHugeFirst});
  harness_.RunUntilQuiet();
  ASSERT_NE(client_.ReplyTo(ticket), nullptr);
  EXPECT_EQ(ReasonOf(client_.ReplyTo(ticket)->status), Reason::kUnknownDevice);
}

TEST_F(MachineMemoryTest, FreedMemoryStaysUntilEarlierTasksHaveRetired) {
  const uint64_t address = client_.Malloc(kMib);
  client_.Launch(
      stream_,
      {.vector_ticks = Microseconds(100), .address = address, .bytes = kMib});
  client_.Send(Free{address});
  harness_.RunUntil(Microseconds(50));
  EXPECT_GE(harness_.machine->GetDeviceUsage(DeviceId(0)).hbm_quarantined_bytes,
            kMib);
  harness_.RunUntilQuiet();
  EXPECT_EQ(harness_.machine->GetDeviceUsage(DeviceId(0)).hbm_quarantined_bytes,
            0u);
}

// Which of two lanes is ahead is the host's affair; what one launched before
// the other freed has its memory.
TEST_F(MachineMemoryTest, AFreeComesAfterEarlierCommandsOfLaterStamps) {
  const uint64_t address = client_.Malloc(kMib);
  const Tick now = harness_.machine->now();
  client_.Launch(
      stream_,
      {.vector_ticks = Microseconds(100), .address = address, .bytes = kMib}, 1,
      kTestMix, now + Microseconds(50), LaneId(1));
  client_.Send(Free{address}, now + Microseconds(10), LaneId(2));
  const Ticket after =
      client_.SynchronizeStream(stream_, now + Microseconds(60), LaneId(2));
  harness_.RunUntil(now + Microseconds(20));
  EXPECT_GE(client_.Usage().hbm_used_bytes, kMib);
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.Violation(), "");
  ASSERT_NE(client_.ReplyTo(after), nullptr);
  EXPECT_TRUE(client_.ReplyTo(after)->status.ok())
      << client_.ReplyTo(after)->status;
  EXPECT_EQ(client_.Usage().hbm_used_bytes, 0u);
}

TEST_F(MachineMemoryTest, AFreeThatWaitsEndsWithItsSession) {
  const uint64_t address = client_.Malloc(kMib);
  const Tick now = harness_.machine->now();
  client_.Launch(stream_, {}, 1, kTestMix, now + Microseconds(50), LaneId(1));
  client_.Send(Free{address}, now + Microseconds(10), LaneId(2));
  harness_.RunUntil(now + Microseconds(20));
  harness_.machine->CloseSession(client_.session);
  harness_.RunUntilQuiet();
  EXPECT_EQ(harness_.machine->GetDeviceUsage(DeviceId(0)).hbm_used_bytes, 0u);
}

TEST_F(MachineMemoryTest, QuarantineWaitsForEarlierTasksOfOtherStreamsToo) {
  const ContextHandle context = client_.CreateContext();
  const StreamHandle other = client_.CreateStream(context);
  const uint64_t address = client_.Malloc(kMib);
  client_.Launch(other, {.vector_ticks = Microseconds(200)});
  client_.Launch(stream_, {.vector_ticks = Microseconds(10)});
  client_.Send(Free{address});
  harness_.RunUntil(Microseconds(100));
  EXPECT_GT(harness_.machine->GetDeviceUsage(DeviceId(0)).hbm_quarantined_bytes,
            0u);
  harness_.RunUntilQuiet();
  EXPECT_EQ(harness_.machine->GetDeviceUsage(DeviceId(0)).hbm_quarantined_bytes,
            0u);
}

TEST_F(MachineMemoryTest, MallocWaitsForQuarantineWithoutBlockingOtherLanes) {
  const uint64_t address = client_.Malloc(60 * kMib);
  ASSERT_NE(address, 0u);
  client_.Launch(stream_, {.vector_ticks = Microseconds(100)});
  client_.Send(Free{address});
  const Ticket malloc =
      client_.Send(Malloc{DeviceId(0), 60 * kMib, kHugeFirst}, 0, LaneId(1));
  const Ticket query = client_.Send(QueryStream{stream_}, 0, LaneId(2));
  harness_.RunUntil(Microseconds(50));
  EXPECT_EQ(client_.ReplyTo(malloc), nullptr);
  EXPECT_NE(client_.ReplyTo(query), nullptr);
  harness_.RunUntilQuiet();
  const Reply* reply = client_.ReplyTo(malloc);
  ASSERT_NE(reply, nullptr);
  EXPECT_TRUE(reply->status.ok()) << reply->status;
  EXPECT_EQ(reply->lane, LaneId(1));
  EXPECT_EQ(reply->tick, harness_.machine->now());
}

TEST_F(MachineMemoryTest, MallocThatQuarantineCannotServeIsRefusedAtOnce) {
  const uint64_t address = client_.Malloc(20 * kMib);
  client_.Launch(stream_, {.vector_ticks = Microseconds(100)});
  client_.Send(Free{address});
  const Ticket malloc =
      client_.Send(Malloc{DeviceId(0), 65 * kMib, kHugeFirst});
  harness_.RunUntil(Microseconds(1));
  ASSERT_NE(client_.ReplyTo(malloc), nullptr);
  EXPECT_EQ(ReasonOf(client_.ReplyTo(malloc)->status),
            Reason::kOutOfDeviceMemory);
}

TEST_F(MachineMemoryTest, ACancelledMallocTakesNothing) {
  const uint64_t address = client_.Malloc(60 * kMib);
  client_.Launch(stream_, {.vector_ticks = Microseconds(100)});
  client_.Send(Free{address});
  const Ticket malloc =
      client_.Send(Malloc{DeviceId(0), 60 * kMib, kHugeFirst});
  client_.Send(CancelWait{malloc});
  harness_.RunUntilQuiet();
  EXPECT_EQ(client_.ReplyTo(malloc), nullptr);
  EXPECT_EQ(client_.Usage().hbm_used_bytes, 0u);
}

TEST_F(MachineMemoryTest, FreeOfAnythingButABaseEndsTheSession) {
  const uint64_t address = client_.Malloc(kMib);
  client_.Send(Free{address + 64});
  harness_.RunUntilQuiet();
  EXPECT_NE(client_.Violation(), "");
  EXPECT_TRUE(client_.is_closed());
  EXPECT_TRUE(harness_.backing.live.empty());
}

TEST_F(MachineMemoryTest, MemInfoTellsTheQuota) {
  const Ticket ticket = client_.Send(MemInfo{DeviceId(0)});
  harness_.RunUntilQuiet();
  ASSERT_NE(client_.ReplyTo(ticket), nullptr);
  const auto& info = std::get<MemInfoReply>(client_.ReplyTo(ticket)->payload);
  EXPECT_EQ(info.total_bytes, 64 * kMib);
  EXPECT_EQ(info.free_bytes, 64 * kMib);
}

}  // namespace
}  // namespace ascend::core
