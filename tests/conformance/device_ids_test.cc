// semantics 2: numbers of devices; ASCEND_RT_VISIBLE_DEVICES.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"
#include "tests/conformance/fresh_process.h"

namespace ascend::conformance {
namespace {

using DeviceIdsTest = AclTest;
using Convert = aclError (*)(int32_t, int32_t*);

constexpr Convert kConversions[] = {
    aclrtGetLogicDevIdByUserDevId, aclrtGetPhyDevIdByUserDevId,
    aclrtGetUserDevIdByLogicDevId, aclrtGetPhyDevIdByLogicDevId,
    aclrtGetUserDevIdByPhyDevId,   aclrtGetLogicDevIdByPhyDevId};

void See(const char* list) {
  ASSERT_EQ(setenv("ASCEND_RT_VISIBLE_DEVICES", list, /*replace=*/1), 0);
}

uint32_t CountOfDevices() {
  uint32_t count = 99;
  EXPECT_ACL_OK(aclrtGetDeviceCount(&count));
  return count;
}

TEST_F(DeviceIdsTest, AllNumbersAreOneWithoutAList) {
  InThread([] {
    for (const Convert convert : kConversions) {
      for (int32_t device = 0; device < kDeviceCount; ++device) {
        int32_t other = -1;
        EXPECT_ACL_OK(convert(device, &other));
        EXPECT_EQ(other, device);
      }
      int32_t other = -7;
      for (const int32_t wrong : {-1, kDeviceCount, INT32_MAX, INT32_MIN}) {
        EXPECT_ACL_ERROR(107001, convert(wrong, &other));
      }
      EXPECT_EQ(other, -7);
    }
  });
}

TEST_F(DeviceIdsTest, ResultsNeedAPlace) {
  EXPECT_ACL_ERROR(100000, aclrtGetLogicDevIdByUserDevId(0, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetPhyDevIdByUserDevId(0, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetUserDevIdByLogicDevId(0, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetPhyDevIdByLogicDevId(0, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetUserDevIdByPhyDevId(0, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetLogicDevIdByPhyDevId(0, nullptr));
}

// "User id i is logic id list[i]."
FRESH_PROCESS_TEST(VisibleDevices, NumbersFollowTheList) {
  See("1");
  EXPECT_EQ(CountOfDevices(), 1u);
  int32_t other = -7;
  for (const Convert of_user : {kConversions[0], kConversions[1]}) {
    EXPECT_ACL_OK(of_user(0, &other));
    EXPECT_EQ(other, 1);
    EXPECT_ACL_ERROR(107001, of_user(1, &other));
  }
  for (const Convert to_user : {kConversions[2], kConversions[4]}) {
    EXPECT_ACL_OK(to_user(1, &other));
    EXPECT_EQ(other, 0);
    EXPECT_ACL_ERROR(107001, to_user(0, &other));  // not seen
    EXPECT_ACL_ERROR(107001, to_user(kDeviceCount, &other));
  }
  for (const Convert of_daemon : {kConversions[3], kConversions[5]}) {
    EXPECT_ACL_OK(of_daemon(0, &other));
    EXPECT_EQ(other, 0);
  }
  EXPECT_ACL_ERROR(107001, aclrtSetDevice(1));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  EXPECT_ACL_OK(aclrtGetDevice(&other));
  EXPECT_EQ(other, 0);
  // What identifies a device is that of the daemon's.
  int64_t chip = -1;
  EXPECT_ACL_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_PHY_CHIP_ID, &chip));
  EXPECT_EQ(chip, 1);
  char address[13] = "";
  EXPECT_ACL_OK(aclrtDeviceGetPCIBusId(0, address, sizeof(address)));
  EXPECT_EQ(std::string(address), "0000:02:00.0");
  EXPECT_ACL_OK(aclrtDeviceGetByPCIBusId(address, &other));
  EXPECT_EQ(other, 0);
  EXPECT_ACL_ERROR(107000, aclrtDeviceGetByPCIBusId("0000:01:00.0", &other));
  aclrtUuid uuid;
  EXPECT_ACL_OK(aclrtDeviceGetUuid(0, &uuid));
  EXPECT_EQ(uuid.bytes[15], 1);
  {
    const DeviceArray<uint8_t> memory(std::vector<uint8_t>(64, 5));
    EXPECT_EQ(memory.Download()[63], 5);
    aclrtPtrAttributes attributes{};
    EXPECT_ACL_OK(aclrtPointerGetAttributes(memory.data(), &attributes));
    EXPECT_EQ(attributes.location.id, 0u);
  }
  EXPECT_ACL_OK(aclrtResetDevice(0));
}

// "Parsing stops at the first illegal or non-existent entry."
FRESH_PROCESS_TEST(VisibleDevices, JunkEndsTheList) {
  for (const char* const list :
       {"0,x,1", "0,", "0, 1", "0,99,1", "0,-1", "0,1x"}) {
    See(list);
    ASSERT_ACL_OK(aclInit(nullptr));
    EXPECT_EQ(CountOfDevices(), 1u) << list;
    EXPECT_ACL_ERROR(107001, aclrtSetDevice(1));
    EXPECT_ACL_OK(aclrtSetDevice(0));
    EXPECT_ACL_OK(aclFinalize());
  }
  for (const char* const list : {"x", "-1", ",0", "2", " 0"}) {
    See(list);
    ASSERT_ACL_OK(aclInit(nullptr));
    EXPECT_EQ(CountOfDevices(), 0u) << list;
    EXPECT_ACL_ERROR(107001, aclrtSetDevice(0));
    EXPECT_ACL_OK(aclFinalize());
  }
  See("");
  EXPECT_EQ(CountOfDevices(), static_cast<uint32_t>(kDeviceCount));
}

// "Duplicates are an error (EE2002)."
FRESH_PROCESS_TEST(VisibleDevices, NamingADeviceTwiceIsAnError) {
  See("0,1,0");
  uint32_t count = 99;
  EXPECT_ACL_ERROR(107001, aclrtGetDeviceCount(&count));
  EXPECT_EQ(count, 99u);
  EXPECT_ACL_ERROR(107001, aclrtSetDevice(0));
  EXPECT_EQ(aclrtSetDevice(0), 107001);
  const char* const text = aclGetRecentErrMsg();
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(std::string(text).find("EE2002: aclrtSetDevice: "), 0u) << text;
}

TEST_F(DeviceIdsTest, PrimaryContextsAreThereWhileTheDeviceIsSet) {
  const auto is_active = [](int32_t device) {
    uint32_t flags = 77;
    int32_t active = -1;
    EXPECT_ACL_OK(aclrtGetPrimaryCtxState(device, &flags, &active));
    EXPECT_EQ(flags, 0u);
    return active;
  };
  EXPECT_EQ(is_active(0), 1);
  EXPECT_EQ(is_active(1), 0);
  aclrtContext context = nullptr;
  ASSERT_ACL_OK(aclrtCreateContext(&context, 1));
  EXPECT_EQ(is_active(1), 0);
  EXPECT_ACL_OK(aclrtDestroyContext(context));
  ASSERT_ACL_OK(aclrtSetDevice(1));
  InThread([&] { EXPECT_EQ(is_active(1), 1); });
  EXPECT_ACL_OK(aclrtResetDevice(1));
  EXPECT_EQ(is_active(1), 0);
  int32_t active = -7;
  EXPECT_ACL_OK(aclrtGetPrimaryCtxState(0, nullptr, &active));
  EXPECT_EQ(active, 1);
  uint32_t flags = 77;
  EXPECT_ACL_ERROR(100000, aclrtGetPrimaryCtxState(0, &flags, nullptr));
  for (const int32_t wrong : {-1, kDeviceCount}) {
    EXPECT_ACL_ERROR(107001, aclrtGetPrimaryCtxState(wrong, &flags, &active));
  }
  EXPECT_EQ(flags, 77u);
}

TEST_F(DeviceIdsTest, TheProcessHasItsNumber) {
  int32_t pid = 0;
  EXPECT_ACL_OK(aclrtDeviceGetBareTgid(&pid));
  EXPECT_EQ(pid, getpid());
  EXPECT_ACL_ERROR(100000, aclrtDeviceGetBareTgid(nullptr));
}

// The device has the semantics of arch 2201.
TEST_F(DeviceIdsTest, ChipsOfTheArchitectureAreCompatible) {
  const auto suits = [](const char* soc) {
    int32_t value = -1;
    EXPECT_ACL_OK(aclrtCheckArchCompatibility(soc, &value));
    return value;
  };
  EXPECT_EQ(suits(aclrtGetSocName()), 1);
  for (const char* const soc :
       {"Ascend910B1", "Ascend910B4-1", "Ascend910_9392"}) {
    EXPECT_EQ(suits(soc), 1) << soc;
  }
  for (const char* const soc :
       {"Ascend910B", "Ascend910ProA", "Ascend310P3", "Ascend310B4",
        "Ascend950PR_9599", "Ascend350_354f", "Ascend910", "Ascend", "",
        "Tesla", "ascend910b1"}) {
    EXPECT_EQ(suits(soc), 0) << soc;
  }
  int32_t value = -7;
  EXPECT_ACL_ERROR(100000, aclrtCheckArchCompatibility(nullptr, &value));
  EXPECT_ACL_ERROR(100000, aclrtCheckArchCompatibility("Ascend910B1", nullptr));
  EXPECT_EQ(value, -7);
}

}  // namespace
}  // namespace ascend::conformance
