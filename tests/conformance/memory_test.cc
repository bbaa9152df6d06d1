// semantics 6 and 7: device and host memory.
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/byte_sizes.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using MemoryTest = AclTest;

struct Room {
  size_t free = 0;
  size_t total = 0;
};

Room RoomOf(aclrtMemAttr attribute) {
  Room room{1, 1};
  EXPECT_ACL_OK(aclrtGetMemInfo(attribute, &room.free, &room.total));
  return room;
}

// 6: size 0 and a null out-pointer are 100000.
TEST_F(MemoryTest, MallocRefusesNothingAndNowhere) {
  const ExpectNothingChanges unchanged;
  void* memory = Garbage();
  EXPECT_ACL_ERROR(100000, aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_EQ(memory, Garbage());
  EXPECT_ACL_ERROR(100000, aclrtMalloc(nullptr, 1, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_ACL_ERROR(100000, aclrtMallocHost(&memory, 0));
  EXPECT_EQ(memory, Garbage());
  EXPECT_ACL_ERROR(100000, aclrtMallocHost(nullptr, 1));
}

// 6: free of null 100000; unknown, interior or freed already: 107000.
TEST_F(MemoryTest, FreeTakesTheStartOfALiveAllocationOnce) {
  void* memory = nullptr;
  ASSERT_ACL_OK(aclrtMalloc(&memory, kMiB, ACL_MEM_MALLOC_HUGE_FIRST));
  {
    const ExpectNothingChanges unchanged;
    int local = 0;
    EXPECT_ACL_ERROR(100000, aclrtFree(nullptr));
    EXPECT_ACL_ERROR(107000, aclrtFree(static_cast<char*>(memory) + 128));
    EXPECT_ACL_ERROR(107000, aclrtFree(Garbage()));
    EXPECT_ACL_ERROR(107000, aclrtFree(&local));
    EXPECT_ACL_ERROR(107000, aclrtFreeHost(memory));
  }
  EXPECT_ACL_OK(aclrtFree(memory));
  EXPECT_ACL_ERROR(107000, aclrtFree(memory));
}

// 7: page-locked memory: null 100000, unknown or freed already 107000.
TEST_F(MemoryTest, FreeHostTakesTheStartOfALiveBlockOnce) {
  void* block = nullptr;
  ASSERT_ACL_OK(aclrtMallocHost(&block, 1000));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
  std::memset(block, 7, 1000);
  EXPECT_ACL_ERROR(100000, aclrtFreeHost(nullptr));
  EXPECT_ACL_ERROR(107000, aclrtFreeHost(static_cast<char*>(block) + 64));
  EXPECT_ACL_ERROR(107000, aclrtFreeHost(Garbage()));
  EXPECT_ACL_ERROR(107000, aclrtFree(block));
  EXPECT_ACL_OK(aclrtFreeHost(block));
  EXPECT_ACL_ERROR(107000, aclrtFreeHost(block));
}

// 13: a thread without context gets 107002.
TEST_F(MemoryTest, DeviceMemoryNeedsAContext) {
  DeviceArray<char> memory(64);
  InThread([&] {
    void* other = Garbage();
    size_t free = 3;
    size_t total = 4;
    EXPECT_ACL_ERROR(107002,
                     aclrtMalloc(&other, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_EQ(other, Garbage());
    EXPECT_ACL_ERROR(107002, aclrtFree(memory.data()));
    EXPECT_ACL_ERROR(107002, aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    EXPECT_EQ(free, 3u);
    EXPECT_EQ(total, 4u);
    EXPECT_ACL_ERROR(107002, aclrtMemset(memory.data(), 64, 0, 64));
    // Page-locked memory is the host's.
    void* block = nullptr;
    EXPECT_ACL_OK(aclrtMallocHost(&block, 64));
    EXPECT_ACL_OK(aclrtFreeHost(block));
  });
}

// 6: addresses are at least 64-byte aligned (ours 128, the granule), whatever
// policy; and allocations do not overlap.
TEST_F(MemoryTest, AddressesAreAlignedAndApart) {
  std::vector<std::pair<uintptr_t, size_t>> ranges;
  for (const auto policy :
       {ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY,
        ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_HUGE_FIRST_P2P,
        ACL_MEM_MALLOC_HUGE_ONLY_P2P, ACL_MEM_MALLOC_NORMAL_ONLY_P2P}) {
    for (const size_t bytes :
         {size_t{1}, size_t{127}, 4 * kKiB + 1, kMiB + 1, 3 * kMiB}) {
      void* memory = nullptr;
      ASSERT_ACL_OK(aclrtMalloc(&memory, bytes, policy));
      const auto address = reinterpret_cast<uintptr_t>(memory);
      EXPECT_EQ(address % 128, 0u);
      for (const auto& [other, length] : ranges) {
        EXPECT_TRUE(address + bytes <= other || other + length <= address);
      }
      ranges.emplace_back(address, bytes);
    }
  }
  for (const auto& [address, bytes] : ranges) {
    EXPECT_ACL_OK(aclrtFree(reinterpret_cast<void*>(address)));
  }
}

// 6: "the class that the chip lacks: 0/0 success"; null 100000.
TEST_F(MemoryTest, InfoIsOfHbmOnly) {
  const Room hbm = RoomOf(ACL_HBM_MEM);
  EXPECT_EQ(hbm.total, 32 * kGiB);
  EXPECT_EQ(hbm.free, 32 * kGiB);
  EXPECT_EQ(RoomOf(ACL_MEM_NORMAL).total, hbm.total);
  EXPECT_EQ(RoomOf(ACL_DDR_MEM).total, 0u);
  EXPECT_EQ(RoomOf(ACL_DDR_MEM_HUGE).free, 0u);
  size_t value = 3;
  EXPECT_ACL_ERROR(100000, aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &value));
  EXPECT_ACL_ERROR(100000, aclrtGetMemInfo(ACL_HBM_MEM, &value, nullptr));
  size_t other = 4;
  EXPECT_ACL_ERROR(
      107000, aclrtGetMemInfo(static_cast<aclrtMemAttr>(77), &value, &other));
  EXPECT_EQ(value, 3u);
  EXPECT_EQ(other, 4u);
}

}  // namespace
}  // namespace ascend::conformance
