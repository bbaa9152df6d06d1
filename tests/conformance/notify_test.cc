// semantics 5: notifies, writes and waits of words.
#include <cstdint>
#include <set>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using NotifyTest = AclTest;
using WordTest = AclTest;

class OwnNotify {
 public:
  OwnNotify() {
    EXPECT_ACL_OK(aclrtCreateNotify(&notify_, ACL_NOTIFY_DEFAULT));
  }
  ~OwnNotify() { EXPECT_ACL_OK(aclrtDestroyNotify(notify_)); }
  OwnNotify(const OwnNotify&) = delete;
  OwnNotify& operator=(const OwnNotify&) = delete;
  operator aclrtNotify() const { return notify_; }

 private:
  aclrtNotify notify_ = nullptr;
};

// "Record sets; WaitAndReset waits then clears".
TEST_F(NotifyTest, WorkBehindAWaitComesAfterTheRecord) {
  const Ops ops;
  const OwnStream first;
  const OwnStream second;
  const OwnNotify notify;
  const DeviceArray<float> x(std::vector<float>(16, 1));
  const DeviceArray<float> y(16);
  const DeviceArray<float> z(16);
  ASSERT_ACL_OK(aclrtWaitAndResetNotify(notify, second, 0));
  ASSERT_ACL_OK(ops.Add(y.data(), y.data(), z.data(), 16, second));
  EXPECT_ACL_ERROR(507046, aclrtSynchronizeStreamWithTimeout(second, 20));
  ASSERT_ACL_OK(ops.Add(x.data(), x.data(), y.data(), 16, first));
  ASSERT_ACL_OK(aclrtRecordNotify(notify, first));
  ASSERT_ACL_OK(aclrtSynchronizeStream(second));
  EXPECT_EQ(z.Download(), std::vector<float>(16, 4));
  // It was cleared, and a record before the wait is kept.
  ASSERT_ACL_OK(aclrtWaitAndResetNotify(notify, second, 0));
  EXPECT_ACL_ERROR(507046, aclrtSynchronizeStreamWithTimeout(second, 20));
  ASSERT_ACL_OK(aclrtRecordNotify(notify, nullptr));
  ASSERT_ACL_OK(aclrtSynchronizeStream(second));
  ASSERT_ACL_OK(aclrtRecordNotify(notify, first));
  ASSERT_ACL_OK(aclrtSynchronizeStream(first));
  ASSERT_ACL_OK(aclrtWaitAndResetNotify(notify, second, 0));
  ASSERT_ACL_OK(aclrtSynchronizeStream(second));
}

TEST_F(NotifyTest, AWaitExpires) {
  const OwnStream stream;
  const OwnNotify notify;
  ASSERT_ACL_OK(aclrtWaitAndResetNotify(notify, stream, /*timeout=*/1));
  EXPECT_ACL_ERROR(507047, aclrtSynchronizeStream(stream));
  EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(NotifyTest, IdsAreSmallAndOfOneNotify) {
  const OwnNotify first;
  const OwnNotify second;
  std::set<uint32_t> ids;
  for (const aclrtNotify notify : {aclrtNotify{first}, aclrtNotify{second}}) {
    uint32_t id = ~0u;
    ASSERT_ACL_OK(aclrtGetNotifyId(notify, &id));
    EXPECT_LT(id, 8192u);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 2u);
}

// "8192 per device on A2/A3; exhausted -> 207009".
TEST_F(NotifyTest, NotifiesRunOutAndComeBack) {
  std::vector<aclrtNotify> notifies(8192);
  for (aclrtNotify& notify : notifies) {
    ASSERT_ACL_OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEVICE_USE_ONLY));
  }
  aclrtNotify more = nullptr;
  EXPECT_ACL_ERROR(207009, aclrtCreateNotify(&more, 0));
  EXPECT_EQ(more, nullptr);
  ASSERT_ACL_OK(aclrtDestroyNotify(notifies.back()));
  ASSERT_ACL_OK(aclrtCreateNotify(&notifies.back(), 0));
  for (const aclrtNotify notify : notifies) {
    ASSERT_ACL_OK(aclrtDestroyNotify(notify));
  }
}

TEST_F(NotifyTest, MisuseIsRefused) {
  const OwnNotify notify;
  const OwnStream stream;
  aclrtNotify stale = nullptr;
  ASSERT_ACL_OK(aclrtCreateNotify(&stale, 0));
  ASSERT_ACL_OK(aclrtDestroyNotify(stale));
  uint32_t id = 7;
  {
    const ExpectNothingChanges nothing;
    aclrtNotify none = nullptr;
    EXPECT_ACL_ERROR(100000, aclrtCreateNotify(nullptr, 0));
    EXPECT_ACL_ERROR(107000, aclrtCreateNotify(&none, 2));
    EXPECT_EQ(none, nullptr);
    EXPECT_ACL_ERROR(100000, aclrtDestroyNotify(nullptr));
    EXPECT_ACL_ERROR(107017, aclrtDestroyNotify(stale));
    EXPECT_ACL_ERROR(100000, aclrtRecordNotify(nullptr, stream));
    EXPECT_ACL_ERROR(107017, aclrtRecordNotify(stale, stream));
    EXPECT_ACL_ERROR(107017, aclrtRecordNotify(notify, Garbage()));
    EXPECT_ACL_ERROR(100000, aclrtWaitAndResetNotify(nullptr, stream, 0));
    EXPECT_ACL_ERROR(107017, aclrtWaitAndResetNotify(stale, stream, 0));
    EXPECT_ACL_ERROR(107017, aclrtWaitAndResetNotify(notify, Garbage(), 0));
    EXPECT_ACL_ERROR(100000, aclrtGetNotifyId(nullptr, &id));
    EXPECT_ACL_ERROR(100000, aclrtGetNotifyId(notify, nullptr));
    EXPECT_ACL_ERROR(107017, aclrtGetNotifyId(stale, &id));
  }
  EXPECT_EQ(id, 7u);
  InThread([&] {
    aclrtNotify none = nullptr;
    EXPECT_ACL_ERROR(107002, aclrtCreateNotify(&none, 0));
    EXPECT_ACL_ERROR(107002, aclrtRecordNotify(notify, nullptr));
  });
}

// "A notify belongs to the device it was created on".
TEST_F(NotifyTest, DevicesHaveTheirOwn) {
  const OwnNotify notify;
  ASSERT_ACL_OK(aclrtSetDevice(1));
  EXPECT_ACL_ERROR(107000, aclrtRecordNotify(notify, nullptr));
  EXPECT_ACL_ERROR(107000, aclrtWaitAndResetNotify(notify, nullptr, 0));
  ASSERT_ACL_OK(aclrtResetDevice(1));
  ASSERT_ACL_OK(aclrtSetDevice(0));
}

TEST_F(WordTest, AWriteIsATaskOfItsStream) {
  const OwnStream stream;
  const DeviceArray<uint64_t> word(std::vector<uint64_t>{1, 2});
  ASSERT_ACL_OK(
      aclrtValueWrite(word.data() + 1, 0x0102030405060708, 0, stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(word.Download(), (std::vector<uint64_t>{1, 0x0102030405060708}));
}

TEST_F(WordTest, AWaitGoesOnWhenTheWordMeetsIt) {
  struct Case {
    uint32_t flag;
    uint64_t wanted;
    uint64_t before;
    uint64_t after;
  };
  constexpr uint64_t kAll = ~uint64_t{0};
  const OwnStream waiting;
  const OwnStream writing;
  for (const Case& c : {Case{ACL_STREAM_WAIT_VALUE_GEQ, 5, 4, 6},
                        Case{ACL_STREAM_WAIT_VALUE_GEQ, kAll, kAll - 1, 0},
                        Case{ACL_STREAM_WAIT_VALUE_EQ, 5, 6, 5},
                        Case{ACL_STREAM_WAIT_VALUE_AND, 4, 3, 12},
                        Case{ACL_STREAM_WAIT_VALUE_NOR, 1, kAll - 1, 6}}) {
    SCOPED_TRACE(c.flag);
    const DeviceArray<uint64_t> word(std::vector<uint64_t>{c.before});
    ASSERT_ACL_OK(aclrtValueWait(word.data(), c.wanted, c.flag, waiting));
    EXPECT_ACL_ERROR(507046, aclrtSynchronizeStreamWithTimeout(waiting, 20));
    ASSERT_ACL_OK(aclrtValueWrite(word.data(), c.after, 0, writing));
    EXPECT_ACL_OK(aclrtSynchronizeStream(waiting));
  }
}

// Whoever writes it: a copy of no stream, and a kernel.
TEST_F(WordTest, AnyWriteIsSeen) {
  const Ops ops;
  const OwnStream waiting;
  const DeviceArray<uint64_t> word(std::vector<uint64_t>{0});
  ASSERT_ACL_OK(
      aclrtValueWait(word.data(), 9, ACL_STREAM_WAIT_VALUE_EQ, waiting));
  const uint64_t nine = 9;
  ASSERT_ACL_OK(
      aclrtMemcpy(word.data(), 8, &nine, 8, ACL_MEMCPY_HOST_TO_DEVICE));
  ASSERT_ACL_OK(aclrtSynchronizeStream(waiting));
  ASSERT_ACL_OK(
      aclrtValueWait(word.data(), 0, ACL_STREAM_WAIT_VALUE_EQ, waiting));
  ASSERT_ACL_OK(aclrtMemsetAsync(word.data(), 8, 0, 8, nullptr));
  ASSERT_ACL_OK(aclrtSynchronizeStream(waiting));
  const DeviceArray<float> ones(std::vector<float>{1, 1});
  ASSERT_ACL_OK(
      aclrtValueWait(word.data(), 1, ACL_STREAM_WAIT_VALUE_GEQ, waiting));
  ASSERT_ACL_OK(ops.Add(ones.data(), ones.data(),
                        reinterpret_cast<float*>(word.data()), 2, nullptr));
  ASSERT_ACL_OK(aclrtSynchronizeStream(waiting));
}

TEST_F(WordTest, MisuseIsRefused) {
  const OwnStream stream;
  const DeviceArray<uint64_t> word(std::vector<uint64_t>{3, 4});
  uint64_t host = 0;
  {
    const ExpectNothingChanges nothing;
    auto* const odd = reinterpret_cast<std::byte*>(word.data()) + 4;
    EXPECT_ACL_ERROR(100000, aclrtValueWrite(nullptr, 1, 0, stream));
    EXPECT_ACL_ERROR(107000, aclrtValueWrite(odd, 1, 0, stream));
    EXPECT_ACL_ERROR(107000, aclrtValueWrite(&host, 1, 0, stream));
    EXPECT_ACL_ERROR(107000, aclrtValueWrite(word.data(), 1, 1, stream));
    EXPECT_ACL_ERROR(107017, aclrtValueWrite(word.data(), 1, 0, Garbage()));
    EXPECT_ACL_ERROR(100000, aclrtValueWait(nullptr, 1, 0, stream));
    EXPECT_ACL_ERROR(107000, aclrtValueWait(odd, 1, 0, stream));
    EXPECT_ACL_ERROR(107000, aclrtValueWait(&host, 1, 0, stream));
    EXPECT_ACL_ERROR(107000, aclrtValueWait(word.data(), 1, 4, stream));
    EXPECT_ACL_ERROR(107017, aclrtValueWait(word.data(), 1, 0, Garbage()));
  }
  EXPECT_EQ(word.Download(), (std::vector<uint64_t>{3, 4}));
  EXPECT_EQ(host, 0u);
}

}  // namespace
}  // namespace ascend::conformance
