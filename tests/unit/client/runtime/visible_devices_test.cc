#include "client/runtime/visible_devices.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace ascend::client {
namespace {

constexpr size_t kDevices = 12;

struct Parsed {
  std::vector<uint32_t> devices;
  std::string complaint;
};

Parsed Parse(absl::string_view list) {
  Parsed parsed;
  const auto visible = VisibleDevices::Parse(list, kDevices, &parsed.complaint);
  EXPECT_TRUE(visible.ok()) << visible.status();
  for (size_t i = 0; visible.ok() && i < visible->count(); ++i) {
    parsed.devices.push_back(visible->Find(static_cast<int64_t>(i))->value());
  }
  return parsed;
}

TEST(VisibleDevicesTest, NumbersFollowTheList) {
  const auto none = std::vector<uint32_t>();
  EXPECT_EQ(Parse("0").devices, (std::vector<uint32_t>{0}));
  EXPECT_EQ(Parse("1,3,11").devices, (std::vector<uint32_t>{1, 3, 11}));
  EXPECT_EQ(Parse("1,3,11").complaint, "");
  std::string complaint;
  const auto visible = VisibleDevices::Parse("2,5", kDevices, &complaint);
  EXPECT_EQ(visible->NumberOf(core::DeviceId(5)), 1);
  EXPECT_EQ(visible->NumberOf(core::DeviceId(0)), absl::nullopt);
  EXPECT_EQ(visible->Find(-1), absl::nullopt);
  EXPECT_EQ(visible->Find(2), absl::nullopt);
  EXPECT_EQ(VisibleDevices(3).Find(2), core::DeviceId(2));
  EXPECT_EQ(VisibleDevices().count(), 0u);
}

// What comes after the first entry that is no device does not count.
TEST(VisibleDevicesTest, JunkEndsTheList) {
  for (const char* const list :
       {"1,2,x,3", "1,2,12", "1,2,", "1,2,,3", "1,2, 3", "1,2 ,3x", "1,2,-3",
        "1,2,+3", "1,2,0x3", "1,2,3.5", "1,2,99999999999999999999",
        "1,2,4294967299", "1,2;3", "1,2,1e1", "1,2,x,1", "1,2,0"}) {
    const Parsed parsed = Parse(list);
    const bool is_two_spoilt = list[3] != ',';  // "2 " or "2;3"
    EXPECT_EQ(parsed.devices, is_two_spoilt ? std::vector<uint32_t>{1}
                                            : (std::vector<uint32_t>{1, 2}))
        << list;
    EXPECT_NE(parsed.complaint, "") << list;
  }
  for (const char* const list : {"", "x", "-1", " 0", ",0", "12", "none"}) {
    EXPECT_TRUE(Parse(list).devices.empty()) << list;
    EXPECT_NE(Parse(list).complaint, "") << list;
  }
}

TEST(VisibleDevicesTest, NamingADeviceTwiceIsAnError) {
  for (const char* const list : {"0,0", "1,2,1", "0,1,1,x", "3,03"}) {
    std::string complaint;
    const auto visible = VisibleDevices::Parse(list, kDevices, &complaint);
    EXPECT_EQ(core::ReasonOf(visible.status()),
              core::Reason::kDeviceListRepeats)
        << list;
    EXPECT_EQ(complaint, "");
  }
}

}  // namespace
}  // namespace ascend::client
