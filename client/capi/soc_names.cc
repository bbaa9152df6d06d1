#include "client/capi/soc_names.h"

#include "absl/strings/match.h"

namespace ascend::client {
namespace {

struct Family {
  absl::string_view prefix;
  size_t length_min;  // of the whole name
  uint32_t arch;
};

// The first that fits counts. "Ascend910B" alone is a chip of the first
// generation, with a digit behind it one of the second.
constexpr Family kFamilies[] = {
    {"Ascend910B", sizeof("Ascend910B"), 2201},
    {"Ascend910_93", sizeof("Ascend910_93"), 2201},
    {"Ascend910B", 0, 1001},
    {"Ascend910A", 0, 1001},
    {"Ascend910P", 0, 1001},  // Premium and Pro
    {"Ascend310P", sizeof("Ascend310P"), 2002},
    {"Ascend310B", sizeof("Ascend310B"), 3002},
    {"Ascend350_", sizeof("Ascend350_"), 3510},
    {"Ascend950DT_", sizeof("Ascend950DT_"), 3510},
    {"Ascend950PR_", sizeof("Ascend950PR_"), 3510},
    {"Ascend031", 0, 3004},
    {"Ascend035", 0, 3505},
};

}  // namespace

absl::optional<uint32_t> ArchOfSoc(absl::string_view name) {
  for (const Family& family : kFamilies) {
    if (absl::StartsWith(name, family.prefix) &&
        name.size() >= family.length_min) {
      return family.arch;
    }
  }
  return absl::nullopt;
}

}  // namespace ascend::client
