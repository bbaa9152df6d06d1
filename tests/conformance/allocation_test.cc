// semantics 6: allocations with options, frees that wait, what an address is.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/byte_sizes.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using AllocationTest = AclTest;

aclrtMallocAttribute Attribute(int type, uint32_t value) {
  aclrtMallocAttribute attribute{};
  attribute.attr = static_cast<aclrtMallocAttrType>(type);
  attribute.value.deviceId = value;
  return attribute;
}

// Garbage where the call must fill in all there is.
aclrtPtrAttributes AttributesOf(const void* address) {
  aclrtPtrAttributes attributes;
  std::fill_n(reinterpret_cast<uint8_t*>(&attributes), sizeof(attributes),
              uint8_t{0xA5});
  EXPECT_ACL_OK(aclrtPointerGetAttributes(address, &attributes));
  return attributes;
}

// A task that fails on the device.
aclError LaunchFault(const Ops& ops, aclrtStream stream) {
  float* const nowhere = static_cast<float*>(Garbage());
  return ops.Add(nowhere, nowhere, nowhere, 16, stream);
}

// 6: attributes MODULE_ID and DEVICE_ID ("allocate on other device"); none at
// all is aclrtMalloc.
TEST_F(AllocationTest, OptionsChooseTheDevice) {
  EXPECT_ACL_OK(aclrtSetDevice(1));
  EXPECT_ACL_OK(aclrtSetDevice(0));
  aclrtMallocAttribute attributes[] = {Attribute(ACL_RT_MEM_ATTR_MODULE_ID, 7),
                                       Attribute(ACL_RT_MEM_ATTR_DEVICE_ID, 0),
                                       Attribute(ACL_RT_MEM_ATTR_DEVICE_ID, 1)};
  aclrtMallocConfig none{nullptr, 0};
  aclrtMallocConfig tag{attributes, 1};
  aclrtMallocConfig here{attributes, 2};
  aclrtMallocConfig there{attributes, 3};
  struct Case {
    aclrtMallocConfig* config;
    uint32_t device;
  };
  for (const Case& one : {Case{nullptr, 0}, Case{&none, 0}, Case{&tag, 0},
                          Case{&here, 0}, Case{&there, 1}}) {
    void* memory = nullptr;
    ASSERT_ACL_OK(aclrtMallocWithCfg(
        &memory, 1000,
        static_cast<aclrtMemMallocPolicy>(ACL_MEM_MALLOC_NORMAL_ONLY |
                                          ACL_MEM_TYPE_HIGH_BAND_WIDTH),
        one.config));
    const aclrtPtrAttributes found = AttributesOf(memory);
    EXPECT_EQ(found.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(found.location.id, one.device);
    EXPECT_ACL_OK(aclrtMemset(memory, 1000, 1, 1000));
    EXPECT_ACL_OK(aclrtFree(memory));
  }
}

TEST_F(AllocationTest, OptionsThatMakeNoSenseAreRefused) {
  const ExpectNothingChanges unchanged;
  const auto policy = ACL_MEM_MALLOC_HUGE_FIRST;
  void* memory = Garbage();
  aclrtMallocConfig no_array{nullptr, 1};
  EXPECT_ACL_ERROR(100000, aclrtMallocWithCfg(nullptr, 64, policy, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtMallocWithCfg(&memory, 0, policy, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtMallocWithCfg(&memory, 64, policy, &no_array));
  EXPECT_ACL_ERROR(100000, aclrtMallocHostWithCfg(nullptr, 64, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtMallocHostWithCfg(&memory, 0, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtMallocHostWithCfg(&memory, 64, &no_array));
  for (const int type : {0, 3, 4, 99, -1}) {
    aclrtMallocAttribute wrong = Attribute(type, 0);
    aclrtMallocConfig config{&wrong, 1};
    EXPECT_ACL_ERROR(107000, aclrtMallocWithCfg(&memory, 64, policy, &config));
  }
  for (const uint32_t device : {static_cast<uint32_t>(kDeviceCount), ~0u}) {
    aclrtMallocAttribute wrong = Attribute(ACL_RT_MEM_ATTR_DEVICE_ID, device);
    aclrtMallocConfig config{&wrong, 1};
    EXPECT_ACL_ERROR(107001, aclrtMallocWithCfg(&memory, 64, policy, &config));
  }
  for (const int type : {0, 2, 4, -1}) {
    aclrtMallocAttribute wrong = Attribute(type, 0);
    aclrtMallocConfig config{&wrong, 1};
    EXPECT_ACL_ERROR(107000, aclrtMallocHostWithCfg(&memory, 64, &config));
  }
  aclrtMallocAttribute wrong = Attribute(ACL_RT_MEM_ATTR_VA_FLAG, 2);
  aclrtMallocConfig config{&wrong, 1};
  EXPECT_ACL_ERROR(107000, aclrtMallocHostWithCfg(&memory, 64, &config));
  EXPECT_EQ(memory, Garbage());
}

// 6: VA_FLAG is for "host allocs".
TEST_F(AllocationTest, HostOptionsMakePageLockedMemory) {
  aclrtMallocAttribute attributes[] = {Attribute(ACL_RT_MEM_ATTR_VA_FLAG, 1),
                                       Attribute(ACL_RT_MEM_ATTR_MODULE_ID, 3)};
  aclrtMallocConfig config{attributes, 2};
  for (aclrtMallocConfig* const one :
       {&config, static_cast<aclrtMallocConfig*>(nullptr)}) {
    void* memory = nullptr;
    ASSERT_ACL_OK(aclrtMallocHostWithCfg(&memory, 100, one));
    EXPECT_EQ(AttributesOf(memory).location.type, ACL_MEM_LOCATION_TYPE_HOST);
    void* of_device = nullptr;
    EXPECT_ACL_OK(aclrtHostGetDevicePointer(memory, &of_device, 0));
    EXPECT_EQ(of_device, memory);
    EXPECT_ACL_OK(aclrtFreeHost(memory));
  }
}

// 6: "does not wait for queued work (the WithDevSync form does)".
TEST_F(AllocationTest, FreeWithSyncWaitsForTheDevice) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  const OwnStream stream;
  void* device = nullptr;
  void* host = nullptr;
  ASSERT_ACL_OK(aclrtMalloc(&device, kMiB, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL_OK(aclrtMallocHost(&host, 64));
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
  EXPECT_ACL_OK(aclrtFreeWithDevSync(device));
  EXPECT_ACL_OK(aclrtStreamQuery(stream, &status));
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
  EXPECT_ACL_OK(aclrtFreeHostWithDevSync(host));
  EXPECT_ACL_OK(aclrtStreamQuery(stream, &status));
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  EXPECT_ACL_ERROR(107000, aclrtFreeWithDevSync(device));
  EXPECT_ACL_ERROR(107000, aclrtFreeHostWithDevSync(host));
}

// The memory's device, not the current one.
TEST_F(AllocationTest, FreeWithSyncWaitsForTheDeviceOfTheMemory) {
  ASSERT_ACL_OK(aclrtSetDevice(1));
  void* there = nullptr;
  ASSERT_ACL_OK(aclrtMalloc(&there, kMiB, ACL_MEM_MALLOC_HUGE_FIRST));
  aclrtStream stream = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&stream));
  aclrtContext context = nullptr;
  ASSERT_ACL_OK(aclrtGetCurrentContext(&context));
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  EXPECT_ACL_OK(aclrtFreeWithDevSync(there));
  ASSERT_ACL_OK(aclrtSetCurrentContext(context));
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  EXPECT_ACL_OK(aclrtStreamQuery(stream, &status));
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  EXPECT_ACL_OK(aclrtDestroyStream(stream));
}

TEST_F(AllocationTest, FreeWithSyncRefusesWhatFreeRefuses) {
  const DeviceArray<char> memory(256);
  PinnedArray<char> pinned(256);
  int local = 0;
  const ExpectNothingChanges unchanged;
  EXPECT_ACL_ERROR(100000, aclrtFreeWithDevSync(nullptr));
  EXPECT_ACL_ERROR(100000, aclrtFreeHostWithDevSync(nullptr));
  for (void* const wrong :
       {static_cast<void*>(memory.data() + 64), Garbage(),
        static_cast<void*>(&local), static_cast<void*>(pinned.data())}) {
    EXPECT_ACL_ERROR(107000, aclrtFreeWithDevSync(wrong));
  }
  for (void* const wrong :
       {static_cast<void*>(pinned.data() + 64), Garbage(),
        static_cast<void*>(&local), static_cast<void*>(memory.data())}) {
    EXPECT_ACL_ERROR(107000, aclrtFreeHostWithDevSync(wrong));
  }
  InThread([&] {
    EXPECT_ACL_ERROR(107002, aclrtFreeWithDevSync(memory.data()));
    EXPECT_ACL_ERROR(107002, aclrtFreeHostWithDevSync(pinned.data()));
  });
}

// The wait returns what tasks have left, and the memory goes nevertheless.
TEST_F(AllocationTest, FreeWithSyncReportsFaultsAndFrees) {
  const Ops ops;
  void* device = nullptr;
  void* host = nullptr;
  ASSERT_ACL_OK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL_OK(aclrtMallocHost(&host, 64));
  ASSERT_ACL_OK(LaunchFault(ops, nullptr));
  EXPECT_ACL_ERROR(507035, aclrtFreeWithDevSync(device));
  EXPECT_ACL_ERROR(107000, aclrtFree(device));
  ASSERT_ACL_OK(LaunchFault(ops, nullptr));
  EXPECT_ACL_ERROR(507035, aclrtFreeHostWithDevSync(host));
  EXPECT_ACL_ERROR(107000, aclrtFreeHost(host));
}

// 6: "location HOST (pinned or registered), DEVICE, UNREGISTERED; page size".
TEST_F(AllocationTest, AddressesAreTold) {
  struct Case {
    aclrtMemMallocPolicy policy;
    size_t bytes;
    uint32_t page_bytes;
  };
  for (const Case& one : {Case{ACL_MEM_MALLOC_HUGE_FIRST, kMiB, 4096},
                          Case{ACL_MEM_MALLOC_HUGE_FIRST, kMiB + 1, 2 * kMiB},
                          Case{ACL_MEM_MALLOC_NORMAL_ONLY, 3 * kMiB, 4096},
                          Case{ACL_MEM_MALLOC_HUGE_ONLY_P2P, 10, 2 * kMiB},
                          Case{ACL_MEM_MALLOC_HUGE1G_ONLY, 10, 1024 * kMiB}}) {
    void* memory = nullptr;
    ASSERT_ACL_OK(aclrtMalloc(&memory, one.bytes, one.policy));
    char* const bytes = static_cast<char*>(memory);
    for (const char* const inside : {bytes, bytes + one.bytes - 1}) {
      const aclrtPtrAttributes found = AttributesOf(inside);
      EXPECT_EQ(found.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
      EXPECT_EQ(found.location.id, 0u);
      EXPECT_EQ(found.pageSize, one.page_bytes) << one.policy;
      EXPECT_EQ(found.rsv[3], 0u);
    }
    EXPECT_ACL_OK(aclrtFree(memory));
    EXPECT_EQ(AttributesOf(memory).location.type,
              ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  }
  PinnedArray<char> pinned(100);
  EXPECT_EQ(AttributesOf(pinned.data() + 99).location.type,
            ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(AttributesOf(pinned.data() + 99).pageSize, 4096u);
  EXPECT_EQ(AttributesOf(pinned.data() + 100).location.type,
            ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  const int local = 0;
  InThread([&] {  // needs no context
    const aclrtPtrAttributes found = AttributesOf(&local);
    EXPECT_EQ(found.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EXPECT_EQ(found.pageSize, 0u);
  });
  aclrtPtrAttributes attributes{};
  EXPECT_ACL_ERROR(100000, aclrtPointerGetAttributes(nullptr, &attributes));
  EXPECT_ACL_ERROR(100000, aclrtPointerGetAttributes(&local, nullptr));
}

// 6: "base/size of containing block"; the pad of 6 "is invisible".
TEST_F(AllocationTest, RangesAreTold) {
  const DeviceArray<char> memory(1001);
  const DeviceArray<char> other(64);
  void* base = Garbage();
  size_t size = 5;
  {
    const ExpectNothingChanges unchanged;
    int local = 0;
    for (void* const wrong : {static_cast<void*>(memory.data() + 1001),
                              static_cast<void*>(&local), Garbage()}) {
      EXPECT_ACL_ERROR(107000, aclrtMemGetAddressRange(wrong, &base, &size));
    }
    EXPECT_ACL_ERROR(100000, aclrtMemGetAddressRange(nullptr, &base, &size));
    EXPECT_ACL_ERROR(100000,
                     aclrtMemGetAddressRange(memory.data(), nullptr, &size));
    EXPECT_ACL_ERROR(100000,
                     aclrtMemGetAddressRange(memory.data(), &base, nullptr));
    InThread([&] {
      EXPECT_ACL_ERROR(107002,
                       aclrtMemGetAddressRange(memory.data(), &base, &size));
    });
    EXPECT_EQ(base, Garbage());
    EXPECT_EQ(size, 5u);
  }
  for (const size_t offset : {0, 1, 500, 1000}) {
    EXPECT_ACL_OK(
        aclrtMemGetAddressRange(memory.data() + offset, &base, &size));
    EXPECT_EQ(base, memory.data());
    EXPECT_EQ(size, 1001u);
  }
}

}  // namespace
}  // namespace ascend::conformance
