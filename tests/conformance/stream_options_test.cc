// semantics 3: what a stream is, configurations of streams.
#include <cstdint>
#include <set>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using StreamOptionsTest = AclTest;

int32_t IdOf(aclrtStream stream) {
  int32_t id = -1;
  EXPECT_ACL_OK(aclrtStreamGetId(stream, &id));
  return id;
}

uint32_t PriorityOf(aclrtStream stream) {
  uint32_t priority = ~0u;
  EXPECT_ACL_OK(aclrtStreamGetPriority(stream, &priority));
  return priority;
}

uint32_t FlagsOf(aclrtStream stream) {
  uint32_t flags = ~0u;
  EXPECT_ACL_OK(aclrtStreamGetFlags(stream, &flags));
  return flags;
}

uint32_t StreamsLeft() {
  uint32_t left = 0;
  EXPECT_ACL_OK(aclrtGetStreamAvailableNum(&left));
  return left;
}

uint32_t LastTask() {
  uint32_t task = ~0u;
  EXPECT_ACL_OK(aclrtGetThreadLastTaskId(&task));
  return task;
}

// A configuration, destroyed at the end.
class OwnConfig {
 public:
  OwnConfig() : handle_(aclrtCreateStreamConfigHandle()) {
    EXPECT_NE(handle_, nullptr);
  }
  ~OwnConfig() { EXPECT_ACL_OK(aclrtDestroyStreamConfigHandle(handle_)); }
  OwnConfig(const OwnConfig&) = delete;
  OwnConfig& operator=(const OwnConfig&) = delete;
  operator aclrtStreamConfigHandle*() const { return handle_; }

  template <typename Value>
  aclError Set(aclrtStreamConfigAttr attribute, Value value) const {
    return aclrtSetStreamConfigOpt(handle_, attribute, &value, sizeof(value));
  }

 private:
  aclrtStreamConfigHandle* const handle_;
};

// 3: "aclrtStreamGetId small int"; null: default stream.
TEST_F(StreamOptionsTest, IdsAreSmallAndOfOneStream) {
  const OwnStream first;
  const OwnStream second;
  aclrtStream fallback = nullptr;
  ASSERT_ACL_OK(aclrtCtxGetCurrentDefaultStream(&fallback));
  EXPECT_EQ(IdOf(nullptr), IdOf(fallback));
  const std::set<int32_t> ids = {IdOf(nullptr), IdOf(first), IdOf(second)};
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_GE(*ids.begin(), 0);
  EXPECT_LT(*ids.rbegin(), 32768);
}

// 3: the default stream is "priority 0"; "aclrtCreateStream = priority 0,
// flags 0"; priorities are clamped, flags OR together.
TEST_F(StreamOptionsTest, PriorityAndFlagsAreThoseOfTheCreation) {
  const OwnStream plain(0, 0);
  const OwnStream middle(5, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_HUGE);
  const OwnStream least(100, ACL_STREAM_FAST_SYNC);
  for (const aclrtStream stream : {aclrtStream(nullptr), aclrtStream(plain)}) {
    EXPECT_EQ(PriorityOf(stream), 0u);
    EXPECT_EQ(FlagsOf(stream), 0u);
  }
  EXPECT_EQ(PriorityOf(middle), 5u);
  EXPECT_EQ(FlagsOf(middle), ACL_STREAM_FAST_LAUNCH | ACL_STREAM_HUGE);
  EXPECT_EQ(PriorityOf(least), 7u);
  EXPECT_EQ(FlagsOf(least), ACL_STREAM_FAST_SYNC);
}

// 3: "reports what is left", of 1984.
TEST_F(StreamOptionsTest, EachStreamIsOneLessOfThoseLeft) {
  const uint32_t before = StreamsLeft();
  EXPECT_EQ(before, 1983u);  // the default stream is there
  {
    const OwnStream first;
    const OwnStream second;
    EXPECT_EQ(StreamsLeft(), before - 2);
  }
  EXPECT_EQ(StreamsLeft(), before);
}

// 3: "task ids: aclrtGetThreadLastTaskId per thread".
TEST_F(StreamOptionsTest, AThreadKnowsItsLastTask) {
  const DeviceArray<float> x(64);
  const DeviceArray<float> y(64);  // of the default stream: nothing orders them
  const OwnStream stream;
  const auto put_task = [&](aclrtStream into) {
    const DeviceArray<float>& memory = into == nullptr ? y : x;
    EXPECT_ACL_OK(aclrtMemsetAsync(memory.data(), memory.bytes(), 0,
                                   memory.bytes(), into));
  };
  aclrtContext context = nullptr;
  ASSERT_ACL_OK(aclrtGetCurrentContext(&context));
  put_task(stream);
  EXPECT_EQ(LastTask(), 1u);
  put_task(stream);
  EXPECT_EQ(LastTask(), 2u);
  put_task(nullptr);
  EXPECT_EQ(LastTask(), 1u);
  InThread([&] {
    ASSERT_ACL_OK(aclrtSetCurrentContext(context));
    EXPECT_EQ(LastTask(), 0u);
    put_task(stream);
    EXPECT_EQ(LastTask(), 3u);
  });
  // Nor does what is refused count.
  EXPECT_ACL_ERROR(107000, aclrtMemsetAsync(x.data(), 1, 0, 2, stream));
  EXPECT_EQ(LastTask(), 1u);
  EXPECT_ACL_OK(aclrtSynchronizeDevice());
}

// 13: null out-pointer 100000, stale handle 107017, no context 107002.
TEST_F(StreamOptionsTest, QuestionsAboutNoStreamAreRefused) {
  aclrtStream dead = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&dead));
  ASSERT_ACL_OK(aclrtDestroyStream(dead));
  const ExpectNothingChanges unchanged;
  int32_t id = 7;
  uint32_t number = 7;
  for (void* const bad : {dead, Garbage()}) {
    EXPECT_ACL_ERROR(107017, aclrtStreamGetId(bad, &id));
    EXPECT_ACL_ERROR(107017, aclrtStreamGetPriority(bad, &number));
    EXPECT_ACL_ERROR(107017, aclrtStreamGetFlags(bad, &number));
  }
  EXPECT_ACL_ERROR(100000, aclrtStreamGetId(nullptr, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtStreamGetPriority(nullptr, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtStreamGetFlags(nullptr, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetStreamAvailableNum(nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetThreadLastTaskId(nullptr));
  InThread([&] {
    EXPECT_ACL_ERROR(107002, aclrtStreamGetId(nullptr, &id));
    EXPECT_ACL_ERROR(107002, aclrtStreamGetPriority(nullptr, &number));
    EXPECT_ACL_ERROR(107002, aclrtStreamGetFlags(nullptr, &number));
    EXPECT_ACL_ERROR(107002, aclrtGetStreamAvailableNum(&number));
    EXPECT_ACL_ERROR(107002, aclrtGetThreadLastTaskId(&number));
  });
  EXPECT_EQ(id, 7);
  EXPECT_EQ(number, 7u);
}

// 3: "ACL_RT_STREAM_PRIORITY sets it in CreateStreamV2".
TEST_F(StreamOptionsTest, AStreamIsMadeAsItsConfigurationSays) {
  const OwnConfig config;
  aclrtStream plain = nullptr;
  ASSERT_ACL_OK(aclrtCreateStreamV2(&plain, config));
  EXPECT_EQ(PriorityOf(plain), 0u);
  EXPECT_EQ(FlagsOf(plain), 0u);

  const DeviceArray<char> work(4096);
  EXPECT_ACL_OK(config.Set(ACL_RT_STREAM_WORK_ADDR_PTR, work.data()));
  EXPECT_ACL_OK(config.Set(ACL_RT_STREAM_WORK_SIZE, work.bytes()));
  EXPECT_ACL_OK(config.Set(ACL_RT_STREAM_FLAG, size_t{ACL_STREAM_FAST_LAUNCH}));
  EXPECT_ACL_OK(config.Set(ACL_RT_STREAM_PRIORITY, uint32_t{3}));
  aclrtStream stream = nullptr;
  ASSERT_ACL_OK(aclrtCreateStreamV2(&stream, config));
  EXPECT_EQ(PriorityOf(stream), 3u);
  EXPECT_EQ(FlagsOf(stream), ACL_STREAM_FAST_LAUNCH);
  EXPECT_ACL_OK(config.Set(ACL_RT_STREAM_PRIORITY, uint32_t{8}));
  EXPECT_EQ(PriorityOf(stream), 3u);
  aclrtStream least = nullptr;
  ASSERT_ACL_OK(aclrtCreateStreamV2(&least, config));
  EXPECT_EQ(PriorityOf(least), 7u);
  for (const aclrtStream each : {plain, stream, least}) {
    EXPECT_ACL_OK(aclrtDestroyStream(each));
  }
}

// 3, 13: null 100000, illegal flag 107000, no context 107002; a configuration
// that was destroyed 107017.
TEST_F(StreamOptionsTest, BadConfigurationsAreRefused) {
  const OwnConfig config;
  aclrtStreamConfigHandle* const dead = aclrtCreateStreamConfigHandle();
  ASSERT_ACL_OK(aclrtDestroyStreamConfigHandle(dead));
  const ExpectNothingChanges unchanged;
  aclrtStream stream = Garbage();
  const uint32_t priority = 3;
  EXPECT_ACL_ERROR(100000, aclrtDestroyStreamConfigHandle(nullptr));
  EXPECT_ACL_ERROR(107017, aclrtDestroyStreamConfigHandle(dead));
  EXPECT_ACL_ERROR(100000,
                   aclrtSetStreamConfigOpt(nullptr, ACL_RT_STREAM_PRIORITY,
                                           &priority, sizeof(priority)));
  EXPECT_ACL_ERROR(
      107017, aclrtSetStreamConfigOpt(dead, ACL_RT_STREAM_PRIORITY, &priority,
                                      sizeof(priority)));
  EXPECT_ACL_ERROR(
      100000, aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, nullptr,
                                      sizeof(priority)));
  EXPECT_ACL_ERROR(
      107000, aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority,
                                      sizeof(priority) - 1));
  EXPECT_ACL_ERROR(107000,
                   config.Set(static_cast<aclrtStreamConfigAttr>(4), 0u));
  EXPECT_ACL_ERROR(107000, config.Set(ACL_RT_STREAM_FLAG, size_t{0x40}));
  EXPECT_ACL_ERROR(107000, config.Set(ACL_RT_STREAM_FLAG, SIZE_MAX));
  // Kinds of later releases.
  EXPECT_ACL_ERROR(
      207000, config.Set(ACL_RT_STREAM_FLAG, size_t{ACL_STREAM_PERSISTENT}));
  EXPECT_ACL_ERROR(100000, aclrtCreateStreamV2(nullptr, config));
  EXPECT_ACL_ERROR(100000, aclrtCreateStreamV2(&stream, nullptr));
  EXPECT_ACL_ERROR(107017, aclrtCreateStreamV2(&stream, dead));
  InThread(
      [&] { EXPECT_ACL_ERROR(107002, aclrtCreateStreamV2(&stream, config)); });
  EXPECT_EQ(stream, Garbage());
  // And nothing of it has stayed in the configuration.
  ASSERT_ACL_OK(aclrtCreateStreamV2(&stream, config));
  EXPECT_EQ(PriorityOf(stream), 0u);
  EXPECT_EQ(FlagsOf(stream), 0u);
  EXPECT_ACL_OK(aclrtDestroyStream(stream));
}

}  // namespace
}  // namespace ascend::conformance
