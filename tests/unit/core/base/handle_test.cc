#include "core/base/handle.h"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

using Table = HandleTable<StreamHandle, int>;

TEST(HandleTest, BitsRoundTrip) {
  const StreamHandle handle{7, 0x80000001u};
  EXPECT_EQ(StreamHandle::FromBits(handle.ToBits()), handle);
  EXPECT_TRUE(StreamHandle::FromBits(0).is_null());
}

TEST(HandleTableTest, FindsOnlyTheLiveGeneration) {
  Table table(4);
  ASSERT_TRUE(table.Insert({1, 5}, std::make_unique<int>(50)));
  EXPECT_EQ(*table.Find({1, 5}), 50);
  EXPECT_EQ(table.Find({1, 4}), nullptr);
  EXPECT_EQ(table.Find({1, 6}), nullptr);
  EXPECT_EQ(table.Find({0, 5}), nullptr);
  EXPECT_EQ(table.Find({900, 5}), nullptr);
  EXPECT_EQ(table.Find({1, 0}), nullptr);
}

TEST(HandleTableTest, ReuseOfAnIndexNeedsALargerGeneration) {
  Table table(4);
  ASSERT_TRUE(table.Insert({2, 5}, std::make_unique<int>(1)));
  EXPECT_FALSE(table.Insert({2, 6}, std::make_unique<int>(2))) << "occupied";
  EXPECT_EQ(*table.Erase({2, 5}), 1);
  EXPECT_FALSE(table.Insert({2, 5}, std::make_unique<int>(2))) << "stale";
  EXPECT_FALSE(table.Insert({2, 4}, std::make_unique<int>(2))) << "older";
  EXPECT_TRUE(table.Insert({2, 6}, std::make_unique<int>(2)));
  EXPECT_EQ(table.Find({2, 5}), nullptr);
}

TEST(HandleTableTest, RefusesNullAndIndicesPastItsCapacity) {
  Table table(4);
  EXPECT_FALSE(table.Insert({0, 0}, std::make_unique<int>(1)));
  EXPECT_FALSE(table.Insert({4, 1}, std::make_unique<int>(1)));
  EXPECT_FALSE(table.Insert({0xffffffffu, 1}, std::make_unique<int>(1)));
  EXPECT_EQ(table.size(), 0u);
}

// Random verbs against a map that keeps the contract the slow way.
TEST(HandleTableTest, AgreesWithANaiveModel) {
  constexpr uint32_t kSeed = 20240611;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  constexpr uint32_t kCapacity = 8;
  Table table(kCapacity);
  std::map<uint32_t, uint32_t> newest;  // index -> generation
  std::map<uint64_t, int> live;         // bits -> object
  for (int step = 0; step < 20000; ++step) {
    const StreamHandle handle{static_cast<uint32_t>(random() % (kCapacity + 2)),
                              static_cast<uint32_t>(random() % 64)};
    if (random() % 2 == 0) {
      bool occupied = false;
      for (const auto& [bits, object] : live) {
        occupied |= StreamHandle::FromBits(bits).index == handle.index;
      }
      const bool legal = !handle.is_null() && handle.index < kCapacity &&
                         !occupied && handle.generation > newest[handle.index];
      ASSERT_EQ(table.Insert(handle, std::make_unique<int>(step)), legal);
      if (legal) {
        newest[handle.index] = handle.generation;
        live[handle.ToBits()] = step;
      }
    } else {
      const auto found = live.find(handle.ToBits());
      const std::unique_ptr<int> erased = table.Erase(handle);
      ASSERT_EQ(erased != nullptr, found != live.end());
      if (found == live.end()) continue;
      ASSERT_EQ(*erased, found->second);
      live.erase(found);
    }
    ASSERT_EQ(table.size(), live.size());
  }
  table.ForEach([&live](StreamHandle handle, int object) {
    EXPECT_EQ(live.at(handle.ToBits()), object);
  });
}

}  // namespace
}  // namespace ascend::core
