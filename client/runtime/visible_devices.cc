#include "client/runtime/visible_devices.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/error.h"

namespace ascend::client {
namespace {

// A number written with digits only; numbers of no device at all are none.
absl::optional<uint32_t> ParseEntry(absl::string_view entry) {
  const bool has_only_digits =
      std::all_of(entry.begin(), entry.end(), absl::ascii_isdigit);
  uint32_t number = 0;
  if (!has_only_digits || !absl::SimpleAtoi(entry, &number)) {
    return absl::nullopt;
  }
  return number;
}

}  // namespace

VisibleDevices::VisibleDevices(size_t device_count) {
  for (uint32_t i = 0; i < device_count; ++i) devices_.emplace_back(i);
}

absl::StatusOr<VisibleDevices> VisibleDevices::Parse(absl::string_view list,
                                                     size_t device_count,
                                                     std::string* complaint) {
  VisibleDevices visible;
  for (const absl::string_view entry : absl::StrSplit(list, ',')) {
    const absl::optional<uint32_t> number = ParseEntry(entry);
    const bool exists = number.has_value() && *number < device_count;
    if (exists && visible.NumberOf(core::DeviceId(*number)).has_value()) {
      return core::MakeError(
          core::Reason::kDeviceListRepeats,
          absl::StrCat(kVariable, " is '", list, "', which names device ",
                       *number, " twice: name each once"));
    }
    const bool ascends =
        visible.devices_.empty() ||
        (exists && core::DeviceId(*number) > visible.devices_.back());
    if (!exists || !ascends) {
      *complaint =
          absl::StrCat("it is '", list, "', where '", entry, "' ",
                       exists ? "is less than what is before it"
                              : absl::StrCat("is none of the ", device_count,
                                             " devices, counted from 0"));
      return visible;
    }
    visible.devices_.emplace_back(*number);
  }
  return visible;
}

absl::optional<core::DeviceId> VisibleDevices::Find(int64_t number) const {
  if (number < 0 || static_cast<size_t>(number) >= devices_.size()) {
    return absl::nullopt;
  }
  return devices_[static_cast<size_t>(number)];
}

absl::optional<int32_t> VisibleDevices::NumberOf(core::DeviceId device) const {
  const auto found = std::find(devices_.begin(), devices_.end(), device);
  if (found == devices_.end()) return absl::nullopt;
  return static_cast<int32_t>(found - devices_.begin());
}

}  // namespace ascend::client
