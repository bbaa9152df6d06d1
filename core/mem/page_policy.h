// PagePolicy: what aclrtMalloc's policy argument asks of the frames.
//
// The numbers are those of aclrtMemMallocPolicy and arrive unchecked from the
// client; ClassifyRequest turns (policy, bytes) into a decision.
//
// Threading: value types.
#ifndef ASCEND_CORE_MEM_PAGE_POLICY_H_
#define ASCEND_CORE_MEM_PAGE_POLICY_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace ascend::core {

enum class PagePolicy : uint32_t {
  kHugeFirst = 0,
  kHugeOnly = 1,
  kNormalOnly = 2,
  kHugeFirstP2p = 3,
  kHugeOnlyP2p = 4,
  kNormalOnlyP2p = 5,
  kHuge1gOnly = 6,
  kHuge1gOnlyP2p = 7,
};

// Where the frames come from.
enum class Placement : uint8_t {
  kNormal,  // 4 KiB pages in 64 KiB runs scattered over the banks
  kHuge,    // 2 MiB blocks, side by side where possible
  kGiga,    // blocks of 1 GiB
};

// What a request asks for, decided by policy and size.
struct PlacementRequest {
  Placement placement = Placement::kNormal;
  bool may_fall_back = false;  // from huge to normal
  bool is_grouped = false;     // adjacent to the lane's previous one
  bool is_peer_reachable = false;
};

// `policy` is the raw argument; the flags that may be ORed to it (bandwidth,
// read-only) do not change the placement. An unlisted policy means huge from
// 2 MiB up, else normal.
PlacementRequest ClassifyRequest(uint32_t policy, uint64_t bytes);

// "normal", "huge" or "huge1g".
absl::string_view PlacementName(Placement placement);

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_PAGE_POLICY_H_
