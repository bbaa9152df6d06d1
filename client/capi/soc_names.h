// Which architecture a chip has, by its public name.
//
// Threading: any thread.
#ifndef ASCEND_CLIENT_CAPI_SOC_NAMES_H_
#define ASCEND_CLIENT_CAPI_SOC_NAMES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace ascend::client {

// As ACL_DEV_ATTR_NPU_ARCH tells it: 2201 of "Ascend910B3". No value: no chip
// that we know has such a name.
absl::optional<uint32_t> ArchOfSoc(absl::string_view name);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_SOC_NAMES_H_
