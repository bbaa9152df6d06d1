// semantics 3: streams.
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using StreamTest = AclTest;

aclrtStreamStatus StreamStatusOf(aclrtStream stream) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  EXPECT_ACL_OK(aclrtStreamQuery(stream, &status));
  return status;
}

// 3: priorities 0 (most urgent) to 7; "out-of-range values are clamped
// silently"; flags OR together; null out-pointer 100000; a flag that does not
// exist 107000.
TEST_F(StreamTest, CreateTakesAnyPriorityAndKnownFlags) {
  int32_t least = -1;
  int32_t greatest = -1;
  EXPECT_ACL_OK(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 7);
  EXPECT_EQ(greatest, 0);
  EXPECT_ACL_ERROR(100000,
                   aclrtDeviceGetStreamPriorityRange(nullptr, &greatest));
  EXPECT_ACL_ERROR(100000, aclrtDeviceGetStreamPriorityRange(&least, nullptr));
  for (const uint32_t priority : {0u, 7u, 8u, 0xFFFFFFFFu}) {
    for (const uint32_t flags :
         {0u, ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC,
          ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_HUGE}) {
      const OwnStream stream(priority, flags);
      EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
    }
  }
  const ExpectNothingChanges unchanged;
  aclrtStream stream = Garbage();
  EXPECT_ACL_ERROR(107000, aclrtCreateStreamWithConfig(&stream, 0, 0x40));
  EXPECT_ACL_ERROR(107000, aclrtCreateStreamWithConfig(&stream, 0, ~0u));
  // Kinds of later releases.
  EXPECT_ACL_ERROR(
      207000, aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
  EXPECT_ACL_ERROR(100000, aclrtCreateStreamWithConfig(nullptr, 0, 0));
  EXPECT_ACL_ERROR(100000, aclrtCreateStream(nullptr));
  EXPECT_EQ(stream, Garbage());
  InThread([&] {
    EXPECT_ACL_ERROR(107002, aclrtCreateStream(&stream));
    EXPECT_ACL_ERROR(107002, aclrtCreateStreamWithConfig(&stream, 0, 0));
    EXPECT_ACL_ERROR(107002, aclrtSynchronizeStream(nullptr));
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    EXPECT_ACL_ERROR(107002, aclrtStreamQuery(nullptr, &status));
  });
}

// 3, 13: stale handle 107017, null 100000 where no default stream is meant; the
// default stream "cannot be destroyed".
TEST_F(StreamTest, DeadAndForeignHandlesAreRefused) {
  aclrtStream dead = nullptr;
  ASSERT_ACL_OK(aclrtCreateStream(&dead));
  ASSERT_ACL_OK(aclrtDestroyStream(dead));
  aclrtStream fallback = nullptr;
  ASSERT_ACL_OK(aclrtCtxGetCurrentDefaultStream(&fallback));
  aclrtEvent event = nullptr;
  ASSERT_ACL_OK(aclrtCreateEvent(&event));
  const Ops ops;
  const DeviceArray<float> x(64);
  {
    const ExpectNothingChanges unchanged;
    for (void* const bad : {dead, Garbage(), event}) {
      aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
      EXPECT_ACL_ERROR(107017, aclrtDestroyStream(bad));
      EXPECT_ACL_ERROR(107017, aclrtDestroyStreamForce(bad));
      EXPECT_ACL_ERROR(107017, aclrtSynchronizeStream(bad));
      EXPECT_ACL_ERROR(107017, aclrtSynchronizeStreamWithTimeout(bad, 100));
      EXPECT_ACL_ERROR(107017, aclrtStreamQuery(bad, &status));
      EXPECT_EQ(status, ACL_STREAM_STATUS_RESERVED);
      EXPECT_ACL_ERROR(107017, aclrtRecordEvent(event, bad));
      EXPECT_ACL_ERROR(107017, aclrtStreamWaitEvent(bad, event));
      EXPECT_ACL_ERROR(107017, aclrtMemsetAsync(x.data(), 64, 0, 64, bad));
      EXPECT_ACL_ERROR(107017, ops.Add(x.data(), x.data(), x.data(), 8, bad));
    }
    EXPECT_ACL_ERROR(100000, aclrtDestroyStream(nullptr));
    EXPECT_ACL_ERROR(100000, aclrtDestroyStreamForce(nullptr));
    EXPECT_ACL_ERROR(107000, aclrtDestroyStream(fallback));
    EXPECT_ACL_ERROR(107000, aclrtDestroyStreamForce(fallback));
    EXPECT_ACL_ERROR(100000, aclrtStreamQuery(nullptr, nullptr));
  }
  EXPECT_ACL_OK(aclrtDestroyEvent(event));
}

// 3: a null stream is the current context's default stream.
TEST_F(StreamTest, NullIsTheDefaultStream) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  aclrtStream fallback = nullptr;
  ASSERT_ACL_OK(aclrtCtxGetCurrentDefaultStream(&fallback));
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    for (int i = 0; i < work; ++i) {
      EXPECT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), nullptr));
    }
    return StreamStatusOf(fallback) == ACL_STREAM_STATUS_NOT_READY &&
           StreamStatusOf(nullptr) == ACL_STREAM_STATUS_NOT_READY;
  }));
  EXPECT_ACL_OK(aclrtSynchronizeStream(fallback));
  EXPECT_EQ(StreamStatusOf(nullptr), ACL_STREAM_STATUS_COMPLETE);
}

// 3: each stream is a FIFO, also when more tasks are posted than it holds at
// once: "a full queue blocks the submitting thread".
TEST_F(StreamTest, TasksRunInOrderHoweverMany) {
  const Ops ops;
  const DeviceArray<float> one(std::vector<float>(16, 1));
  const DeviceArray<float> sum(std::vector<float>(16, 0));
  const OwnStream stream(0, ACL_STREAM_FAST_LAUNCH);
  constexpr int kTaskCount = 5000;
  for (int i = 0; i < kTaskCount; ++i) {
    // Not commutative: order matters. sum = 2 * sum on every 1000th.
    if (i % 1000 == 999) {
      ASSERT_ACL_OK(ops.Add(sum.data(), sum.data(), sum.data(), 16, stream));
    } else {
      ASSERT_ACL_OK(ops.Add(sum.data(), one.data(), sum.data(), 16, stream));
    }
  }
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  float expected = 0;
  for (int i = 0; i < kTaskCount; ++i) {
    expected = i % 1000 == 999 ? 2 * expected : expected + 1;
  }
  EXPECT_EQ(sum.Download(), std::vector<float>(16, expected));
}

// 3: "queue depth 2048. A full queue blocks the submitting thread": until as
// many tasks have retired as are too many.
TEST_F(StreamTest, AFullStreamHoldsTheCallerUp) {
  constexpr int kDepth = 2048;
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  const DeviceArray<char> bytes(64);
  const OwnStream stream;
  aclrtEvent begun = nullptr;
  ASSERT_ACL_OK(aclrtCreateEventExWithFlag(&begun, ACL_EVENT_SYNC));
  const auto is_begun = [&] {
    auto status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    EXPECT_ACL_OK(aclrtQueryEventStatus(begun, &status));
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
  };
  const auto put_task = [&] {
    EXPECT_ACL_OK(aclrtMemsetAsync(bytes.data(), 64, 0, 64, stream));
  };
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
    for (int i = 0; i < work; ++i) {
      EXPECT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
    }
    EXPECT_ACL_OK(aclrtRecordEvent(begun, stream));
    for (int i = work + 1; i < kDepth; ++i) put_task();
    const bool was_full = !is_begun();
    // The work and the record are what these wait for.
    for (int i = 0; i < work + 1; ++i) put_task();
    EXPECT_TRUE(is_begun());
    return was_full;
  }));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtDestroyEvent(begun));
}

// 3: more launches than any queue holds, by far.
TEST_F(StreamTest, AMillionLaunchesInARow) {
  const Ops ops;
  const DeviceArray<float> one(std::vector<float>(1, 1));
  const DeviceArray<float> sum(std::vector<float>(1, 0));
  const OwnStream stream(0, ACL_STREAM_FAST_LAUNCH);
#ifdef ASCEND_RTD_SANITIZE_BUILD
  constexpr int kLaunchCount = 50'000;  // a launch costs ten times as much
#else
  constexpr int kLaunchCount = 1'000'000;
#endif
  const aclrtFuncHandle add = ops.Find(ASCRT_OP_ADD);
  ascrtAddArgs args{};
  args.size = sizeof(args);
  args.x = sum.data();
  args.y = one.data();
  args.z = sum.data();
  args.count = 1;
  args.data_type = ASCRT_DT_FLOAT;
  for (int i = 0; i < kLaunchCount; ++i) {
    ASSERT_EQ(aclrtLaunchKernelWithHostArgs(add, 1, stream, nullptr, &args,
                                            sizeof(args), nullptr, 0),
              ACL_SUCCESS);
  }
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(sum.Download(), std::vector<float>(1, kLaunchCount));
}

// 3: "ms, -1 forever; 0 and other negatives 107000; expiry 507046; the stream
// stays usable".
TEST_F(StreamTest, SynchronizeMayExpire) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  const OwnStream stream;
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    for (int i = 0; i < work; ++i) {
      EXPECT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
    }
    const aclError code = aclrtSynchronizeStreamWithTimeout(stream, 1);
    if (code == ACL_SUCCESS) return false;
    EXPECT_ACL_ERROR(507046, code);
    return true;
  }));
  EXPECT_ACL_ERROR(107000, aclrtSynchronizeStreamWithTimeout(stream, 0));
  EXPECT_ACL_ERROR(107000, aclrtSynchronizeStreamWithTimeout(stream, -2));
  EXPECT_ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
  EXPECT_EQ(product.Download(),
            std::vector<float>(Ops::kBusyElements, Ops::kBusySide));
  EXPECT_ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, 60000));
}

// 3: DestroyStream "first waits for queued tasks".
TEST_F(StreamTest, DestroyWaitsForQueuedTasks) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  const DeviceArray<float> sum(Ops::kBusyElements);
  {
    const OwnStream stream;
    ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
    ASSERT_ACL_OK(ops.Add(product.data(), ones.data(), sum.data(),
                          Ops::kBusyElements, stream));
  }
  EXPECT_EQ(sum.Download(),
            std::vector<float>(Ops::kBusyElements, Ops::kBusySide + 1));
}

// 3: "Force variant drops tasks". What runs ends, what waits never runs.
TEST_F(StreamTest, ForcedDestroyDropsTasks) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  const std::vector<float> zeros(Ops::kBusyElements, 0);
  const DeviceArray<float> sum(zeros);
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    aclrtStream stream = nullptr;
    EXPECT_ACL_OK(aclrtCreateStream(&stream));
    for (int i = 0; i < work; ++i) {
      EXPECT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), stream));
    }
    EXPECT_ACL_OK(ops.Add(product.data(), ones.data(), sum.data(),
                          Ops::kBusyElements, stream));
    EXPECT_ACL_OK(aclrtDestroyStreamForce(stream));
    EXPECT_ACL_ERROR(107017, aclrtSynchronizeStream(stream));
    EXPECT_EQ(CurrentHoldings().pending_task_count, 0u);
    return sum.Download() == zeros;
  }));
  // Its place is free again.
  const OwnStream another;
  EXPECT_ACL_OK(ops.Add(ones.data(), ones.data(), sum.data(), 16, another));
  EXPECT_ACL_OK(aclrtSynchronizeStream(another));
}

// 3, 13: streams exhausted 207008; "documented maximum 1984".
TEST_F(StreamTest, StreamsRunOutAndComeBack) {
  std::vector<aclrtStream> streams;
  aclError code = ACL_SUCCESS;
  while (streams.size() < 4000) {
    aclrtStream stream = nullptr;
    code = aclrtCreateStream(&stream);
    if (code != ACL_SUCCESS) break;
    streams.push_back(stream);
  }
  EXPECT_ACL_ERROR(207008, code);
  EXPECT_EQ(streams.size(), 1983u);  // and the default stream
  aclrtStream stream = Garbage();
  EXPECT_ACL_ERROR(207008, aclrtCreateStream(&stream));
  EXPECT_EQ(stream, Garbage());
  // A context has a stream of its own.
  aclrtContext context = Garbage();
  EXPECT_ACL_ERROR(207008, aclrtCreateContext(&context, 0));
  EXPECT_EQ(context, Garbage());
  ASSERT_ACL_OK(aclrtDestroyStream(streams.back()));
  EXPECT_ACL_OK(aclrtCreateStream(&streams.back()));
  for (const aclrtStream each : streams) {
    EXPECT_ACL_OK(aclrtDestroyStream(each));
  }
}

// 3: the default stream is "a normal FIFO without cross-stream implicit sync";
// streams run concurrently when units are free. By the device's clock.
TEST_F(StreamTest, StreamsDoNotWaitForEachOther) {
  const Ops ops;
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  const DeviceArray<float> sum(16);
  const OwnStream other;
  aclrtEvent busy = nullptr;
  aclrtEvent quick = nullptr;
  ASSERT_ACL_OK(
      aclrtCreateEventExWithFlag(&busy, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
  ASSERT_ACL_OK(
      aclrtCreateEventExWithFlag(&quick, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
  EXPECT_TRUE(SeenWhileBusy([&](int work) {
    for (int i = 0; i < work; ++i) {
      EXPECT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), nullptr));
    }
    EXPECT_ACL_OK(aclrtRecordEvent(busy, nullptr));
    EXPECT_ACL_OK(ops.Add(ones.data(), ones.data(), sum.data(), 16, other));
    EXPECT_ACL_OK(aclrtRecordEvent(quick, other));
    EXPECT_ACL_OK(aclrtSynchronizeDevice());
    float ahead = 0;
    EXPECT_ACL_OK(aclrtEventElapsedTime(&ahead, quick, busy));
    return ahead > 0;
  }));
  EXPECT_ACL_OK(aclrtDestroyEvent(busy));
  EXPECT_ACL_OK(aclrtDestroyEvent(quick));
}

}  // namespace
}  // namespace ascend::conformance
