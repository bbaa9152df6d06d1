// Checks of argument blocks, shared by all built-in kernels.
//
// Argument blocks come from programs, so this is a trust boundary: every
// product is checked for overflow, every message says field, value and what is
// allowed. All errors have Reason::kInvalidArgument.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_CORE_KERNELS_ARGUMENT_CHECKS_H_
#define ASCEND_CORE_KERNELS_ARGUMENT_CHECKS_H_

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/kernels/descriptor.h"

namespace ascend::core {

// No tensor is larger than the 47 bits of a user's address space. Whatever
// passed CheckTensors therefore has element counts that fit in int64_t.
inline constexpr uint64_t kTensorBytesMax = uint64_t{1} << 47;

// A dense tensor that a block names.
struct Tensor {
  const char* argument = "";
  const void* address = nullptr;  // device address
  std::vector<int64_t> dims;
  Access access = Access::kRead;
  // For an output: the input that it may coincide with exactly, by argument;
  // '*' for any, empty for none.
  absl::string_view in_place = "";
};

// The error "`field` is `value`, but `allowed`".
absl::Status RefuseField(absl::string_view field, int64_t value,
                         absl::string_view allowed);

// low <= value <= high.
absl::Status CheckInteger(absl::string_view field, int64_t value, int64_t low,
                          int64_t high);
// value is finite and low <= value.
inline constexpr float kNoLowerLimit = -std::numeric_limits<float>::max();
absl::Status CheckFloat(absl::string_view field, float value, float low);
// value is 0 or 1.
absl::Status CheckFlag(absl::string_view field, uint32_t value);
absl::Status CheckReserved(absl::string_view field, uint32_t value);
// A floating-point type.
absl::Status CheckDataType(int32_t data_type);
// The same or an integer type.
absl::Status CheckNumberType(int32_t data_type);

// Every tensor has positive dimensions, a size of at most kTensorBytesMax, an
// address that is not null, aligned to the element and does not wrap, and no
// output overlaps another tensor unless in place. `data_type` must have passed
// its check.
absl::Status CheckTensors(std::span<const Tensor> tensors, int32_t data_type);

// The ranges of tensors that passed CheckTensors.
std::vector<DeviceRange> RangesOf(std::span<const Tensor> tensors,
                                  int32_t data_type);

}  // namespace ascend::core

#endif  // ASCEND_CORE_KERNELS_ARGUMENT_CHECKS_H_
