// SpecFields: the numbers of a DeviceSpec as a table: name, member, range.
//
// What reads or checks a profile walks this table, so that a field is named and
// bounded in one place. Names and units are those of a profile's file
// (proto/ascend/rtd/v1/soc.proto), where times are in nanoseconds: the member
// `kernel_ramp_ticks` is the field "kernel_ramp_ns". A new number of DeviceSpec
// gets a row here and a field there.
//
// Threading: immutable. Ownership: static data.
#ifndef ASCEND_CORE_SPEC_SPEC_FIELDS_H_
#define ASCEND_CORE_SPEC_SPEC_FIELDS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "core/sim/tick.h"
#include "core/spec/device_spec.h"

namespace ascend::core {

struct SpecField {
  absl::string_view name;
  std::variant<uint32_t DeviceSpec::*, uint64_t DeviceSpec::*,
               Tick DeviceSpec::*, double DeviceSpec::*>
      member;
  double least;
  double most;
};

// All but the names and `hold`.
std::span<const SpecField> SpecFields();

// In the unit of the field's name.
double ValueOf(const DeviceSpec& spec, const SpecField& field);

// `value` is within the range of `field`.
void SetValue(const SpecField& field, double value, DeviceSpec* spec);

// The sentence that refuses `value`; nothing when it is within the range.
std::optional<std::string> WhyOutOfRange(const SpecField& field, double value);

// For messages. Whole numbers have no exponent: they are counts of bytes,
// mostly.
std::string NumberText(double value);

inline double NanosecondsOf(Tick ticks) {
  return static_cast<double>(ticks) / double{kTicksPerNanosecond};
}

}  // namespace ascend::core

#endif  // ASCEND_CORE_SPEC_SPEC_FIELDS_H_
