// semantics 2 and 14: what a device is and where it sits.
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>

#include "tests/conformance/acl_test.h"

namespace ascend::conformance {
namespace {

using IdentityTest = AclTest;

constexpr int32_t kBadIds[] = {-1, kDeviceCount, INT32_MAX};

// 2: "PCI id text needs a buffer >= 13 bytes, form 0000:3d:00.0".
TEST_F(IdentityTest, PciAddressesNameDevices) {
  std::string previous;
  for (int32_t device = 0; device < kDeviceCount; ++device) {
    char text[14] = "xxxxxxxxxxxxx";
    EXPECT_ACL_OK(aclrtDeviceGetPCIBusId(device, text, 13));
    ASSERT_EQ(std::strlen(text), 12u);
    EXPECT_EQ(text[13], '\0');
    for (int i = 0; i < 12; ++i) {
      if (i == 4 || i == 7) {
        EXPECT_EQ(text[i], ':') << text;
      } else if (i == 10) {
        EXPECT_EQ(text[i], '.') << text;
      } else {
        EXPECT_TRUE(std::isxdigit(static_cast<unsigned char>(text[i]))) << text;
      }
    }
    EXPECT_NE(text, previous);
    previous = text;
    int32_t found = -1;
    EXPECT_ACL_OK(aclrtDeviceGetByPCIBusId(text, &found));
    EXPECT_EQ(found, device);
  }
}

TEST_F(IdentityTest, PciAddressesAreChecked) {
  char text[14] = "untouched";
  for (const int32_t length : {12, 0, -1, INT32_MIN}) {
    EXPECT_ACL_ERROR(107000, aclrtDeviceGetPCIBusId(0, text, length));
  }
  EXPECT_ACL_ERROR(100000, aclrtDeviceGetPCIBusId(0, nullptr, 13));
  for (const int32_t id : kBadIds) {
    EXPECT_ACL_ERROR(107001, aclrtDeviceGetPCIBusId(id, text, 13));
  }
  EXPECT_STREQ(text, "untouched");
  int32_t device = -5;
  for (const char* const address : {"", "0000:ff:00.0", "0000:01:00.0 ", "x"}) {
    EXPECT_ACL_ERROR(107000, aclrtDeviceGetByPCIBusId(address, &device));
  }
  EXPECT_ACL_ERROR(100000, aclrtDeviceGetByPCIBusId(nullptr, &device));
  EXPECT_ACL_ERROR(100000, aclrtDeviceGetByPCIBusId(text, nullptr));
  EXPECT_EQ(device, -5);
}

TEST_F(IdentityTest, UuidsDiffer) {
  aclrtUuid first{};
  aclrtUuid again{};
  aclrtUuid second{};
  EXPECT_ACL_OK(aclrtDeviceGetUuid(0, &first));
  EXPECT_ACL_OK(aclrtDeviceGetUuid(0, &again));
  EXPECT_ACL_OK(aclrtDeviceGetUuid(1, &second));
  EXPECT_EQ(std::memcmp(&first, &again, sizeof(first)), 0);
  EXPECT_NE(std::memcmp(&first, &second, sizeof(first)), 0);
  EXPECT_ACL_ERROR(100000, aclrtDeviceGetUuid(0, nullptr));
  for (const int32_t id : kBadIds) {
    EXPECT_ACL_ERROR(107001, aclrtDeviceGetUuid(id, &again));
  }
  EXPECT_EQ(std::memcmp(&first, &again, sizeof(first)), 0);
}

// 14: "features 1 and 21, value 0/1".
TEST_F(IdentityTest, FeaturesAreThereOrNot) {
  for (const auto feature : {ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV,
                             ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV}) {
    int32_t value = -5;
    EXPECT_ACL_OK(aclrtGetDeviceCapability(0, feature, &value));
    EXPECT_EQ(value, static_cast<int32_t>(ACL_DEV_FEATURE_NOT_SUPPORT));
  }
  int32_t value = -5;
  const auto feature = ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV;
  EXPECT_ACL_ERROR(107000, aclrtGetDeviceCapability(
                               0, static_cast<aclrtDevFeatureType>(2), &value));
  EXPECT_ACL_ERROR(100000, aclrtGetDeviceCapability(0, feature, nullptr));
  for (const int32_t id : kBadIds) {
    EXPECT_ACL_ERROR(107001, aclrtGetDeviceCapability(id, feature, &value));
  }
  EXPECT_EQ(value, -5);
}

TEST_F(IdentityTest, DevicesAreWell) {
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
  EXPECT_ACL_OK(aclrtQueryDeviceStatus(1, &status));
  EXPECT_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
  status = ACL_RT_DEVICE_STATUS_END;
  EXPECT_ACL_ERROR(100000, aclrtQueryDeviceStatus(0, nullptr));
  for (const int32_t id : kBadIds) {
    EXPECT_ACL_ERROR(107001, aclrtQueryDeviceStatus(id, &status));
  }
  EXPECT_EQ(status, ACL_RT_DEVICE_STATUS_END);
}

TEST_F(IdentityTest, DevicesAreLinkedByTheHostBridge) {
  uint64_t link = 77;
  EXPECT_ACL_OK(aclrtGetDevicesTopo(0, 1, &link));
  EXPECT_EQ(link, ACL_RT_DEVS_TOPOLOGY_PHB);
  EXPECT_ACL_OK(aclrtGetDevicesTopo(1, 1, &link));
  EXPECT_EQ(link, 0u);
  link = 77;
  EXPECT_ACL_ERROR(100000, aclrtGetDevicesTopo(0, 1, nullptr));
  EXPECT_ACL_ERROR(107001, aclrtGetDevicesTopo(0, kDeviceCount, &link));
  EXPECT_ACL_ERROR(107001, aclrtGetDevicesTopo(UINT32_MAX, 0, &link));
  EXPECT_EQ(link, 77u);
}

}  // namespace
}  // namespace ascend::conformance
