// semantics 8: reductions, "dst = dst op src" for sum, maximum and minimum over
// int8, int16, int32, half, float and bf16; "count in bytes".
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"
#include "tests/conformance/fresh_process.h"
#include "tests/testing/tensor.h"

namespace ascend::conformance {
namespace {

using ::ascend::testing::Tensor;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ReduceTest = AclTest;

constexpr auto kSum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
constexpr auto kMax = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX;
constexpr auto kMin = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN;

// Reduces on a stream of its own; the source must stay as it is.
template <typename T>
std::vector<T> Reduced(const std::vector<T>& target,
                       const std::vector<T>& source, aclrtReduceKind kind,
                       aclDataType type) {
  const OwnStream stream;
  const DeviceArray<T> dst(target);
  const DeviceArray<T> src(source);
  EXPECT_ACL_OK(aclrtReduceAsync(dst.data(), src.data(), dst.bytes(), kind,
                                 type, stream, nullptr));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(src.Download(), source);
  return dst.Download();
}

template <typename T>
void ExpectIntegers(aclDataType type, T least, T most) {
  const std::vector<T> x = {1, -5, most, least, 0};
  const std::vector<T> y = {2, 7, 1, -1, 0};
  EXPECT_EQ(Reduced(x, y, kSum, type), (std::vector<T>{3, 2, least, most, 0}));
  EXPECT_EQ(Reduced(x, y, kMax, type), (std::vector<T>{2, 7, most, -1, 0}));
  EXPECT_EQ(Reduced(x, y, kMin, type), (std::vector<T>{1, -5, 1, least, 0}));
}

TEST_F(ReduceTest, IntegersWrapAround) {
  ExpectIntegers<int8_t>(ACL_INT8, INT8_MIN, INT8_MAX);
  ExpectIntegers<int16_t>(ACL_INT16, INT16_MIN, INT16_MAX);
  ExpectIntegers<int32_t>(ACL_INT32, INT32_MIN, INT32_MAX);
}

template <typename T>
std::vector<T> Elements(aclDataType type, const std::vector<float>& values) {
  const Tensor tensor(type, values);
  std::vector<T> elements(values.size());
  std::memcpy(elements.data(), tensor.bytes().data(), tensor.bytes().size());
  return elements;
}

template <typename T>
void ExpectFloats(aclDataType type) {
  const auto elements = [type](const std::vector<float>& values) {
    return Elements<T>(type, values);
  };
  const std::vector<T> x = elements({1, -5, 0.5f, 100, 0.1f});
  const std::vector<T> y = elements({2, 7, 0.25f, -1, 0.2f});
  // What the inputs are after rounding.
  const float tenth = Tensor(type, {0.1f}).Values()[0];
  const float fifth = Tensor(type, {0.2f}).Values()[0];
  EXPECT_EQ(Reduced(x, y, kSum, type),
            elements({3, 2, 0.75f, 99, tenth + fifth}));
  EXPECT_EQ(Reduced(x, y, kMax, type), elements({2, 7, 0.5f, 100, fifth}));
  EXPECT_EQ(Reduced(x, y, kMin, type), elements({1, -5, 0.25f, -1, tenth}));
}

TEST_F(ReduceTest, FloatsAreRoundedToNearest) {
  ExpectFloats<float>(ACL_FLOAT);
  ExpectFloats<uint16_t>(ACL_FLOAT16);
  ExpectFloats<uint16_t>(ACL_BF16);
}

// Only `count` bytes change, in the order of the stream.
TEST_F(ReduceTest, IsATaskOfItsStreamAndCountsBytes) {
  constexpr size_t kCount = 1'000'003;
  const DeviceArray<float> dst(kCount);
  const DeviceArray<float> src(Ramp(kCount, 0, 0.5f));
  ASSERT_ACL_OK(
      aclrtMemsetAsync(dst.data(), dst.bytes(), 0, dst.bytes(), nullptr));
  for (int i = 0; i < 3; ++i) {
    ASSERT_ACL_OK(aclrtReduceAsync(dst.data(), src.data(), dst.bytes() - 4,
                                   kSum, ACL_FLOAT, nullptr, nullptr));
  }
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  std::vector<float> expected = Ramp(kCount, 0, 1.5f);
  expected.back() = 0;
  EXPECT_TRUE(dst.Download() == expected);
}

// One array with itself, and two parts of one array that touch.
TEST_F(ReduceTest, TakesRangesThatAreTheSameOrApart) {
  const DeviceArray<int32_t> data(std::vector<int32_t>{1, 2, 3, 4});
  ASSERT_ACL_OK(aclrtReduceAsync(data.data(), data.data(), 16, kSum, ACL_INT32,
                                 nullptr, nullptr));
  ASSERT_ACL_OK(aclrtReduceAsync(data.data(), data.data() + 2, 8, kSum,
                                 ACL_INT32, nullptr, nullptr));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(data.Download(), (std::vector<int32_t>{8, 12, 6, 8}));
  const ExpectNothingChanges unchanged;
  EXPECT_ACL_ERROR(107000, aclrtReduceAsync(data.data(), data.data() + 1, 8,
                                            kSum, ACL_INT32, nullptr, nullptr));
  EXPECT_ACL_ERROR(107000, aclrtReduceAsync(data.data() + 1, data.data(), 8,
                                            kSum, ACL_INT32, nullptr, nullptr));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(data.Download(), (std::vector<int32_t>{8, 12, 6, 8}));
}

// Each says what was wrong, and nothing is queued.
TEST_F(ReduceTest, WrongCallsReduceNothing) {
  const std::vector<int32_t> before = {1, 2, 3, 4};
  const DeviceArray<int32_t> dst(before);
  const DeviceArray<int32_t> src(before);
  int32_t host[4] = {5, 6, 7, 8};
  int32_t* gone = nullptr;
  ASSERT_ACL_OK(aclrtMalloc(reinterpret_cast<void**>(&gone), 16,
                            ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL_OK(aclrtFree(gone));
  const auto reduce = [](void* target, const void* source, uint64_t count,
                         int kind, int type, aclrtStream stream = nullptr,
                         void* reserve = nullptr) {
    return aclrtReduceAsync(target, source, count,
                            static_cast<aclrtReduceKind>(kind),
                            static_cast<aclDataType>(type), stream, reserve);
  };
  {
    const ExpectNothingChanges unchanged;
    EXPECT_ACL_ERROR(100000, reduce(nullptr, src.data(), 16, kSum, ACL_INT32));
    EXPECT_ACL_ERROR(100000, reduce(dst.data(), nullptr, 16, kSum, ACL_INT32));
    for (const uint64_t count : {uint64_t{0}, uint64_t{15}, uint64_t{2},
                                 uint64_t{20}, UINT64_MAX, UINT64_MAX - 3}) {
      EXPECT_ACL_ERROR(107000,
                       reduce(dst.data(), src.data(), count, kSum, ACL_INT32));
    }
    EXPECT_ACL_ERROR(107000, reduce(dst.data(), src.data(), 3, kSum, ACL_BF16));
    for (const int kind : {0, 9, 14, -1}) {
      EXPECT_ACL_ERROR(107000,
                       reduce(dst.data(), src.data(), 16, kind, ACL_INT32));
    }
    for (const int type : {-1, int{ACL_UINT8}, int{ACL_INT64}, int{ACL_DOUBLE},
                           int{ACL_BOOL}, 1000}) {
      EXPECT_ACL_ERROR(107000, reduce(dst.data(), src.data(), 16, kSum, type));
    }
    char* const bytes = reinterpret_cast<char*>(dst.data());
    EXPECT_ACL_ERROR(107000, reduce(bytes + 2, src.data(), 8, kSum, ACL_INT32));
    EXPECT_ACL_ERROR(107000, reduce(src.data(), bytes + 1, 8, kSum, ACL_INT16));
    EXPECT_ACL_ERROR(107000, reduce(host, src.data(), 16, kSum, ACL_INT32));
    EXPECT_ACL_ERROR(107000, reduce(dst.data(), host, 16, kSum, ACL_INT32));
    EXPECT_ACL_ERROR(107000, reduce(gone, src.data(), 16, kSum, ACL_INT32));
    EXPECT_ACL_ERROR(107000, reduce(dst.data(), gone, 16, kSum, ACL_INT32));
    EXPECT_ACL_ERROR(107000, reduce(dst.data(), src.data(), 16, kSum, ACL_INT32,
                                    nullptr, host));
    EXPECT_ACL_ERROR(
        107017, reduce(dst.data(), src.data(), 16, kSum, ACL_INT32, Garbage()));
    InThread([&] {
      EXPECT_ACL_ERROR(107002,
                       reduce(dst.data(), src.data(), 16, kSum, ACL_INT32));
    });
  }
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(dst.Download(), before);
  EXPECT_EQ(src.Download(), before);
}

TEST_F(ReduceTest, AStreamThatIsGoneIsStale) {
  const DeviceArray<int32_t> data(std::vector<int32_t>{1, 2});
  aclrtStream stream = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&stream));
  ASSERT_ACL_OK(aclrtDestroyStream(stream));
  EXPECT_ACL_ERROR(107017, aclrtReduceAsync(data.data(), data.data(), 8, kSum,
                                            ACL_INT32, stream, nullptr));
  EXPECT_EQ(data.Download(), (std::vector<int32_t>{1, 2}));
}

// "EQUAL" is a name without a meaning.
TEST_F(ReduceTest, EqualIsNotSupported) {
  const DeviceArray<int32_t> data(std::vector<int32_t>{1, 2});
  const auto reduce = [&data] {
    return aclrtReduceAsync(data.data(), data.data(), 8,
                            ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, ACL_INT32,
                            nullptr, nullptr);
  };
  EXPECT_ACL_ERROR(207000, reduce());
  EXPECT_EQ(reduce(), 207000);
  const char* const text = aclGetRecentErrMsg();
  ASSERT_NE(text, nullptr);
  EXPECT_THAT(std::string(text),
              AllOf(HasSubstr("aclrtReduceAsync"), HasSubstr("kind is 13"),
                    HasSubstr("use sum (10)")));
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  EXPECT_EQ(data.Download(), (std::vector<int32_t>{1, 2}));
}

TEST_F(ReduceTest, MemoryAndStreamAreOfOneDevice) {
  const DeviceArray<int32_t> data(std::vector<int32_t>{1, 2});
  const OwnStream stream;
  ASSERT_ACL_OK(aclrtSetDevice(1));
  {
    const DeviceArray<int32_t> other(std::vector<int32_t>{3, 4});
    EXPECT_ACL_ERROR(
        107000, aclrtReduceAsync(data.data(), other.data(), 8, kSum, ACL_INT32,
                                 nullptr, nullptr));
    EXPECT_ACL_ERROR(
        107000, aclrtReduceAsync(other.data(), data.data(), 8, kSum, ACL_INT32,
                                 nullptr, nullptr));
    EXPECT_ACL_ERROR(107003, aclrtReduceAsync(data.data(), data.data(), 8, kSum,
                                              ACL_INT32, stream, nullptr));
    ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(other.Download(), (std::vector<int32_t>{3, 4}));
  }
  ASSERT_ACL_OK(aclrtResetDevice(1));
  ASSERT_ACL_OK(aclrtSetDevice(0));
  EXPECT_EQ(data.Download(), (std::vector<int32_t>{1, 2}));
}

// The kernel behind it belongs to a session: a new one brings its own.
FRESH_PROCESS_TEST(ReduceLifeTest, WorksAgainAfterFinalize) {
  for (int life = 0; life < 3; ++life) {
    ASSERT_ACL_OK(aclInit(nullptr));
    ASSERT_ACL_OK(aclrtSetDevice(0));
    {
      const DeviceArray<int32_t> data(std::vector<int32_t>{1, 2});
      ASSERT_ACL_OK(aclrtReduceAsync(data.data(), data.data(), 8, kSum,
                                     ACL_INT32, nullptr, nullptr));
      ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
      EXPECT_EQ(data.Download(), (std::vector<int32_t>{2, 4}));
    }
    ASSERT_ACL_OK(aclrtResetDevice(0));
    ASSERT_ACL_OK(aclFinalize());
  }
}

}  // namespace
}  // namespace ascend::conformance
