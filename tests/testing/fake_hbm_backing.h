// FakeHbmBacking: remembers the segments that exist and refuses on demand.
//
// It checks what the manager promises a backing: ids are new, windows lie in
// their region and do not overlap, only live segments are released or scrubbed.
#ifndef ASCEND_TESTS_TESTING_FAKE_HBM_BACKING_H_
#define ASCEND_TESTS_TESTING_FAKE_HBM_BACKING_H_

#include <map>
#include <set>

#include "core/base/error.h"
#include "core/mem/hbm_backing.h"
#include "gtest/gtest.h"

namespace ascend::core {

class FakeHbmBacking : public HbmBacking {
 public:
  absl::Status CreateSegment(const SegmentKey& key,
                             const SegmentWindow& window) override {
    if (++create_count == failing_create) {
      return MakeError(Reason::kOutOfDeviceMemory, "the host has no memory");
    }
    EXPECT_TRUE(ids_used.insert(key).second) << "id is used twice";
    constexpr uint64_t kUnit = uint64_t{2} << 20;
    EXPECT_EQ((window.va | window.bytes | window.region_va) % kUnit, 0u);
    EXPECT_EQ(window.region_bytes % kUnit, 0u);
    EXPECT_GT(window.bytes, 0u);
    EXPECT_GE(window.va, window.region_va);
    EXPECT_LE(window.va + window.bytes, window.region_va + window.region_bytes);
    for (const auto& [other_key, other] : live) {
      if (other_key.session != key.session) continue;
      EXPECT_TRUE(other.va + other.bytes <= window.va ||
                  window.va + window.bytes <= other.va);
      // Regions are the same one or apart.
      EXPECT_TRUE((other.region_va == window.region_va &&
                   other.region_bytes == window.region_bytes) ||
                  other.region_va + other.region_bytes <= window.region_va ||
                  window.region_va + window.region_bytes <= other.region_va);
    }
    live.emplace(key, window);
    return absl::OkStatus();
  }

  void ReleaseSegment(const SegmentKey& key) override {
    EXPECT_EQ(live.erase(key), 1u);
  }

  void Scrub(const SegmentKey& key, uint64_t offset, uint64_t bytes) override {
    const auto it = live.find(key);
    ASSERT_TRUE(it != live.end());
    EXPECT_EQ((offset | bytes) % 4096, 0u);
    EXPECT_LE(offset + bytes, it->second.bytes);
    scrubbed_bytes += bytes;
  }

  uint64_t LiveBytes() const {
    uint64_t bytes = 0;
    for (const auto& [key, window] : live) bytes += window.bytes;
    return bytes;
  }

  int create_count = 0;
  int failing_create = 0;  // the n-th call from the start; 0 is none
  uint64_t scrubbed_bytes = 0;
  std::map<SegmentKey, SegmentWindow> live;
  std::set<SegmentKey> ids_used;
};

}  // namespace ascend::core

#endif  // ASCEND_TESTS_TESTING_FAKE_HBM_BACKING_H_
