#include "client/runtime/handle_map.h"

#include <memory>
#include <set>

#include "core/base/handle.h"
#include "gtest/gtest.h"

namespace ascend::client {
namespace {

using Map = HandleMap<int, HandleKind::kStream>;

TEST(HandleMapTest, FindsWhatWasInserted) {
  Map map;
  void* const a = map.Insert(std::make_unique<int>(1));
  void* const b = map.Insert(std::make_unique<int>(2));
  ASSERT_NE(map.Find(a), nullptr);
  EXPECT_EQ(*map.Find(a), 1);
  EXPECT_EQ(*map.Find(b), 2);
  EXPECT_EQ(map.size(), 2u);
}

TEST(HandleMapTest, AnErasedHandleStaysStaleWhenItsSlotIsUsedAgain) {
  Map map;
  void* const stale = map.Insert(std::make_unique<int>(1));
  EXPECT_EQ(*map.Erase(stale), 1);
  void* const fresh = map.Insert(std::make_unique<int>(2));
  EXPECT_NE(stale, fresh);
  EXPECT_EQ(map.Find(stale), nullptr);
  EXPECT_EQ(map.Erase(stale), nullptr);
  EXPECT_EQ(*map.Find(fresh), 2);
}

TEST(HandleMapTest, ForeignPointersAreNotDereferenced) {
  Map map;
  map.Insert(std::make_unique<int>(1));
  HandleMap<int, HandleKind::kEvent> events;
  void* const event = events.Insert(std::make_unique<int>(1));
  int local = 0;
  EXPECT_EQ(map.Find(&local), nullptr);
  EXPECT_EQ(map.Find(nullptr), nullptr);
  EXPECT_EQ(map.Find(reinterpret_cast<void*>(~uintptr_t{0})), nullptr);
  EXPECT_EQ(map.Find(reinterpret_cast<void*>(uintptr_t{3})), nullptr);
  EXPECT_EQ(map.Find(event), nullptr);
}

TEST(HandleMapTest, ClearMakesEverythingStale) {
  Map map;
  void* const a = map.Insert(std::make_unique<int>(1));
  map.Clear();
  EXPECT_EQ(map.Find(a), nullptr);
  EXPECT_NE(map.Insert(std::make_unique<int>(1)), a);
  EXPECT_EQ(map.size(), 1u);
}

TEST(HandleMapTest, SelectNamesLiveObjectsOnly) {
  Map map;
  map.Erase(map.Insert(std::make_unique<int>(7)));
  void* const seven = map.Insert(std::make_unique<int>(7));
  map.Insert(std::make_unique<int>(8));
  EXPECT_EQ(map.Select([](int value) { return value == 7; }),
            std::vector<void*>{seven});
}

TEST(HandleMinterTest, KeepsTheDaemonsContract) {
  HandleMinter<core::StreamHandle> minter;
  core::HandleTable<core::StreamHandle, int> daemon(3);
  std::set<uint64_t> seen;
  for (int round = 0; round < 5; ++round) {
    core::StreamHandle handles[3];
    for (core::StreamHandle& handle : handles) {
      handle = minter.Mint();
      EXPECT_TRUE(seen.insert(handle.ToBits()).second);
      EXPECT_TRUE(daemon.Insert(handle, std::make_unique<int>(0)));
    }
    for (const core::StreamHandle& handle : handles) {
      EXPECT_NE(daemon.Erase(handle), nullptr);
      minter.Release(handle);
    }
  }
  EXPECT_EQ(minter.live_count(), 0u);
}

}  // namespace
}  // namespace ascend::client
