#include "core/kernels/argument_checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/kernels/argument_block.h"
#include "core/kernels/data_type.h"

namespace ascend::core {
namespace {

absl::Status Refuse(absl::string_view field, absl::string_view value,
                    absl::string_view allowed) {
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat(field, " is ", value, ", but ", allowed));
}

std::string Hex(uint64_t address) {
  return absl::StrCat("0x", absl::Hex(address));
}

uint64_t AddressOf(const Tensor& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.address);
}

// Zero when a dimension is not positive or the product exceeds
// kTensorBytesMax.
uint64_t BytesOf(const Tensor& tensor, uint64_t element_bytes) {
  uint64_t bytes = element_bytes;
  for (const int64_t dim : tensor.dims) {
    if (dim < 1 || static_cast<uint64_t>(dim) > kTensorBytesMax / bytes) {
      return 0;
    }
    bytes *= static_cast<uint64_t>(dim);
  }
  return bytes;
}

absl::Status CheckTensor(const Tensor& tensor, uint64_t element_bytes) {
  const uint64_t bytes = BytesOf(tensor, element_bytes);
  if (bytes == 0) {
    std::string shape;
    for (const int64_t dim : tensor.dims) {
      absl::StrAppend(&shape, shape.empty() ? "[" : ", ", dim);
    }
    return Refuse(absl::StrCat("the shape of ", tensor.argument),
                  absl::StrCat(shape, "]"),
                  absl::StrCat("dimensions are at least 1 and a tensor has at "
                               "most ",
                               kTensorBytesMax, " bytes"));
  }
  const uint64_t address = AddressOf(tensor);
  if (address == 0) {
    return Refuse(tensor.argument, "null", "it must be a device address");
  }
  if (address % element_bytes != 0) {
    return Refuse(tensor.argument, Hex(address),
                  absl::StrCat("it must be a multiple of the element size ",
                               element_bytes));
  }
  if (address > std::numeric_limits<uint64_t>::max() - bytes) {
    return Refuse(tensor.argument, Hex(address),
                  absl::StrCat("its ", bytes,
                               " bytes would pass the end of the address "
                               "space"));
  }
  return absl::OkStatus();
}

bool Overlap(const DeviceRange& a, const DeviceRange& b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

bool MayCoincide(const Tensor& output, const Tensor& input) {
  return output.in_place == "*" || output.in_place == input.argument;
}

}  // namespace

absl::Status CheckBlock(std::span<const std::byte> args, size_t known_bytes) {
  uint64_t stated_bytes = 0;
  if (args.size() < sizeof(stated_bytes)) {
    return Refuse("the argument block's length",
                  absl::StrCat(args.size(), " bytes"),
                  "its field size alone has 8");
  }
  std::memcpy(&stated_bytes, args.data(), sizeof(stated_bytes));
  if (stated_bytes < sizeof(stated_bytes) || stated_bytes > args.size()) {
    return Refuse(
        "size", absl::StrCat(stated_bytes),
        absl::StrCat("it must lie between 8 and the ", args.size(),
                     " bytes passed; set it to sizeof the argument struct"));
  }
  for (uint64_t i = known_bytes; i < stated_bytes; ++i) {
    if (args[i] != std::byte{0}) {
      return Refuse(
          absl::StrCat("byte ", i, " of the argument block"), "set",
          absl::StrCat("this version knows ", known_bytes,
                       " bytes of it and takes the rest only as zero"));
    }
  }
  return absl::OkStatus();
}

absl::Status RefuseField(absl::string_view field, int64_t value,
                         absl::string_view allowed) {
  return Refuse(field, absl::StrCat(value), allowed);
}

absl::Status CheckInteger(absl::string_view field, int64_t value, int64_t low,
                          int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return Refuse(field, absl::StrCat(value),
                absl::StrCat("it must lie between ", low, " and ", high));
}

absl::Status CheckFloat(absl::string_view field, float value, float low) {
  if (std::isfinite(value) && value >= low) return absl::OkStatus();
  return Refuse(field, absl::StrCat(value),
                absl::StrCat("it must be finite and at least ", low));
}

absl::Status CheckFlag(absl::string_view field, uint32_t value) {
  if (value <= 1) return absl::OkStatus();
  return Refuse(field, absl::StrCat(value), "it must be 0 or 1");
}

absl::Status CheckReserved(absl::string_view field, uint32_t value) {
  if (value == 0) return absl::OkStatus();
  return Refuse(field, absl::StrCat(value), "it is reserved and must be 0");
}

absl::Status CheckDataType(int32_t data_type) {
  if (IsFloatingPoint(data_type)) return absl::OkStatus();
  return Refuse("data_type", absl::StrCat(data_type),
                "it must be 0 (float), 1 (float16) or 27 (bf16)");
}

absl::Status CheckNumberType(int32_t data_type) {
  if (ElementBytes(data_type) != 0) return absl::OkStatus();
  return Refuse("data_type", absl::StrCat(data_type),
                "it must be 0 (float), 1 (float16), 2 (int8), 3 (int32), "
                "6 (int16) or 27 (bf16)");
}

absl::Status CheckTensors(std::span<const Tensor> tensors, int32_t data_type) {
  const uint64_t element_bytes = ElementBytes(data_type);
  for (const Tensor& tensor : tensors) {
    ASCEND_RETURN_IF_ERROR(CheckTensor(tensor, element_bytes));
  }
  const std::vector<DeviceRange> ranges = RangesOf(tensors, data_type);
  for (size_t output = 0; output < ranges.size(); ++output) {
    if (tensors[output].access == Access::kRead) continue;
    for (size_t other = 0; other < ranges.size(); ++other) {
      if (other == output || !Overlap(ranges[output], ranges[other])) continue;
      const bool same = ranges[output].address == ranges[other].address &&
                        ranges[output].bytes == ranges[other].bytes;
      if (same && MayCoincide(tensors[output], tensors[other])) continue;
      return Refuse(
          tensors[output].argument, Hex(ranges[output].address),
          absl::StrCat("its ", ranges[output].bytes, " bytes must not overlap ",
                       tensors[other].argument, " at ",
                       Hex(ranges[other].address)));
    }
  }
  return absl::OkStatus();
}

std::vector<DeviceRange> RangesOf(std::span<const Tensor> tensors,
                                  int32_t data_type) {
  const uint64_t element_bytes = ElementBytes(data_type);
  std::vector<DeviceRange> ranges;
  ranges.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    ranges.push_back({AddressOf(tensor), BytesOf(tensor, element_bytes),
                      tensor.access, tensor.argument});
  }
  return ranges;
}

}  // namespace ascend::core
