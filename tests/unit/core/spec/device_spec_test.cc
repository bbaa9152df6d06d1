#include "core/spec/device_spec.h"

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/spec/spec_fields.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

const SpecField& FieldNamed(absl::string_view name) {
  for (const SpecField& field : SpecFields()) {
    if (field.name == name) return field;
  }
  ADD_FAILURE() << "no field is named " << name;
  return SpecFields()[0];
}

// The refusal of the default profile with one change; "" when there is none.
std::string RefusalAfter(const std::function<void(DeviceSpec&)>& change) {
  DeviceSpec spec = Ascend910Spec();
  change(spec);
  const auto fault = FindSpecFault(spec);
  return fault.has_value() ? fault->sentence : "";
}

TEST(DeviceSpec, TheDefaultProfileIsValid) {
  EXPECT_TRUE(ValidateSpec(Ascend910Spec()).ok());
  EXPECT_EQ(Ascend910Spec().profile, "ascend910");
}

TEST(DeviceSpec, ValidateSaysTheSameAsAnError) {
  DeviceSpec spec = Ascend910Spec();
  spec.cube_units = 0;
  const absl::Status status = ValidateSpec(spec);
  EXPECT_EQ(ReasonOf(status), Reason::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "device profile: field 'cube_units' is 0, but it must lie between "
            "1 and 256");
}

TEST(SpecFields, EachRowSetsAMemberOfItsOwn) {
  std::set<absl::string_view> names;
  for (const SpecField& row : SpecFields()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    DeviceSpec spec;
    SetValue(row, row.most, &spec);
    for (const SpecField& other : SpecFields()) {
      EXPECT_EQ(ValueOf(spec, other), &other == &row ? row.most : 0)
          << row.name << " sets " << other.name;
    }
  }
}

TEST(SpecFields, EachRangeHasItsEndsAndNothingBeyond) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const SpecField& field : SpecFields()) {
    EXPECT_FALSE(WhyOutOfRange(field, field.least)) << field.name;
    EXPECT_FALSE(WhyOutOfRange(field, field.most)) << field.name;
    for (const double value :
         {std::nextafter(field.least, -kInfinity),
          std::nextafter(field.most, kInfinity), -1.0, kInfinity, -kInfinity,
          std::numeric_limits<double>::quiet_NaN()}) {
      EXPECT_THAT(
          WhyOutOfRange(field, value),
          Optional(HasSubstr("field '" + std::string(field.name) + "' is ")))
          << value;
    }
  }
}

TEST(SpecFields, TimesAreNanosecondsToThePicosecond) {
  DeviceSpec spec;
  SetValue(FieldNamed("core_descriptor_ns"), 25.556, &spec);
  EXPECT_EQ(spec.core_descriptor_ticks, 25'556);
  EXPECT_DOUBLE_EQ(ValueOf(spec, FieldNamed("core_descriptor_ns")), 25.556);
}

TEST(SpecFields, RefusalsNameValueAndRange) {
  EXPECT_THAT(WhyOutOfRange(FieldNamed("hbm_bytes"), 1099511627777),
              Optional(std::string(
                  "field 'hbm_bytes' is 1099511627777, but it must lie between "
                  "2097152 and 1099511627776")));
  EXPECT_THAT(
      WhyOutOfRange(FieldNamed("hbm_bytes_per_second"), std::nan("")),
      Optional(std::string("field 'hbm_bytes_per_second' is nan, but it must "
                           "lie between 1000000 and 1e+15")));
  EXPECT_THAT(WhyOutOfRange(FieldNamed("dispatch_jitter"), 1.5),
              Optional(std::string("field 'dispatch_jitter' is 1.5, but it "
                                   "must lie between 0 and 1")));
}

TEST(DeviceSpec, ANumberOutOfItsRangeIsRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(RefusalAfter([](auto& s) { s.dma_units = 257; }),
              HasSubstr("'dma_units' is 257"));
  EXPECT_THAT(RefusalAfter([](auto& s) { s.hbm_bytes_per_second = -1e9; }),
              HasSubstr("'hbm_bytes_per_second' is -1000000000"));
  EXPECT_THAT(
      RefusalAfter([&](auto& s) { s.unit_flops_per_second = infinity; }),
      HasSubstr("'unit_flops_per_second' is inf"));
  EXPECT_THAT(RefusalAfter([](auto& s) { s.event_wait_ticks = -1; }),
              HasSubstr("'event_wait_ns' is -0.001"));
  EXPECT_THAT(RefusalAfter([](auto& s) { s.dispatch_ticks = kTickMax; }),
              HasSubstr("'dispatch_ns' is 9.22337203685e+15"));
}

// A copy has up to 2^24 extents of 64 KiB and 5 x 2^20 rows.
TEST(DeviceSpec, WhatIsChargedPerExtentKeepsItsSumInATick) {
  constexpr double kExtentsMax = 1 << 24;
  for (const char* name :
       {"dma_descriptor_ns", "dma_chained_ns", "core_descriptor_ns"}) {
    EXPECT_LT(FieldNamed(name).most * kTicksPerNanosecond * kExtentsMax,
              static_cast<double>(kTickMax) / 2)
        << name;
  }
}

TEST(DeviceSpec, ANameIsPlain) {
  EXPECT_EQ(RefusalAfter([](auto& s) { s.profile = ""; }),
            "field 'profile' is '', but it must be 1 to 64 letters, digits, "
            "'_', '-' and '.'");
  EXPECT_THAT(RefusalAfter([](auto& s) { s.soc_name = "Ascend\n910"; }),
              HasSubstr("'soc_name' is 'Ascend\\n910'"));
  EXPECT_EQ(RefusalAfter([](auto& s) { s.profile = std::string(64, 'x'); }),
            "");
  EXPECT_NE(RefusalAfter([](auto& s) { s.profile = std::string(65, 'x'); }),
            "");
}

TEST(DeviceSpec, UnitsAreMadeOfCores) {
  EXPECT_EQ(RefusalAfter([](auto& s) { s.cube_units = 9; }),
            "field 'cube_units' is 9, but 32 cube_cores make 8 units of 4 "
            "cores");
  EXPECT_EQ(RefusalAfter([](auto& s) { s.vector_cores = 31; }),
            "field 'aiv_units' is 8, but 31 vector_cores make 7 units of 4 "
            "cores");
  EXPECT_EQ(RefusalAfter([](auto& s) { s.cube_cores = 35; }), "");
  EXPECT_EQ(RefusalAfter([](auto& s) { s.tail_aiv_units = 9; }),
            "field 'tail_aiv_units' is 9, but there are 8 aiv_units");
}

TEST(DeviceSpec, BanksHoldWholeHugePages) {
  EXPECT_EQ(RefusalAfter([](auto& s) { s.hbm_banks = 33; }),
            "field 'hbm_bytes' is 34359738368, but each of 33 hbm_banks must "
            "hold whole 2 MiB pages");
  EXPECT_NE(RefusalAfter([](auto& s) { s.hbm_bytes += 4096; }), "");
  EXPECT_EQ(RefusalAfter([](auto& s) { s.hbm_bytes += 32 * (2 << 20); }), "");
}

TEST(DeviceSpec, NoCallCostsLessThanTheLookahead) {
  EXPECT_EQ(
      RefusalAfter([](auto& s) { s.host_lookahead_ticks += 1; }),
      "field 'host_lookahead_ns' is 1000.001, but host_poll_ns is 1000, and "
      "no call may cost less");
  EXPECT_THAT(RefusalAfter([](auto& s) { s.host_launch_fast_ticks = 0; }),
              HasSubstr("but host_launch_fast_ns is 0"));
  EXPECT_THAT(RefusalAfter([](auto& s) { s.host_launch_ticks = 0; }),
              HasSubstr("but host_launch_ns is 0"));
  EXPECT_THAT(RefusalAfter([](auto& s) { s.host_alloc_ticks = 0; }),
              HasSubstr("but host_alloc_ns is 0"));
}

TEST(DeviceSpec, TasksOfADeviceCanBeCounted) {
  EXPECT_EQ(RefusalAfter([](auto& s) { s.streams_max = 8192; }), "");
  EXPECT_EQ(RefusalAfter([](auto& s) { s.streams_max = 8193; }),
            "field 'stream_depth' is 2048, but 8193 streams of it make more "
            "than 16777216 tasks");
}

}  // namespace
}  // namespace ascend::core
