// What needs no device: halves, capabilities, data buffers; semantics 14.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/conformance/acl_test.h"

namespace ascend::conformance {
namespace {

using BaseTest = AclTest;

// The last failure of a call that returns no code.
#define EXPECT_LAST_ERROR(code, result, call)              \
  do {                                                     \
    EXPECT_EQ(call, result);                               \
    EXPECT_ACL_ERROR(code, aclrtPeekAtLastError(kThread)); \
  } while (false)

// 14: "Inf->65536, NaN->98304 on widening; NaN/Inf->65504 on narrowing".
TEST_F(BaseTest, HalvesConvertAsInSaturationMode) {
  EXPECT_EQ(aclFloat16ToFloat(0x3C00), 1.0f);
  EXPECT_EQ(aclFloat16ToFloat(0xC000), -2.0f);
  EXPECT_EQ(aclFloat16ToFloat(0x0001), std::ldexp(1.0f, -24));
  EXPECT_EQ(aclFloat16ToFloat(0x7C00), 65536.0f);
  EXPECT_EQ(aclFloat16ToFloat(0xFC00), -65536.0f);
  EXPECT_EQ(aclFloat16ToFloat(0x7E00), 98304.0f);
  EXPECT_EQ(aclFloatToFloat16(1.0f), 0x3C00);
  EXPECT_EQ(aclFloatToFloat16(-2.0f), 0xC000);
  EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::infinity()), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(-std::numeric_limits<float>::infinity()), 0xFBFF);
  EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::quiet_NaN()), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(1e30f), 0x7BFF);
}

// Bytes of one element; types of less than a byte count as one.
TEST_F(BaseTest, ElementsHaveSizes) {
  EXPECT_EQ(aclDataTypeSize(ACL_INT8), 1u);
  EXPECT_EQ(aclDataTypeSize(ACL_INT4), 1u);
  EXPECT_EQ(aclDataTypeSize(ACL_FLOAT16), 2u);
  EXPECT_EQ(aclDataTypeSize(ACL_BF16), 2u);
  EXPECT_EQ(aclDataTypeSize(ACL_FLOAT), 4u);
  EXPECT_EQ(aclDataTypeSize(ACL_INT64), 8u);
  EXPECT_EQ(aclDataTypeSize(ACL_COMPLEX128), 16u);
  EXPECT_EQ(aclDataTypeSize(ACL_STRING), 0u);
  EXPECT_EQ(aclDataTypeSize(ACL_DT_UNDEFINED), 0u);
}

TEST_F(BaseTest, CapabilitiesOfThePlatform) {
  const aclCannAttr* list = nullptr;
  size_t count = 0;
  ASSERT_ACL_OK(aclGetCannAttributeList(&list, &count));
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(std::vector<aclCannAttr>(list, list + count),
            (std::vector<aclCannAttr>{ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16,
                                      ACL_CANN_ATTR_JIT_COMPILE}));
  for (size_t i = 0; i < count; ++i) {
    int32_t value = -1;
    EXPECT_ACL_OK(aclGetCannAttribute(list[i], &value));
    EXPECT_EQ(value, 1);
  }
}

TEST_F(BaseTest, UnknownCapabilitiesAreRefused) {
  const aclCannAttr* list = nullptr;
  size_t count = 7;
  EXPECT_ACL_ERROR(100000, aclGetCannAttributeList(nullptr, &count));
  EXPECT_ACL_ERROR(100000, aclGetCannAttributeList(&list, nullptr));
  EXPECT_EQ(list, nullptr);
  EXPECT_EQ(count, 7u);
  int32_t value = -5;
  EXPECT_ACL_ERROR(100000, aclGetCannAttribute(ACL_CANN_ATTR_BF16, nullptr));
  for (const int unknown : {-1, 3}) {
    EXPECT_ACL_ERROR(
        100000, aclGetCannAttribute(static_cast<aclCannAttr>(unknown), &value));
  }
  EXPECT_EQ(value, -5);
}

// 14: "aclGetDeviceCapability (older): AI cores, vector cores, L2".
TEST_F(BaseTest, OlderCapabilitiesAreThoseOfDeviceInfo) {
  const struct {
    aclDeviceInfo older;
    aclrtDevAttr newer;
  } kPairs[] = {
      {ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEV_ATTR_AICORE_CORE_NUM},
      {ACL_DEVICE_INFO_VECTOR_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM},
      {ACL_DEVICE_INFO_L2_SIZE, ACL_DEV_ATTR_L2_CACHE_SIZE},
  };
  for (const auto& pair : kPairs) {
    int64_t older = -1;
    int64_t newer = -2;
    EXPECT_ACL_OK(aclGetDeviceCapability(1, pair.older, &older));
    EXPECT_ACL_OK(aclrtGetDeviceInfo(1, pair.newer, &newer));
    EXPECT_EQ(older, newer);
  }
  int64_t value = -5;
  EXPECT_ACL_ERROR(
      100000, aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, nullptr));
  EXPECT_ACL_ERROR(107001, aclGetDeviceCapability(
                               kDeviceCount, ACL_DEVICE_INFO_L2_SIZE, &value));
  EXPECT_ACL_ERROR(
      107000, aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value));
  EXPECT_ACL_ERROR(
      107000, aclGetDeviceCapability(0, static_cast<aclDeviceInfo>(3), &value));
  EXPECT_EQ(value, -5);
}

// A program's own line is no failure, whatever it holds.
TEST_F(BaseTest, LinesOfTheProgramAreNoErrors) {
  aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__, "%d of %s", 1, "two");
  aclAppLog(ACL_DEBUG, nullptr, nullptr, 0, "%s",
            std::string(5000, 'x').c_str());
  aclAppLog(ACL_INFO, __func__, __FILE__, __LINE__, nullptr);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(BaseTest, DataBuffersHoldAddressAndSize) {
  char bytes[8];
  aclDataBuffer* const buffer = aclCreateDataBuffer(bytes, sizeof(bytes));
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), bytes);
  EXPECT_EQ(aclGetDataBufferSize(buffer), sizeof(bytes));
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), sizeof(bytes));
  const size_t large = (size_t{1} << 32) + 1;
  EXPECT_ACL_OK(aclUpdateDataBuffer(buffer, bytes + 1, large));
  EXPECT_EQ(aclGetDataBufferAddr(buffer), bytes + 1);
  EXPECT_EQ(aclGetDataBufferSize(buffer), UINT32_MAX);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), large);
  EXPECT_ACL_OK(aclUpdateDataBuffer(buffer, nullptr, 0));
  EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_ACL_OK(aclDestroyDataBuffer(buffer));
}

// 13: null 100000; "stale or foreign handle 107017".
TEST_F(BaseTest, WhatIsNoDataBufferIsRefused) {
  aclDataBuffer* const gone = aclCreateDataBuffer(nullptr, 5);
  ASSERT_NE(gone, nullptr);
  EXPECT_ACL_OK(aclDestroyDataBuffer(gone));
  auto* const garbage = static_cast<aclDataBuffer*>(Garbage());
  for (aclDataBuffer* const buffer : {gone, garbage}) {
    EXPECT_ACL_ERROR(107017, aclDestroyDataBuffer(buffer));
    EXPECT_ACL_ERROR(107017, aclUpdateDataBuffer(buffer, nullptr, 0));
    EXPECT_LAST_ERROR(107017, nullptr, aclGetDataBufferAddr(buffer));
    EXPECT_LAST_ERROR(107017, 0u, aclGetDataBufferSize(buffer));
    EXPECT_LAST_ERROR(107017, 0u, aclGetDataBufferSizeV2(buffer));
  }
  EXPECT_ACL_ERROR(100000, aclDestroyDataBuffer(nullptr));
  EXPECT_ACL_ERROR(100000, aclUpdateDataBuffer(nullptr, nullptr, 0));
  EXPECT_LAST_ERROR(100000, nullptr, aclGetDataBufferAddr(nullptr));
  EXPECT_LAST_ERROR(100000, 0u, aclGetDataBufferSize(nullptr));
  EXPECT_LAST_ERROR(100000, 0u, aclGetDataBufferSizeV2(nullptr));
}

}  // namespace
}  // namespace ascend::conformance
