// semantics 7: memory of the program that is made known.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using HostRegistrationTest = AclTest;

constexpr size_t kFloatCount = 300'000;

aclrtMemLocationType PlaceOf(const void* address) {
  aclrtPtrAttributes attributes{};
  EXPECT_ACL_OK(aclrtPointerGetAttributes(address, &attributes));
  return attributes.location.type;
}

// 8 rule 1: copies from and to registered memory are "truly queued", and the
// direction is corrected, which pageable memory does not allow.
TEST_F(HostRegistrationTest, CopiesTakeItAsPageLocked) {
  const Ops ops;
  const DeviceArray<float> x(kFloatCount);
  std::vector<float> in = Ramp(kFloatCount, 1, 0.5f);
  std::vector<float> out(kFloatCount, -1);
  void* in_device = nullptr;
  ASSERT_ACL_OK(aclrtHostRegister(in.data(), kFloatCount * sizeof(float),
                                  ACL_HOST_REGISTER_READONLY, &in_device));
  EXPECT_EQ(in_device, in.data());
  ASSERT_ACL_OK(aclrtHostRegisterV2(out.data(), kFloatCount * sizeof(float),
                                    ACL_HOST_REG_PINNED));
  EXPECT_EQ(PlaceOf(in.data() + kFloatCount - 1), ACL_MEM_LOCATION_TYPE_HOST);
  const OwnStream stream;
  ASSERT_ACL_OK(aclrtMemcpyAsync(x.data(), x.bytes(), in_device, x.bytes(),
                                 ACL_MEMCPY_DEVICE_TO_HOST, stream));
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), x.data(), kFloatCount, stream));
  ASSERT_ACL_OK(aclrtMemcpyAsyncWithCondition(
      out.data(), x.bytes(), x.data(), x.bytes(), ACL_MEMCPY_DEFAULT, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(out, Ramp(kFloatCount, 2, 1));
  EXPECT_ACL_OK(aclrtHostUnregister(in.data()));
  EXPECT_ACL_OK(aclrtHostUnregister(out.data()));
  EXPECT_EQ(PlaceOf(in.data()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  EXPECT_ACL_ERROR(107000,
                   aclrtMemcpyAsync(x.data(), x.bytes(), in.data(), x.bytes(),
                                    ACL_MEMCPY_DEVICE_TO_HOST, stream));
}

// The call returns while the stream is busy.
TEST_F(HostRegistrationTest, CopiesDoNotBlock) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  const DeviceArray<float> x(std::vector<float>(1000, 5));
  std::vector<float> out(1000, 0);
  ASSERT_ACL_OK(aclrtHostRegisterV2(out.data(), x.bytes(),
                                    ACL_HOST_REG_PINNED | ACL_HOST_REG_MAPPED));
  const OwnStream stream;
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    for (int i = 0; i < work; ++i) {
      EXPECT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
    }
    EXPECT_ACL_OK(aclrtMemcpyAsync(out.data(), x.bytes(), x.data(), x.bytes(),
                                   ACL_MEMCPY_DEVICE_TO_HOST, stream));
    aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
    EXPECT_ACL_OK(aclrtStreamQuery(stream, &status));
    EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
    return status == ACL_STREAM_STATUS_NOT_READY;
  }));
  EXPECT_EQ(out, std::vector<float>(1000, 5));
  EXPECT_ACL_OK(aclrtHostUnregister(out.data()));
}

// 7: "Twice: 507910; unregister unknown: 507911".
TEST_F(HostRegistrationTest, ARangeIsRegisteredOnce) {
  std::vector<char> memory(4096);
  char* const start = memory.data() + 1024;
  void* alias = Garbage();
  const auto mapped = ACL_HOST_REGISTER_MAPPED;
  ASSERT_ACL_OK(aclrtHostRegister(start, 1024, mapped, &alias));
  alias = Garbage();
  {
    const ExpectNothingChanges unchanged;
    struct Part {
      char* at;
      uint64_t bytes;
    };
    for (const Part& part :
         {Part{start, 1024}, Part{start, 1}, Part{start + 1023, 10},
          Part{start - 10, 11}, Part{start - 10, 2000}, Part{start + 5, 5}}) {
      EXPECT_ACL_ERROR(507910,
                       aclrtHostRegister(part.at, part.bytes, mapped, &alias));
      EXPECT_ACL_ERROR(507910, aclrtHostRegisterV2(part.at, part.bytes,
                                                   ACL_HOST_REG_MAPPED));
    }
    EXPECT_EQ(alias, Garbage());
    EXPECT_ACL_ERROR(507911, aclrtHostUnregister(start + 1));
    EXPECT_ACL_ERROR(507911, aclrtHostUnregister(start - 1024));
    EXPECT_ACL_ERROR(507911, aclrtHostUnregister(Garbage()));
    EXPECT_ACL_ERROR(107000, aclrtFreeHost(start));
    EXPECT_ACL_ERROR(107000, aclrtFreeHostWithDevSync(start));
  }
  // Side by side is not twice.
  EXPECT_ACL_OK(aclrtHostRegister(start - 10, 10, mapped, &alias));
  EXPECT_ACL_OK(aclrtHostRegister(start + 1024, 10, mapped, &alias));
  for (char* const part : {start - 10, start, start + 1024}) {
    EXPECT_EQ(PlaceOf(part), ACL_MEM_LOCATION_TYPE_HOST);
    EXPECT_ACL_OK(aclrtHostUnregister(part));
    EXPECT_EQ(PlaceOf(part), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  }
  EXPECT_ACL_ERROR(507911, aclrtHostUnregister(start));
}

TEST_F(HostRegistrationTest, PageLockedMemoryIsKnownAlready) {
  PinnedArray<char> pinned(256);
  EXPECT_ACL_ERROR(
      507910, aclrtHostRegisterV2(pinned.data() + 10, 10, ACL_HOST_REG_PINNED));
  EXPECT_ACL_ERROR(507911, aclrtHostUnregister(pinned.data()));
  void* alias = nullptr;
  EXPECT_ACL_OK(aclrtHostGetDevicePointer(pinned.data() + 3, &alias, 0));
  EXPECT_EQ(alias, pinned.data() + 3);
}

// "Device address by aclrtHostGetDevicePointer", if it was mapped.
TEST_F(HostRegistrationTest, OnlyMappedMemoryHasADeviceAddress) {
  std::vector<char> memory(256);
  void* alias = Garbage();
  EXPECT_ACL_ERROR(107000, aclrtHostGetDevicePointer(memory.data(), &alias, 0));
  ASSERT_ACL_OK(aclrtHostRegisterV2(memory.data(), 256, ACL_HOST_REG_PINNED));
  EXPECT_ACL_ERROR(107000, aclrtHostGetDevicePointer(memory.data(), &alias, 0));
  ASSERT_ACL_OK(aclrtHostUnregister(memory.data()));
  ASSERT_ACL_OK(aclrtHostRegisterV2(
      memory.data(), 256, ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY));
  EXPECT_ACL_ERROR(107000, aclrtHostGetDevicePointer(memory.data(), &alias, 1));
  EXPECT_ACL_ERROR(100000, aclrtHostGetDevicePointer(nullptr, &alias, 0));
  EXPECT_ACL_ERROR(100000,
                   aclrtHostGetDevicePointer(memory.data(), nullptr, 0));
  EXPECT_ACL_ERROR(107000,
                   aclrtHostGetDevicePointer(memory.data() + 256, &alias, 0));
  EXPECT_EQ(alias, Garbage());
  EXPECT_ACL_OK(aclrtHostGetDevicePointer(memory.data() + 255, &alias, 0));
  EXPECT_EQ(alias, memory.data() + 255);
  EXPECT_ACL_OK(aclrtHostUnregister(memory.data()));
}

TEST_F(HostRegistrationTest, MisuseIsRefused) {
  std::vector<char> memory(256);
  char* const at = memory.data();
  void* alias = Garbage();
  const DeviceArray<char> device(64);
  const ExpectNothingChanges unchanged;
  const auto mapped = ACL_HOST_REGISTER_MAPPED;
  EXPECT_ACL_ERROR(100000, aclrtHostRegister(nullptr, 64, mapped, &alias));
  EXPECT_ACL_ERROR(100000, aclrtHostRegister(at, 64, mapped, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtHostRegister(at, 0, mapped, &alias));
  EXPECT_ACL_ERROR(100000, aclrtHostRegisterV2(nullptr, 64, 2));
  EXPECT_ACL_ERROR(100000, aclrtHostRegisterV2(at, 0, 2));
  EXPECT_ACL_ERROR(100000, aclrtHostUnregister(nullptr));
  for (const int type : {1, 2, 99}) {
    EXPECT_ACL_ERROR(
        107000, aclrtHostRegister(
                    at, 64, static_cast<aclrtHostRegisterType>(type), &alias));
  }
  for (const uint32_t flag : {0u, 1u, 0x8u, 0x12u, 0x20000002u, ~0u}) {
    EXPECT_ACL_ERROR(107000, aclrtHostRegisterV2(at, 64, flag));
  }
  EXPECT_ACL_ERROR(
      207000, aclrtHostRegister(at, 64, ACL_HOST_REGISTER_IOMEMORY, &alias));
  EXPECT_ACL_ERROR(207000, aclrtHostRegisterV2(at, 64, ACL_HOST_REG_IOMEMORY));
  EXPECT_ACL_ERROR(107000,
                   aclrtHostRegister(device.data(), 64, mapped, &alias));
  EXPECT_ACL_ERROR(107000, aclrtHostRegister(at, UINT64_MAX, mapped, &alias));
  InThread([&] {
    EXPECT_ACL_ERROR(107002, aclrtHostRegister(at, 64, mapped, &alias));
    EXPECT_ACL_ERROR(107002, aclrtHostRegisterV2(at, 64, 2));
    EXPECT_ACL_ERROR(107002, aclrtHostGetDevicePointer(at, &alias, 0));
    EXPECT_ACL_ERROR(107002, aclrtHostUnregister(at));
  });
  EXPECT_EQ(alias, Garbage());
  EXPECT_EQ(PlaceOf(at), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
}

}  // namespace
}  // namespace ascend::conformance
