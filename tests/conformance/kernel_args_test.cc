// semantics 15: arguments built up one by one, and launches with them.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

constexpr int64_t kElementCount = 16;
constexpr size_t kListBytesMax = 8192;
constexpr int kArgumentsMax = 128;
constexpr int kListsMax = 1024;

// The kernel `add` over three arrays, and lists of its arguments.
class KernelArgsTest : public AclTest {
 protected:
  void SetUp() override {
    AclTest::SetUp();
    ASSERT_ACL_OK(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &ops_));
    ASSERT_ACL_OK(aclrtBinaryGetFunction(ops_, ASCRT_OP_ADD, &add_));
    ASSERT_ACL_OK(aclrtBinaryGetFunction(ops_, ASCRT_OP_MUL, &mul_));
  }
  void TearDown() override {
    EXPECT_ACL_OK(aclrtBinaryUnLoad(ops_));
    AclTest::TearDown();
  }

  aclrtArgsHandle NewList() const {
    aclrtArgsHandle list = nullptr;
    EXPECT_ACL_OK(aclrtKernelArgsInit(add_, &list));
    return list;
  }
  template <typename Value>
  static aclrtParamHandle Append(aclrtArgsHandle list, Value value) {
    aclrtParamHandle name = nullptr;
    EXPECT_ACL_OK(aclrtKernelArgsAppend(list, &value, sizeof(value), &name));
    EXPECT_NE(name, nullptr);
    return name;
  }
  // What stands behind x, y and z in the block of `add`.
  static void AppendRest(aclrtArgsHandle list) {
    Append(list, kElementCount);
    Append(list, int32_t{ASCRT_DT_FLOAT});
  }
  aclError Launch(aclrtArgsHandle list) const {
    return aclrtLaunchKernelWithConfig(add_, 1, nullptr, nullptr, list,
                                       nullptr);
  }

  aclrtBinHandle ops_ = nullptr;
  aclrtFuncHandle add_ = nullptr;
  aclrtFuncHandle mul_ = nullptr;
  const std::vector<float> ones_ = std::vector<float>(kElementCount, 1);
};

TEST_F(KernelArgsTest, SlotsMakeABlock) {
  const DeviceArray<float> x(Ramp(kElementCount, 0, 1));
  const DeviceArray<float> z(ones_);
  const aclrtArgsHandle list = NewList();
  Append(list, uint64_t{sizeof(ascrtAddArgs)});
  Append(list, x.data());
  Append(list, x.data());
  Append(list, z.data());
  AppendRest(list);
  ASSERT_ACL_OK(aclrtKernelArgsFinalize(list));
  ASSERT_ACL_OK(Launch(list));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), Ramp(kElementCount, 0, 2));
}

TEST_F(KernelArgsTest, OneArgumentMayBeAWholeBlock) {
  const DeviceArray<float> x(Ramp(kElementCount, 0, 1));
  const DeviceArray<float> z(ones_);
  ascrtAddArgs block{};
  block.size = sizeof(block);
  block.x = x.data();
  block.y = x.data();
  block.z = z.data();
  block.count = kElementCount;
  block.data_type = ASCRT_DT_FLOAT;
  const aclrtArgsHandle list = NewList();
  Append(list, block);
  block = {};  // copied
  ASSERT_ACL_OK(aclrtKernelArgsFinalize(list));
  const OwnStream stream;
  aclrtLaunchKernelAttr attribute{};
  attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE;
  aclrtLaunchKernelCfg cfg = {&attribute, 1};
  ASSERT_ACL_OK(
      aclrtLaunchKernelWithConfig(add_, 1, stream, &cfg, list, nullptr));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(z.Download(), Ramp(kElementCount, 0, 2));
}

// "a placeholder is an 8-byte slot that will hold the device address of its
// data; placeholder data is laid out after all slots".
TEST_F(KernelArgsTest, PlaceHoldersCarryTheirData) {
  const DeviceArray<float> z(ones_);
  const aclrtArgsHandle list = NewList();
  aclrtParamHandle x = nullptr;
  aclrtParamHandle y = nullptr;
  Append(list, uint64_t{sizeof(ascrtAddArgs)});
  ASSERT_ACL_OK(aclrtKernelArgsAppendPlaceHolder(list, &x));
  ASSERT_ACL_OK(aclrtKernelArgsAppendPlaceHolder(list, &y));
  // Data that come before the last slots, and in another order.
  void* y_data = nullptr;
  void* x_data = nullptr;
  ASSERT_ACL_OK(aclrtKernelArgsGetPlaceHolderBuffer(
      list, y, kElementCount * sizeof(float), &y_data));
  Append(list, z.data());
  ASSERT_ACL_OK(aclrtKernelArgsGetPlaceHolderBuffer(
      list, x, kElementCount * sizeof(float), &x_data));
  AppendRest(list);
  std::memcpy(x_data, Ramp(kElementCount, 0, 1).data(),
              kElementCount * sizeof(float));
  std::memcpy(y_data, Ramp(kElementCount, 100, 10).data(),
              kElementCount * sizeof(float));
  ASSERT_ACL_OK(aclrtKernelArgsFinalize(list));
  ASSERT_ACL_OK(Launch(list));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), Ramp(kElementCount, 100, 11));
}

// "ParaUpdate rewrites a slot; Finalize again before re-launch".
TEST_F(KernelArgsTest, AnUpdateNeedsAnotherFinalize) {
  const DeviceArray<float> x(ones_);
  const DeviceArray<float> two(std::vector<float>(kElementCount, 2));
  const DeviceArray<float> z(kElementCount);
  const aclrtArgsHandle list = NewList();
  Append(list, uint64_t{sizeof(ascrtAddArgs)});
  Append(list, x.data());
  const aclrtParamHandle y = Append(list, x.data());
  Append(list, z.data());
  AppendRest(list);
  ASSERT_ACL_OK(aclrtKernelArgsFinalize(list));
  ASSERT_ACL_OK(Launch(list));
  void* address = two.data();
  ASSERT_ACL_OK(aclrtKernelArgsParaUpdate(list, y, &address, sizeof(address)));
  EXPECT_ACL_ERROR(107000, Launch(list));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), std::vector<float>(kElementCount, 2));
  ASSERT_ACL_OK(aclrtKernelArgsFinalize(list));
  ASSERT_ACL_OK(Launch(list));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), std::vector<float>(kElementCount, 3));
}

TEST_F(KernelArgsTest, UpdatesAreChecked) {
  const aclrtArgsHandle list = NewList();
  const aclrtArgsHandle other = NewList();
  aclrtParamHandle holder = nullptr;
  ASSERT_ACL_OK(aclrtKernelArgsAppendPlaceHolder(list, &holder));
  const aclrtParamHandle value = Append(list, uint64_t{5});
  const aclrtParamHandle foreign = Append(other, uint64_t{5});
  char bytes[16] = {};
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsParaUpdate(list, value, bytes, 0));
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsParaUpdate(list, value, bytes, 9));
  EXPECT_ACL_ERROR(107000,
                   aclrtKernelArgsParaUpdate(list, value, bytes, SIZE_MAX));
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsParaUpdate(list, holder, bytes, 8));
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsParaUpdate(list, foreign, bytes, 8));
  EXPECT_ACL_ERROR(107017,
                   aclrtKernelArgsParaUpdate(list, Garbage(), bytes, 8));
  EXPECT_ACL_ERROR(107017,
                   aclrtKernelArgsParaUpdate(Garbage(), value, bytes, 8));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsParaUpdate(nullptr, value, bytes, 8));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsParaUpdate(list, nullptr, bytes, 8));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsParaUpdate(list, value, nullptr, 8));
}

// "<= 128 arguments".
TEST_F(KernelArgsTest, ListsAreBounded) {
  aclrtArgsHandle list = NewList();
  aclrtParamHandle name = Garbage();
  uint32_t value = 0;
  for (int i = 0; i < kArgumentsMax; ++i) Append(list, value);
  EXPECT_ACL_ERROR(107000,
                   aclrtKernelArgsAppend(list, &value, sizeof(value), &name));
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsAppendPlaceHolder(list, &name));

  list = NewList();
  std::vector<char> bytes(kListBytesMax + 1);
  EXPECT_ACL_ERROR(
      107000, aclrtKernelArgsAppend(list, bytes.data(), bytes.size(), &name));
  EXPECT_ACL_ERROR(107000,
                   aclrtKernelArgsAppend(list, bytes.data(), SIZE_MAX, &name));
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsAppend(list, bytes.data(), 0, &name));
  EXPECT_EQ(name, Garbage());
  ASSERT_ACL_OK(
      aclrtKernelArgsAppend(list, bytes.data(), kListBytesMax - 8, &name));
  Append(list, value);
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsAppend(list, bytes.data(), 1, &name));
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsAppendPlaceHolder(list, &name));
}

TEST_F(KernelArgsTest, PlaceHoldersAreChecked) {
  const aclrtArgsHandle list = NewList();
  aclrtParamHandle holder = nullptr;
  aclrtParamHandle other = nullptr;
  ASSERT_ACL_OK(aclrtKernelArgsAppendPlaceHolder(list, &holder));
  const aclrtParamHandle value = Append(list, uint64_t{5});
  ASSERT_ACL_OK(aclrtKernelArgsAppendPlaceHolder(NewList(), &other));
  void* data = Garbage();
  const auto get = [&](aclrtArgsHandle l, aclrtParamHandle p, size_t bytes) {
    return aclrtKernelArgsGetPlaceHolderBuffer(l, p, bytes, &data);
  };
  EXPECT_ACL_ERROR(107000, get(list, holder, 0));
  EXPECT_ACL_ERROR(107000, get(list, holder, kListBytesMax));
  EXPECT_ACL_ERROR(107000, get(list, holder, SIZE_MAX));
  EXPECT_ACL_ERROR(107000, get(list, value, 8));
  EXPECT_ACL_ERROR(107017, get(list, other, 8));
  EXPECT_ACL_ERROR(107017, get(Garbage(), holder, 8));
  EXPECT_ACL_ERROR(100000, get(nullptr, holder, 8));
  EXPECT_ACL_ERROR(100000, get(list, nullptr, 8));
  EXPECT_ACL_ERROR(
      100000, aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 8, nullptr));
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsFinalize(list));
  EXPECT_EQ(data, Garbage());
  ASSERT_ACL_OK(get(list, holder, 8));
  void* const first = data;
  EXPECT_ACL_ERROR(107000, get(list, holder, 8));
  EXPECT_EQ(data, first);
  EXPECT_ACL_OK(aclrtKernelArgsFinalize(list));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsAppendPlaceHolder(nullptr, &holder));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsAppendPlaceHolder(list, nullptr));
  EXPECT_ACL_ERROR(107017,
                   aclrtKernelArgsAppendPlaceHolder(Garbage(), &holder));
}

TEST_F(KernelArgsTest, AFinalizedListTakesNothingMore) {
  const aclrtArgsHandle list = NewList();
  aclrtParamHandle holder = nullptr;
  void* data = nullptr;
  uint64_t value = 0;
  ASSERT_ACL_OK(aclrtKernelArgsAppendPlaceHolder(list, &holder));
  ASSERT_ACL_OK(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 8, &data));
  EXPECT_ACL_OK(aclrtKernelArgsFinalize(list));
  EXPECT_ACL_OK(aclrtKernelArgsFinalize(list));
  aclrtParamHandle name = Garbage();
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsAppend(list, &value, 8, &name));
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsAppendPlaceHolder(list, &name));
  EXPECT_ACL_ERROR(107000,
                   aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 8, &data));
  EXPECT_EQ(name, Garbage());
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsFinalize(nullptr));
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsFinalize(Garbage()));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsAppend(nullptr, &value, 8, &name));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsAppend(list, nullptr, 8, &name));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsAppend(list, &value, 8, nullptr));
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsAppend(Garbage(), &value, 8, &name));
}

// "User-memory variants compute size with GetHandleMemSize/GetMemSize".
TEST_F(KernelArgsTest, AListInMemoryOfTheProgram) {
  size_t handle_bytes = 0;
  size_t bytes = 0;
  ASSERT_ACL_OK(aclrtKernelArgsGetHandleMemSize(add_, &handle_bytes));
  ASSERT_ACL_OK(aclrtKernelArgsGetMemSize(add_, 48, &bytes));
  ASSERT_GT(handle_bytes, 0u);
  ASSERT_GE(bytes, 48u);
  std::vector<char> handle(handle_bytes);
  std::vector<char> memory(bytes);
  void* const list = handle.data();
  ASSERT_ACL_OK(aclrtKernelArgsInitByUserMem(add_, list, memory.data(), bytes));
  const DeviceArray<float> x(ones_);
  const DeviceArray<float> z(kElementCount);
  Append(list, uint64_t{sizeof(ascrtAddArgs)});
  Append(list, x.data());
  Append(list, x.data());
  Append(list, z.data());
  AppendRest(list);
  aclrtParamHandle name = nullptr;
  EXPECT_ACL_ERROR(107000, aclrtKernelArgsAppendPlaceHolder(list, &name));
  ASSERT_ACL_OK(aclrtKernelArgsFinalize(list));
  ASSERT_ACL_OK(Launch(list));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), std::vector<float>(kElementCount, 2));
  // The same memory begins a new list.
  ASSERT_ACL_OK(aclrtKernelArgsInitByUserMem(mul_, list, memory.data(), bytes));
  Append(list, uint64_t{0});
}

TEST_F(KernelArgsTest, SizesAndInitsAreChecked) {
  size_t bytes = 7;
  EXPECT_ACL_OK(aclrtKernelArgsGetMemSize(add_, kListBytesMax, &bytes));
  EXPECT_EQ(bytes, kListBytesMax);
  EXPECT_ACL_OK(aclrtKernelArgsGetMemSize(add_, 0, &bytes));
  EXPECT_EQ(bytes, 8u);
  for (const size_t huge : {kListBytesMax + 1, SIZE_MAX}) {
    EXPECT_ACL_ERROR(107000, aclrtKernelArgsGetMemSize(add_, huge, &bytes));
  }
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsGetMemSize(nullptr, 8, &bytes));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsGetMemSize(add_, 8, nullptr));
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsGetMemSize(Garbage(), 8, &bytes));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsGetHandleMemSize(nullptr, &bytes));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsGetHandleMemSize(add_, nullptr));
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsGetHandleMemSize(ops_, &bytes));
  EXPECT_EQ(bytes, 8u);

  aclrtArgsHandle list = Garbage();
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsInit(nullptr, &list));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsInit(add_, nullptr));
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsInit(Garbage(), &list));
  EXPECT_EQ(list, Garbage());
  char memory[8];
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsInitByUserMem(add_, nullptr, memory,
                                                        sizeof(memory)));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsInitByUserMem(add_, memory, nullptr,
                                                        sizeof(memory)));
  EXPECT_ACL_ERROR(100000, aclrtKernelArgsInitByUserMem(nullptr, memory, memory,
                                                        sizeof(memory)));
  EXPECT_ACL_ERROR(107000,
                   aclrtKernelArgsInitByUserMem(add_, memory, memory, 0));
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsInitByUserMem(
                               Garbage(), memory, memory, sizeof(memory)));
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsFinalize(memory));
}

TEST_F(KernelArgsTest, LaunchesWithListsAreChecked) {
  const aclrtArgsHandle list = NewList();
  Append(list, uint64_t{sizeof(ascrtAddArgs)});
  EXPECT_ACL_ERROR(107000, Launch(list));  // not finalized
  ASSERT_ACL_OK(aclrtKernelArgsFinalize(list));
  EXPECT_ACL_ERROR(107000, Launch(list));  // less than it states
  const ExpectNothingChanges unchanged;
  const auto launch = [](void* function, uint32_t blocks, void* args,
                         void* reserve, aclrtLaunchKernelCfg* cfg = nullptr,
                         aclrtStream stream = nullptr) {
    return aclrtLaunchKernelWithConfig(function, blocks, stream, cfg, args,
                                       reserve);
  };
  EXPECT_ACL_ERROR(100000, launch(nullptr, 1, list, nullptr));
  EXPECT_ACL_ERROR(100000, launch(add_, 1, nullptr, nullptr));
  EXPECT_ACL_ERROR(107017, launch(Garbage(), 1, list, nullptr));
  EXPECT_ACL_ERROR(107017, launch(add_, 1, Garbage(), nullptr));
  EXPECT_ACL_ERROR(107000, launch(mul_, 1, list, nullptr));
  EXPECT_ACL_ERROR(107000, launch(add_, 0, list, nullptr));
  EXPECT_ACL_ERROR(107000, launch(add_, 1, list, Garbage()));
  aclrtLaunchKernelAttr attribute{};
  attribute.id = static_cast<aclrtLaunchKernelAttrId>(99);
  aclrtLaunchKernelCfg cfg = {&attribute, 1};
  EXPECT_ACL_ERROR(107000, launch(add_, 1, list, nullptr, &cfg));
  ascrtAddArgs block{};
  block.size = sizeof(block);
  const aclrtArgsHandle whole = NewList();
  Append(whole, block);
  ASSERT_ACL_OK(aclrtKernelArgsFinalize(whole));
  EXPECT_ACL_ERROR(107017, launch(add_, 1, whole, nullptr, nullptr, Garbage()));
}

// A program makes a list for each launch and has no call to end one.
TEST_F(KernelArgsTest, TheOldestListsOfAFunctionEnd) {
  const aclrtArgsHandle oldest = NewList();
  const aclrtArgsHandle next = NewList();
  for (int i = 2; i < kListsMax; ++i) NewList();
  Append(oldest, uint64_t{0});
  NewList();
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsFinalize(oldest));
  EXPECT_ACL_OK(aclrtKernelArgsFinalize(next));
}

TEST_F(KernelArgsTest, ListsEndWithTheirBinary) {
  aclrtBinHandle ops = nullptr;
  aclrtFuncHandle add = nullptr;
  aclrtArgsHandle list = nullptr;
  ASSERT_ACL_OK(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &ops));
  ASSERT_ACL_OK(aclrtBinaryGetFunction(ops, ASCRT_OP_ADD, &add));
  ASSERT_ACL_OK(aclrtKernelArgsInit(add, &list));
  EXPECT_ACL_OK(aclrtBinaryUnLoad(ops));
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsFinalize(list));
  EXPECT_ACL_ERROR(107017, aclrtKernelArgsInit(add, &list));
}

// LaunchKernelV2: "LaunchKernel plus attribute list".
TEST_F(KernelArgsTest, ArgumentsInDeviceMemoryWithAttributes) {
  const DeviceArray<float> x(ones_);
  const DeviceArray<float> z(kElementCount);
  ascrtAddArgs block{};
  block.size = sizeof(block);
  block.x = x.data();
  block.y = x.data();
  block.z = z.data();
  block.count = kElementCount;
  block.data_type = ASCRT_DT_FLOAT;
  const DeviceArray<ascrtAddArgs> args(std::vector<ascrtAddArgs>{block});
  aclrtLaunchKernelAttr attribute{};
  attribute.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  attribute.value.timeout = 100;
  aclrtLaunchKernelCfg cfg = {&attribute, 1};
  ASSERT_ACL_OK(
      aclrtLaunchKernelV2(add_, 1, args.data(), sizeof(block), &cfg, nullptr));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), std::vector<float>(kElementCount, 2));

  const ExpectNothingChanges unchanged;
  const auto launch = [&](void* function, uint32_t blocks, const void* data) {
    return aclrtLaunchKernelV2(function, blocks, data, sizeof(block), &cfg,
                               nullptr);
  };
  EXPECT_ACL_ERROR(100000, launch(nullptr, 1, args.data()));
  EXPECT_ACL_ERROR(100000, launch(add_, 1, nullptr));
  EXPECT_ACL_ERROR(107000, launch(add_, 0, args.data()));
  EXPECT_ACL_ERROR(107000, launch(add_, 1, Garbage()));
  EXPECT_ACL_ERROR(107017, launch(Garbage(), 1, args.data()));
  attribute.id = static_cast<aclrtLaunchKernelAttrId>(0);
  EXPECT_ACL_ERROR(107000, launch(add_, 1, args.data()));
  cfg.attrs = nullptr;
  EXPECT_ACL_ERROR(100000, launch(add_, 1, args.data()));
}

TEST_F(KernelArgsTest, FunctionsSayTheirNames) {
  char name[8] = "xxxxxxx";
  EXPECT_ACL_OK(aclrtGetFunctionName(add_, 4, name));
  EXPECT_EQ(std::string(name, sizeof(name)), std::string("add\0xxx\0", 8));
  EXPECT_ACL_ERROR(107000, aclrtGetFunctionName(add_, 3, name));
  EXPECT_ACL_ERROR(107000, aclrtGetFunctionName(add_, 0, name));
  EXPECT_ACL_ERROR(100000, aclrtGetFunctionName(add_, 4, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtGetFunctionName(nullptr, 4, name));
  EXPECT_ACL_ERROR(107017, aclrtGetFunctionName(ops_, 4, name));
  EXPECT_EQ(std::string(name), "add");
}

// Kernels of the program's own are not supported yet.
TEST_F(KernelArgsTest, BinariesInMemoryAreNotSupportedYet) {
  const char bytes[4] = {};
  aclrtBinHandle binary = Garbage();
  EXPECT_ACL_ERROR(
      200001, aclrtBinaryLoadFromData(bytes, sizeof(bytes), nullptr, &binary));
  EXPECT_EQ(binary, Garbage());
}

}  // namespace
}  // namespace ascend::conformance
