#include "core/sched/tenant_shares.h"

#include "gtest/gtest.h"
#include "tests/unit/core/sched/device_and_tenants.h"

namespace ascend::core {
namespace {

constexpr Claim kCompute = {.cube = 1, .aiv = 1};
constexpr Claim kCopy = {.dma = 1};

class TenantSharesTest : public ::testing::Test {
 protected:
  // In ticks of the whole device.
  int64_t Of(TenantId tenant) const {
    return static_cast<int64_t>(shares_.VirtualTime(tenant) >> 32);
  }
  // One request from beginning to end, at once.
  void Serve(TenantId tenant, const Claim& claim, Tick ticks) {
    Wait(tenant, claim);
    shares_.StopWaiting(tenant, claim);
    shares_.Charge(tenant, claim, ticks);
    shares_.Leave(tenant, claim);
  }
  void Wait(TenantId tenant, const Claim& claim) {
    shares_.Enter(tenant, claim);
    shares_.StartWaiting(tenant, claim);
  }

  TenantShares shares_{kDevice};
};

TEST_F(TenantSharesTest, UseCountsByPartOfTheDeviceAndTime) {
  EXPECT_EQ(Of(kA), 0);
  shares_.Charge(kA, kDevice, 100);
  EXPECT_EQ(Of(kA), 100);
  shares_.Charge(kA, {.cube = 2}, 80);
  EXPECT_EQ(Of(kA), 120);
  EXPECT_EQ(Of(kB), 0);
}

TEST_F(TenantSharesTest, TheKindOfWhichMostIsHeldCounts) {
  shares_.Charge(kA, {.cube = 2, .aiv = 1, .dma = 2}, 100);
  EXPECT_EQ(Of(kA), 50);
  shares_.Charge(kB, {.cube = 1, .aiv = 6, .dma = 2}, 100);
  EXPECT_EQ(Of(kB), 75);
}

TEST_F(TenantSharesTest, AWeightMakesUseCountLess) {
  shares_.SetWeight(kA, 4);
  shares_.Charge(kA, kDevice, 100);
  EXPECT_EQ(Of(kA), 25);
}

TEST_F(TenantSharesTest, MonthsOfUseOfAWholeDeviceCanBeTold) {
  for (int i = 0; i < 4; ++i) shares_.Charge(kA, kDevice, kTickMax / 4);
  shares_.Charge(kB, kDevice, kTickMax / 4 * 3);
  EXPECT_GT(shares_.VirtualTime(kA), shares_.VirtualTime(kB));
}

TEST_F(TenantSharesTest, AKindThatTheDeviceLacksCountsNothing) {
  TenantShares shares({.cube = 8});
  shares.Charge(kA, {.cube = 8}, 10);
  EXPECT_EQ(shares.VirtualTime(kA), UsageTicks{10} << 32);
}

TEST_F(TenantSharesTest, IdleTimeIsNoCredit) {
  Serve(kA, kDevice, 1000);
  Wait(kA, kDevice);
  Wait(kB, kDevice);
  EXPECT_EQ(Of(kB), 1000);
}

// A stream between two kernels waits for nothing. Who comes at such an instant
// must not get all the time that the other has had before.
TEST_F(TenantSharesTest, IdleTimeIsNoCreditWhenNobodyWaitsEither) {
  Serve(kA, kDevice, 1000);
  Wait(kB, kDevice);
  EXPECT_EQ(Of(kB), 1000);
}

TEST_F(TenantSharesTest, OneThatComesStartsWhereTheLeastOfThoseThatWaitIs) {
  Wait(kA, kDevice);
  Wait(kB, kDevice);
  shares_.Charge(kA, kDevice, 1000);
  shares_.Charge(kB, kDevice, 600);
  Wait(kC, kDevice);
  EXPECT_EQ(Of(kC), 600);
}

TEST_F(TenantSharesTest, OneThatComesBackKeepsWhatItHasHadAbove) {
  Wait(kB, kDevice);
  Serve(kA, kDevice, 1000);
  Wait(kA, kDevice);
  EXPECT_EQ(Of(kA), 1000);
  EXPECT_EQ(Of(kB), 0);
}

TEST_F(TenantSharesTest, ATenantWaitsUntilTheLastOfItsRequestsDoesNot) {
  Wait(kA, kDevice);
  Wait(kA, kDevice);
  Wait(kB, kDevice);
  shares_.Charge(kB, kDevice, 500);
  shares_.StopWaiting(kA, kDevice);
  Wait(kC, kDevice);
  EXPECT_EQ(Of(kC), 0);
  shares_.StopWaiting(kC, kDevice);
  shares_.Leave(kC, kDevice);
  shares_.StopWaiting(kA, kDevice);
  Wait(kC, kDevice);
  EXPECT_EQ(Of(kC), 500);
}

// A copies a little and gets all that it asks for, B computes all the time. C
// comes to compute: it competes with B, and starts where B is.
TEST_F(TenantSharesTest, OnlyThoseWhoWaitForTheSameKindCount) {
  Wait(kA, kCopy);
  Wait(kB, kCompute);
  shares_.Charge(kA, kDevice, 10);
  shares_.Charge(kB, kDevice, 10000);
  Wait(kC, kCompute);
  EXPECT_EQ(Of(kC), 10000);
}

TEST_F(TenantSharesTest, ANewKindLiftsOneWhoWaitsForAnother) {
  Wait(kA, kCopy);
  Wait(kB, kCompute);
  shares_.Charge(kB, kDevice, 10000);
  Wait(kA, kCompute);
  EXPECT_EQ(Of(kA), 10000);
  // It is in order among those who copy, too.
  Wait(kC, kCopy);
  EXPECT_EQ(Of(kC), 10000);
}

// A has all that it asks for, B waits. When A asks for more than it gets, it
// may be behind for a while, but not for all the time before.
TEST_F(TenantSharesTest, OneThatHadWhatItAskedForIsBehindByItsCreditAtMost) {
  const auto credit = static_cast<int64_t>(TenantShares::kCredit >> 32);
  Wait(kA, kCompute);
  shares_.StopWaiting(kA, kCompute);  // and holds
  Wait(kB, kDevice);
  shares_.Charge(kB, kDevice, credit / 2);
  Wait(kA, kCompute);
  EXPECT_EQ(Of(kA), 0);
  shares_.StopWaiting(kA, kCompute);
  shares_.Charge(kB, kDevice, 5 * credit);
  Wait(kA, kCompute);
  EXPECT_EQ(Of(kA), 5 * credit + credit / 2 - credit);
}

using TenantSharesDeathTest = TenantSharesTest;

TEST_F(TenantSharesDeathTest, RefusesAWeightOfNothingAndAStopTooMany) {
  EXPECT_DEATH(shares_.SetWeight(kA, 0), "no weight");
  EXPECT_DEATH(shares_.StopWaiting(kA, kCopy), "does not wait");
  EXPECT_DEATH(shares_.Leave(kA, kCopy), "has no request");
}

}  // namespace
}  // namespace ascend::core
