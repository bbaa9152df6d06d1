// Sizes, and bytes on the host.
//
// Threading: constants.
#ifndef ASCEND_TESTS_CONFORMANCE_BYTE_SIZES_H_
#define ASCEND_TESTS_CONFORMANCE_BYTE_SIZES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ascend::conformance {

using Bytes = std::vector<uint8_t>;

inline constexpr size_t kKiB = 1024;
inline constexpr size_t kMiB = 1024 * kKiB;
inline constexpr size_t kGiB = 1024 * kMiB;

}  // namespace ascend::conformance

#endif  // ASCEND_TESTS_CONFORMANCE_BYTE_SIZES_H_
