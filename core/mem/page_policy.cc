#include "core/mem/page_policy.h"

namespace ascend::core {
namespace {

// ACL_MEM_TYPE_LOW_BAND_WIDTH, ACL_MEM_TYPE_HIGH_BAND_WIDTH,
// ACL_MEM_ACCESS_USER_SPACE_READONLY.
constexpr uint32_t kFlagBits = 0x100 | 0x1000 | 0x100000;
constexpr uint64_t kHugeFirstBytesMin = (uint64_t{1} << 20) + 1;
constexpr uint64_t kUnlistedHugeBytesMin = uint64_t{2} << 20;

PlacementRequest HugeFirst(bool wants_huge, bool is_peer_reachable) {
  if (!wants_huge) {
    return {.placement = Placement::kNormal,
            .is_peer_reachable = is_peer_reachable};
  }
  return {.placement = Placement::kHuge,
          .may_fall_back = true,
          .is_grouped = true,
          .is_peer_reachable = is_peer_reachable};
}

}  // namespace

PlacementRequest ClassifyRequest(uint32_t policy, uint64_t bytes) {
  switch (static_cast<PagePolicy>(policy & ~kFlagBits)) {
    case PagePolicy::kHugeFirst:
      return HugeFirst(bytes >= kHugeFirstBytesMin, false);
    case PagePolicy::kHugeFirstP2p:
      return HugeFirst(bytes >= kHugeFirstBytesMin, true);
    case PagePolicy::kHugeOnly:
      return {.placement = Placement::kHuge};
    case PagePolicy::kHugeOnlyP2p:
      return {.placement = Placement::kHuge, .is_peer_reachable = true};
    case PagePolicy::kNormalOnly:
      return {.placement = Placement::kNormal};
    case PagePolicy::kNormalOnlyP2p:
      return {.placement = Placement::kNormal, .is_peer_reachable = true};
    case PagePolicy::kHuge1gOnly:
      return {.placement = Placement::kGiga};
    case PagePolicy::kHuge1gOnlyP2p:
      return {.placement = Placement::kGiga, .is_peer_reachable = true};
  }
  return HugeFirst(bytes >= kUnlistedHugeBytesMin, false);
}

absl::string_view PlacementName(Placement placement) {
  switch (placement) {
    case Placement::kNormal:
      return "normal";
    case Placement::kHuge:
      return "huge";
    case Placement::kGiga:
      return "huge1g";
  }
  return "unknown";
}

}  // namespace ascend::core
