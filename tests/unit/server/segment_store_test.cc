#include "server/segment_store.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "core/base/error.h"
#include "gtest/gtest.h"
#include "server/descriptor_limit.h"
#include "tests/unit/server/latch.h"

namespace ascend::server {
namespace {

using core::DeviceId;
using core::SegmentKey;
using core::SegmentWindow;
using core::SessionId;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kRegion = 0x120000000000;
constexpr uint64_t kRegionBytes = 64 * kMiB;
constexpr uint64_t kSegmentBytes = 2 * kMiB;
constexpr SessionId kA{1};
constexpr SessionId kB{2};

SegmentKey Key(SessionId session, uint32_t id) {
  return SegmentKey{session, DeviceId(0), id};
}

SegmentWindow Window(uint64_t offset, uint64_t bytes = kSegmentBytes) {
  return SegmentWindow{kRegion + offset, bytes, kRegion, kRegionBytes};
}

bool IsZero(const SegmentStore::Lease& lease) {
  return std::all_of(lease.data(), lease.data() + lease.bytes(),
                     [](std::byte b) { return b == std::byte{0}; });
}

class SegmentStoreTest : public testing::Test {
 protected:
  SegmentStore::Lease Map(SessionId session, uint64_t offset, uint64_t bytes) {
    auto lease = store_.Map(session, kRegion + offset, bytes);
    EXPECT_TRUE(lease.ok()) << lease.status();
    if (!lease.ok()) return SegmentStore::Lease();
    lease->Settle();
    return *lease;
  }

  // Everything that was handed to the pool before is done.
  void DrainPool() {
    Latch drained;
    pool_.Submit(CopyPool::kNobody, [&] {
      drained.Open();
      return false;
    });
    ASSERT_TRUE(drained.Wait());
  }

  // Pages of memory files that this process has in its mappings, in bytes.
  static uint64_t SharedResidentBytes() {
    std::ifstream status("/proc/self/status");
    std::string word;
    uint64_t kib = 0;
    while (status >> word) {
      if (word == "RssShmem:") status >> kib;
    }
    return kib * 1024;
  }

  CopyPool pool_{1};
  SegmentStore store_{pool_};
};

TEST_F(SegmentStoreTest, AFreshSegmentReadsZeroAndKeepsWhatIsWritten) {
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(0)).ok());
  const SegmentStore::Lease lease = Map(kA, 0, kSegmentBytes);
  EXPECT_TRUE(IsZero(lease));
  std::memset(lease.data(), 7, kSegmentBytes);
  EXPECT_EQ(Map(kA, 5, 1).data(), lease.data() + 5);
  EXPECT_EQ(*Map(kA, 5, 1).data(), std::byte{7});
}

TEST_F(SegmentStoreTest, SessionsWithTheSameAddressesDoNotSeeEachOther) {
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(0)).ok());
  ASSERT_TRUE(store_.CreateSegment(Key(kB, 1), Window(0)).ok());
  const SegmentStore::Lease a = Map(kA, 0, kSegmentBytes);
  std::memset(a.data(), 0xaa, kSegmentBytes);
  const SegmentStore::Lease b = Map(kB, 0, kSegmentBytes);
  EXPECT_NE(a.data(), b.data());
  EXPECT_TRUE(IsZero(b));
}

TEST_F(SegmentStoreTest, NeighbouringSegmentsAreContiguous) {
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 2), Window(kSegmentBytes)).ok());
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(0)).ok());
  const SegmentStore::Lease both = Map(kA, kSegmentBytes - 8, 16);
  EXPECT_EQ(both.data(), Map(kA, 0, 1).data() + kSegmentBytes - 8);
  std::memset(both.data(), 9, 16);
  EXPECT_EQ(*Map(kA, kSegmentBytes + 7, 1).data(), std::byte{9});
}

TEST_F(SegmentStoreTest, WhatIsNotMappedIsRefused) {
  EXPECT_FALSE(store_.Map(kA, kRegion, 1).ok());
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(kSegmentBytes)).ok());
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 2), Window(3 * kSegmentBytes)).ok());
  EXPECT_FALSE(store_.Map(kB, kRegion + kSegmentBytes, 1).ok());
  EXPECT_FALSE(store_.Map(kA, kRegion + kSegmentBytes - 1, 2).ok());
  EXPECT_FALSE(store_.Map(kA, kRegion + 2 * kSegmentBytes - 1, 2).ok());
  EXPECT_FALSE(
      store_.Map(kA, kRegion + kSegmentBytes, 2 * kSegmentBytes + 1).ok());
  EXPECT_FALSE(store_.Map(kA, 0, 1).ok());
  EXPECT_FALSE(store_.Map(kA, kRegion + kSegmentBytes, ~uint64_t{0}).ok());
  EXPECT_EQ(core::ReasonOf(store_.Map(kA, 0, 1).status()),
            core::Reason::kInternal);
}

TEST_F(SegmentStoreTest, AScrubbedRangeReadsZeroAndTheRestStays) {
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(0)).ok());
  std::memset(Map(kA, 0, kSegmentBytes).data(), 0x5a, kSegmentBytes);
  store_.Scrub(Key(kA, 1), 8192, 4096);
  EXPECT_TRUE(IsZero(Map(kA, 8192, 4096)));
  EXPECT_EQ(*Map(kA, 8191, 1).data(), std::byte{0x5a});
  EXPECT_EQ(*Map(kA, 12288, 1).data(), std::byte{0x5a});
}

TEST_F(SegmentStoreTest, ABusyPoolDoesNotShowScrubbedBytes) {
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(0)).ok());
  std::memset(Map(kA, 0, kSegmentBytes).data(), 0x5a, kSegmentBytes);
  Latch release_pool;
  pool_.Submit(kB, [&] {
    release_pool.Wait();
    return false;
  });
  store_.Scrub(Key(kA, 1), 0, kSegmentBytes);
  const SegmentStore::Lease lease = Map(kA, 0, kSegmentBytes);
  EXPECT_TRUE(IsZero(lease));
  // And what is written now outlives the pool's own turn at the hole.
  std::memset(lease.data(), 1, kSegmentBytes);
  release_pool.Open();
  DrainPool();
  EXPECT_EQ(*lease.data(), std::byte{1});
}

TEST_F(SegmentStoreTest, ReleasedMemoryGoesBackToTheHost) {
  const uint64_t before = SharedResidentBytes();
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(0, kRegionBytes)).ok());
  std::memset(Map(kA, 0, kRegionBytes).data(), 1, kRegionBytes);
  EXPECT_GE(SharedResidentBytes(), before + kRegionBytes);
  store_.ReleaseSegment(Key(kA, 1));
  DrainPool();
  EXPECT_LT(SharedResidentBytes(), before + kRegionBytes / 8);
  EXPECT_EQ(store_.segment_count(), 0u);
}

TEST_F(SegmentStoreTest, ScrubbedMemoryGoesBackToTheHost) {
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(0, kRegionBytes)).ok());
  std::memset(Map(kA, 0, kRegionBytes).data(), 1, kRegionBytes);
  const uint64_t before = SharedResidentBytes();
  store_.Scrub(Key(kA, 1), 0, kRegionBytes);
  DrainPool();
  EXPECT_LT(SharedResidentBytes(), before - kRegionBytes * 7 / 8);
}

TEST_F(SegmentStoreTest, ALeaseOutlivesTheRelease) {
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(0)).ok());
  {
    const SegmentStore::Lease lease = Map(kA, 0, kSegmentBytes);
    store_.ReleaseSegment(Key(kA, 1));
    DrainPool();
    std::memset(lease.data(), 3, kSegmentBytes);
    EXPECT_EQ(*lease.data(), std::byte{3});
  }
  EXPECT_FALSE(store_.Map(kA, kRegion, 1).ok());
}

TEST_F(SegmentStoreTest, AReleasedPlaceServesALaterSegment) {
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(0, 4 * kMiB)).ok());
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 2), Window(8 * kMiB)).ok());
  std::memset(Map(kA, 0, 4 * kMiB).data(), 4, 4 * kMiB);
  Latch release_pool;
  pool_.Submit(kB, [&] {
    release_pool.Wait();
    return false;
  });
  store_.ReleaseSegment(Key(kA, 1));
  // Before the pool has come to the old one, and across half of its place.
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 3), Window(2 * kMiB)).ok());
  const SegmentStore::Lease lease = Map(kA, 2 * kMiB, kSegmentBytes);
  EXPECT_TRUE(IsZero(lease));
  std::memset(lease.data(), 6, kSegmentBytes);
  release_pool.Open();
  DrainPool();
  EXPECT_EQ(*lease.data(), std::byte{6});
  EXPECT_EQ(lease.data()[kSegmentBytes - 1], std::byte{6});
}

TEST_F(SegmentStoreTest, ARegionsAddressesServeALaterRegion) {
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 1), Window(0)).ok());
  std::memset(Map(kA, 0, kSegmentBytes).data(), 4, kSegmentBytes);
  store_.ReleaseSegment(Key(kA, 1));
  const SegmentWindow larger{kRegion, 4 * kMiB, kRegion, 2 * kRegionBytes};
  ASSERT_TRUE(store_.CreateSegment(Key(kA, 2), larger).ok());
  EXPECT_TRUE(IsZero(Map(kA, 0, 4 * kMiB)));
}

TEST_F(SegmentStoreTest, ManySegmentsComeAndGoWithoutLeavingAnything) {
  const auto count_mappings = [] {
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  };
  const auto before = count_mappings();
  for (int round = 0; round < 20; ++round) {
    for (uint32_t i = 0; i < 30; ++i) {
      ASSERT_TRUE(
          store_.CreateSegment(Key(kA, i + 1), Window(i * kSegmentBytes)).ok());
    }
    for (uint32_t i = 0; i < 30; ++i) store_.ReleaseSegment(Key(kA, i + 1));
  }
  DrainPool();
  // 600 segments were there; a sanitizer's own mappings come and go as well.
  EXPECT_LE(count_mappings(), before + 60);
}

TEST(DescriptorLimitTest, IsAsHighAsAllowed) {
  const uint64_t limit = RaiseDescriptorLimit();
  EXPECT_GE(limit, 1024u);
  EXPECT_EQ(RaiseDescriptorLimit(), limit);
}

}  // namespace
}  // namespace ascend::server
