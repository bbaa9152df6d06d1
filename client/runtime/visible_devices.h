// VisibleDevices: the devices of the daemon that the program sees, and by which
// numbers. ASCEND_RT_VISIBLE_DEVICES lists them: number i of the program is
// device list[i] of the daemon.
//
// Of the list counts what is before the first entry that is no device: entries
// are decimal, without blanks, and ascend. One that comes twice before that
// makes the whole list an error. A list that names nothing leaves no device.
//
// Threading: thread-compatible.
#ifndef ASCEND_CLIENT_RUNTIME_VISIBLE_DEVICES_H_
#define ASCEND_CLIENT_RUNTIME_VISIBLE_DEVICES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "core/base/ids.h"

namespace ascend::client {

class VisibleDevices {
 public:
  static constexpr char kVariable[] = "ASCEND_RT_VISIBLE_DEVICES";

  // None.
  VisibleDevices() = default;

  // All of them.
  explicit VisibleDevices(size_t device_count);

  // `complaint` tells of an entry that ends the list early, else it is left
  // alone. Errors: kDeviceListRepeats.
  static absl::StatusOr<VisibleDevices> Parse(absl::string_view list,
                                              size_t device_count,
                                              std::string* complaint);

  size_t count() const { return devices_.size(); }

  // The daemon's device by the program's number, and back.
  absl::optional<core::DeviceId> Find(int64_t number) const;
  absl::optional<int32_t> NumberOf(core::DeviceId device) const;

 private:
  std::vector<core::DeviceId> devices_;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_VISIBLE_DEVICES_H_
