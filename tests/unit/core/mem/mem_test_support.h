// A memory manager over a fake backing, with the calls that tests repeat.
#ifndef ASCEND_TESTS_UNIT_CORE_MEM_MEM_TEST_SUPPORT_H_
#define ASCEND_TESTS_UNIT_CORE_MEM_MEM_TEST_SUPPORT_H_

#include "core/base/error.h"
#include "core/mem/hbm_geometry.h"
#include "core/mem/memory_manager.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_hbm_backing.h"

namespace ascend::core {

inline constexpr uint64_t kMiB = uint64_t{1} << 20;
inline constexpr SessionId kAlice{1};
inline constexpr SessionId kBob{2};
inline constexpr LaneId kMain{1};
inline constexpr LaneId kOther{2};
inline constexpr DeviceId kNpu0{0};
inline constexpr DeviceId kNpu1{1};
inline constexpr uint32_t kHugeFirst = 0;
inline constexpr uint32_t kHugeOnly = 1;
inline constexpr uint32_t kNormalOnly = 2;
inline constexpr uint32_t kHuge1g = 6;

inline DeviceSpec SmallSpec(uint64_t hbm_bytes, uint32_t banks) {
  DeviceSpec spec = Ascend910Spec();
  spec.hbm_bytes = hbm_bytes;
  spec.hbm_banks = banks;
  return spec;
}

struct Fixture {
  explicit Fixture(std::vector<DeviceSpec> devices = {Ascend910Spec(),
                                                      Ascend910Spec()},
                   uint64_t warm_bytes_max = 256 * kMiB,
                   uint64_t quota_bytes = 0)
      : manager(
            {.devices = std::move(devices), .warm_bytes_max = warm_bytes_max},
            backing) {
    manager.OpenSession(kAlice, quota_bytes);
    manager.OpenSession(kBob, 0);
  }

  AllocationResult Try(uint64_t bytes, uint32_t policy,
                       SessionId session = kAlice, LaneId lane = kMain,
                       DeviceId device = kNpu0) {
    return manager.Allocate({.session = session,
                             .device = device,
                             .lane = lane,
                             .bytes = bytes,
                             .policy = policy});
  }
  uint64_t Get(uint64_t bytes, uint32_t policy, SessionId session = kAlice,
               LaneId lane = kMain, DeviceId device = kNpu0) {
    const AllocationResult result = Try(bytes, policy, session, lane, device);
    EXPECT_TRUE(result.status.ok()) << result.status;
    return result.va;
  }
  void Drop(uint64_t va, SessionId session = kAlice, LaneId lane = kMain) {
    const absl::Status status = manager.Free(session, lane, va, 0);
    EXPECT_TRUE(status.ok()) << status;
  }
  std::vector<PhysicalExtent> Extents(uint64_t va, uint64_t bytes,
                                      SessionId session = kAlice) {
    auto extents = manager.Translate(session, va, bytes, Reach::kLive);
    EXPECT_TRUE(extents.ok()) << extents.status();
    return extents.ok() ? *extents : std::vector<PhysicalExtent>();
  }
  MemoryRoom Info(SessionId session = kAlice, DeviceId device = kNpu0) {
    return *manager.GetRoom(session, device);
  }

  FakeHbmBacking backing;
  MemoryManager manager;
};

}  // namespace ascend::core

#endif  // ASCEND_TESTS_UNIT_CORE_MEM_MEM_TEST_SUPPORT_H_
