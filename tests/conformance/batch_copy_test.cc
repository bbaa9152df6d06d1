// semantics 8: several copies in one call.
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/byte_sizes.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using BatchCopyTest = AclTest;
aclrtMemLocation Host() { return {0, ACL_MEM_LOCATION_TYPE_HOST}; }
aclrtMemLocation Device(uint32_t id) {
  return {id, ACL_MEM_LOCATION_TYPE_DEVICE};
}
aclrtMemcpyBatchAttr To(aclrtMemLocation target, aclrtMemLocation source) {
  aclrtMemcpyBatchAttr attribute{};
  attribute.dstLoc = target;
  attribute.srcLoc = source;
  return attribute;
}

// What the calls take, for tests to spoil one thing of it.
struct Batch {
  std::vector<void*> targets;
  std::vector<size_t> rooms;
  std::vector<void*> sources;
  std::vector<size_t> sizes;
  std::vector<aclrtMemcpyBatchAttr> attributes;
  std::vector<size_t> indexes;

  void Add(void* target, void* source, size_t bytes) {
    targets.push_back(target);
    rooms.push_back(bytes);
    sources.push_back(source);
    sizes.push_back(bytes);
  }
};

using BatchCall = std::function<aclError(Batch&, size_t* fail_index)>;

// All four; those without failIndex tell nothing.
std::vector<BatchCall> Calls(aclrtStream stream = nullptr) {
  return {[](Batch& b, size_t* fail) {
            return aclrtMemcpyBatch(
                b.targets.data(), b.rooms.data(), b.sources.data(),
                b.sizes.data(), b.targets.size(), b.attributes.data(),
                b.indexes.data(), b.attributes.size(), fail);
          },
          [stream](Batch& b, size_t* fail) {
            return aclrtMemcpyBatchAsync(
                b.targets.data(), b.rooms.data(), b.sources.data(),
                b.sizes.data(), b.targets.size(), b.attributes.data(),
                b.indexes.data(), b.attributes.size(), fail, stream);
          },
          [](Batch& b, size_t*) {
            return aclrtMemcpyBatchV2(b.targets.data(), b.rooms.data(),
                                      b.sources.data(), b.sizes.data(),
                                      b.targets.size(), b.attributes.data(),
                                      b.indexes.data(), b.attributes.size());
          },
          [stream](Batch& b, size_t*) {
            return aclrtMemcpyBatchAsyncV2(
                b.targets.data(), b.rooms.data(), b.sources.data(),
                b.sizes.data(), b.targets.size(), b.attributes.data(),
                b.indexes.data(), b.attributes.size(), stream);
          }};
}

constexpr size_t kCopyCount = 5;
constexpr size_t kCopyBytes = 100'000;

// Both calls with a fail index name `index`; all four fail with `code`.
void ExpectFailure(aclError code, size_t index, const Batch& batch) {
  const std::vector<BatchCall> calls = Calls();
  for (size_t i = 0; i < calls.size(); ++i) {
    Batch copy = batch;
    size_t fail = 77;
    EXPECT_ACL_ERROR(code, calls[i](copy, &fail));
    EXPECT_EQ(fail, i < 2 ? index : 77u) << "call " << i;
  }
}

// Up, across and down, from pageable and from page-locked memory.
TEST_F(BatchCopyTest, BytesComeBack) {
  const DeviceArray<uint8_t> first(kCopyCount * kCopyBytes);
  const DeviceArray<uint8_t> second(kCopyCount * kCopyBytes);
  PinnedArray<uint8_t> pinned(kCopyCount * kCopyBytes);
  const OwnStream stream;
  uint8_t seed = 0;
  for (const BatchCall& call : Calls(stream)) {
    Bytes pageable(kCopyCount * kCopyBytes);
    Bytes got(kCopyCount * kCopyBytes, 0);
    ++seed;
    for (size_t i = 0; i < pageable.size(); ++i) {
      pageable[i] = static_cast<uint8_t>(i * 31 + seed);
      pinned[i] = pageable[i];
    }
    Batch up, across, down;
    for (size_t i = 0; i < kCopyCount; ++i) {
      const size_t at = i * kCopyBytes;
      uint8_t* const source = i % 2 == 0 ? pageable.data() : pinned.data();
      up.Add(first.data() + at, source + at, kCopyBytes);
      across.Add(second.data() + at, first.data() + at, kCopyBytes);
      down.Add(got.data() + at, second.data() + at, kCopyBytes);
    }
    up.attributes = {To(Device(0), Host()), To(Device(0), Host())};
    up.indexes = {0, 3};
    across.attributes = {To(Device(0), Device(0))};
    across.indexes = {0};
    down.attributes = {To(Host(), Device(0))};
    down.indexes = {0};
    for (Batch* const batch : {&up, &across, &down}) {
      size_t fail = SIZE_MAX;
      EXPECT_ACL_OK(call(*batch, &fail));
      EXPECT_EQ(fail, SIZE_MAX);
      EXPECT_ACL_OK(aclrtSynchronizeStream(stream));
    }
    EXPECT_TRUE(got == pageable);
  }
}

// Each attribute holds from its index on: device 1 from copy 2.
TEST_F(BatchCopyTest, AttributesHoldFromTheirIndexOn) {
  ASSERT_ACL_OK(aclrtSetDevice(1));
  const DeviceArray<uint8_t> there(kCopyBytes);
  ASSERT_ACL_OK(aclrtSetDevice(0));
  const DeviceArray<uint8_t> here(kCopyBytes);
  Bytes host(kCopyBytes, 3);
  Batch batch;
  batch.Add(here.data(), host.data(), 10);
  batch.Add(here.data() + 10, host.data(), 10);
  batch.Add(there.data(), host.data(), 10);
  batch.Add(there.data() + 10, host.data(), 10);
  batch.attributes = {To(Device(0), Host()), To(Device(1), Host())};
  batch.indexes = {0, 2};
  size_t fail = 0;
  EXPECT_ACL_OK(Calls()[0](batch, &fail));
  EXPECT_EQ(fail, SIZE_MAX);
  EXPECT_EQ(there.Download()[19], 3);
  batch.indexes = {0, 1};
  ExpectFailure(107000, 1, batch);
  batch.indexes = {0, 3};
  ExpectFailure(107000, 2, batch);
}

class BatchMisuseTest : public AclTest {
 protected:
  void SetUp() override {
    AclTest::SetUp();
    memory_ = std::make_unique<DeviceArray<uint8_t>>(before_);
    for (size_t i = 0; i < kCopyCount; ++i) {
      batch_.Add(memory_->data() + 100 * i, host_.data() + 100 * i, 100);
    }
    batch_.attributes = {To(Device(0), Host()), To(Device(0), Host())};
    batch_.indexes = {0, 2};
  }
  void TearDown() override {
    EXPECT_TRUE(memory_->Download() == before_) << "a copy was made";
    memory_.reset();
    AclTest::TearDown();
  }

  const Bytes before_ = Bytes(100 * kCopyCount, 7);
  Bytes host_ = Bytes(100 * kCopyCount, 9);
  std::unique_ptr<DeviceArray<uint8_t>> memory_;
  Batch batch_;
};

TEST_F(BatchMisuseTest, ArraysMustBeThere) {
  size_t fail = 77;
  Batch& b = batch_;
  for (int missing = 0; missing < 6; ++missing) {
    const auto here = [&](int which, auto* array) {
      return which == missing ? nullptr : array;
    };
    void** const targets = here(0, b.targets.data());
    size_t* const rooms = here(1, b.rooms.data());
    void** const sources = here(2, b.sources.data());
    size_t* const sizes = here(3, b.sizes.data());
    aclrtMemcpyBatchAttr* const attributes = here(4, b.attributes.data());
    size_t* const indexes = here(5, b.indexes.data());
    fail = 77;
    EXPECT_ACL_ERROR(
        100000, aclrtMemcpyBatch(targets, rooms, sources, sizes, kCopyCount,
                                 attributes, indexes, 2, &fail));
    EXPECT_EQ(fail, SIZE_MAX);
    EXPECT_ACL_ERROR(100000, aclrtMemcpyBatchAsync(
                                 targets, rooms, sources, sizes, kCopyCount,
                                 attributes, indexes, 2, &fail, nullptr));
    EXPECT_ACL_ERROR(
        100000, aclrtMemcpyBatchV2(targets, rooms, sources, sizes, kCopyCount,
                                   attributes, indexes, 2));
    EXPECT_ACL_ERROR(100000, aclrtMemcpyBatchAsyncV2(
                                 targets, rooms, sources, sizes, kCopyCount,
                                 attributes, indexes, 2, nullptr));
  }
  EXPECT_ACL_ERROR(100000, Calls()[0](b, nullptr));
  EXPECT_ACL_ERROR(100000, Calls()[1](b, nullptr));
}

// "attrsIndexes[i] = first copy that uses attrs[i], ascending, starts at 0".
TEST_F(BatchMisuseTest, IndexesAscendFromZero) {
  for (const std::vector<size_t>& wrong :
       {std::vector<size_t>{1, 2}, {0, 0}, {0, kCopyCount}, {0, SIZE_MAX}}) {
    batch_.indexes = wrong;
    ExpectFailure(107000, SIZE_MAX, batch_);
  }
  batch_.indexes = {0, 2};
  Batch& b = batch_;
  size_t fail = 77;
  EXPECT_ACL_ERROR(107000, aclrtMemcpyBatch(b.targets.data(), b.rooms.data(),
                                            b.sources.data(), b.sizes.data(), 0,
                                            b.attributes.data(),
                                            b.indexes.data(), 2, &fail));
  EXPECT_EQ(fail, SIZE_MAX);
  EXPECT_ACL_ERROR(107000,
                   aclrtMemcpyBatchAsyncV2(b.targets.data(), b.rooms.data(),
                                           b.sources.data(), b.sizes.data(),
                                           kCopyCount, b.attributes.data(),
                                           b.indexes.data(), 0, nullptr));
  batch_.attributes.resize(kCopyCount + 1, To(Device(0), Host()));
  batch_.indexes = {0, 1, 2, 3, 4, 5};
  ExpectFailure(107000, SIZE_MAX, batch_);
}

// "One direction per batch."
TEST_F(BatchMisuseTest, ABatchHasOneDirection) {
  batch_.attributes[1] = To(Host(), Device(0));
  ExpectFailure(107000, SIZE_MAX, batch_);
  batch_.attributes[1] = To(Device(0), Device(0));
  ExpectFailure(107000, SIZE_MAX, batch_);
  for (const int type : {2, 3, 4, 99, -1}) {
    batch_.attributes[1] =
        To({0, static_cast<aclrtMemLocationType>(type)}, Host());
    ExpectFailure(107000, SIZE_MAX, batch_);
  }
}

// "failIndex" is the copy's number, and no copy is made.
TEST_F(BatchMisuseTest, TheCopyThatIsWrongIsNamed) {
  Batch wrong = batch_;
  wrong.targets[3] = nullptr;
  ExpectFailure(100000, 3, wrong);
  wrong = batch_;
  wrong.sources[4] = nullptr;
  ExpectFailure(100000, 4, wrong);
  wrong = batch_;
  wrong.rooms[1] = 99;
  ExpectFailure(107000, 1, wrong);
  wrong = batch_;
  wrong.targets[2] = host_.data();
  ExpectFailure(107000, 2, wrong);
  wrong = batch_;
  wrong.sources[2] = memory_->data();
  ExpectFailure(107000, 2, wrong);
  wrong = batch_;
  wrong.sizes[4] = wrong.rooms[4] = 101;
  ExpectFailure(107000, 4, wrong);
  wrong = batch_;
  wrong.attributes[1] = To(Device(1), Host());
  ExpectFailure(107000, 2, wrong);
  wrong.attributes[1] = To(Device(kDeviceCount), Host());
  ExpectFailure(107001, 2, wrong);
}

TEST_F(BatchMisuseTest, StreamsAndContextsAreChecked) {
  for (Batch* const batch : {&batch_}) {
    size_t fail = 77;
    EXPECT_ACL_ERROR(107017, Calls(Garbage())[1](*batch, &fail));
    EXPECT_EQ(fail, 0u);
    InThread([&] {
      for (const BatchCall& call : Calls()) {
        EXPECT_ACL_ERROR(107002, call(*batch, &fail));
      }
    });
  }
  Bytes other(host_.size());
  Batch hosts;
  hosts.Add(other.data(), host_.data(), 10);
  hosts.attributes = {To(Host(), Host())};
  hosts.indexes = {0};
  size_t fail = 77;
  EXPECT_ACL_ERROR(207000, Calls()[1](hosts, &fail));
  EXPECT_ACL_OK(Calls()[0](hosts, &fail));
  EXPECT_EQ(other[9], 9);
}

}  // namespace
}  // namespace ascend::conformance
