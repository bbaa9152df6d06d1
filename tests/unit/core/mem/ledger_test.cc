#include "core/mem/ledger.h"

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

TEST(Ledger, EveryEntryKeepsTheSum) {
  DeviceLedger device(1000);
  SessionBudget budget;
  SessionLedger session(device, budget);
  session.TakeFromPool(600);
  device.CheckBalance();
  session.Reserve(256, 200);
  session.Reserve(128, 1);
  device.CheckBalance();
  session.Quarantine(256, 200);
  device.CheckBalance();
  EXPECT_EQ(device.usage().pool_bytes, 400u);
  EXPECT_EQ(session.usage().reserved_bytes, 128u);
  EXPECT_EQ(session.usage().used_bytes, 1u);
  EXPECT_EQ(session.usage().quarantined_bytes, 256u);
  EXPECT_EQ(session.usage().idle_bytes, 216u);
  EXPECT_EQ(session.usage().reserved_bytes_max, 384u);
  EXPECT_EQ(budget.claimed_bytes, 384u);
  EXPECT_EQ(budget.held_bytes, 600u);
  session.Retire(256);
  EXPECT_EQ(budget.claimed_bytes, 128u);
  session.Quarantine(128, 1);
  session.Retire(128);
  session.ReturnToPool(600);
  EXPECT_TRUE(session.IsZero());
  EXPECT_EQ(device.usage().pool_bytes, 1000u);
  device.CheckBalance();
}

TEST(LedgerDeathTest, NoAccountGoesBelowZero) {
  DeviceLedger device(1000);
  SessionBudget budget;
  SessionLedger session(device, budget);
  session.TakeFromPool(500);
  EXPECT_DEATH(session.TakeFromPool(501), "from an account of 500");
  EXPECT_DEATH(session.Quarantine(128, 1), "from an account of 0");
  EXPECT_DEATH(session.Retire(1), "from an account of 0");
  EXPECT_DEATH(session.ReturnToPool(501), "from an account of 500");
}

TEST(LedgerDeathTest, OneSessionCannotReturnWhatAnotherHolds) {
  DeviceLedger device(1000);
  SessionBudget budget_a, budget_b;
  SessionLedger a(device, budget_a), b(device, budget_b);
  a.TakeFromPool(500);
  EXPECT_DEATH(b.ReturnToPool(1), "from an account of 0");
}

}  // namespace
}  // namespace ascend::core
