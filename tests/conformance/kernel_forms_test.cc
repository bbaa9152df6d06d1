// semantics 15: the less common forms of loading and launching.
#include <cstdint>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using KernelFormsTest = AclTest;

// 15: "WithArgsArray(func, numBlocks, stream, cfg, void* args[])"; "host args
// are copied before return".
TEST_F(KernelFormsTest, ArgumentsMayComeAsAnArray) {
  const Ops ops;
  const DeviceArray<float> x(Ramp(64, 1, 1));
  const DeviceArray<float> z(std::vector<float>(64, -1));
  const OwnStream stream;
  ascrtAddArgs block = AddArgs(x.data(), x.data(), z.data(), 64);
  void* args[] = {&block};
  ASSERT_ACL_OK(aclrtLaunchKernelWithArgsArray(ops.Find(ASCRT_OP_ADD), 4,
                                               stream, nullptr, args));
  block = {};
  args[0] = nullptr;
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(z.Download(), Ramp(64, 2, 2));
}

TEST_F(KernelFormsTest, WrongArraysLaunchNothing) {
  const Ops ops;
  const DeviceArray<float> x(Ramp(64, 1, 1));
  const DeviceArray<float> z(std::vector<float>(64, -1));
  ascrtAddArgs block = AddArgs(x.data(), x.data(), z.data(), 64);
  void* args[] = {&block};
  void* no_block[] = {nullptr};
  const aclrtFuncHandle add = ops.Find(ASCRT_OP_ADD);
  const ExpectNothingChanges unchanged;
  const auto launch = [&](void* function, uint32_t blocks, aclrtStream stream,
                          void** array) {
    return aclrtLaunchKernelWithArgsArray(function, blocks, stream, nullptr,
                                          array);
  };
  EXPECT_ACL_ERROR(100000, launch(nullptr, 1, nullptr, args));
  EXPECT_ACL_ERROR(100000, launch(add, 1, nullptr, nullptr));
  EXPECT_ACL_ERROR(100000, launch(add, 1, nullptr, no_block));
  EXPECT_ACL_ERROR(107000, launch(add, 0, nullptr, args));
  EXPECT_ACL_ERROR(107017, launch(Garbage(), 1, nullptr, args));
  EXPECT_ACL_ERROR(107017, launch(add, 1, Garbage(), args));
  for (const uint64_t size :
       {uint64_t{0}, uint64_t{7}, uint64_t{8193}, UINT64_MAX}) {
    block.size = size;
    EXPECT_ACL_ERROR(107000, launch(add, 1, nullptr, args));
  }
  block.size = sizeof(block);
  aclrtLaunchKernelAttr attribute{};
  aclrtLaunchKernelCfg config{&attribute, 1};
  EXPECT_ACL_ERROR(
      107000, aclrtLaunchKernelWithArgsArray(add, 1, nullptr, &config, args));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), std::vector<float>(64, -1));
}

// 15: "GetFunctionByEntry(bin, tilingKey, &f)": built-in kernels have no keys.
TEST_F(KernelFormsTest, BuiltInKernelsHaveNoEntries) {
  aclrtBinHandle binary = nullptr;
  ASSERT_ACL_OK(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &binary));
  aclrtFuncHandle function = Garbage();
  EXPECT_ACL_ERROR(507027, aclrtBinaryGetFunctionByEntry(binary, 0, &function));
  EXPECT_ACL_ERROR(107017,
                   aclrtBinaryGetFunctionByEntry(Garbage(), 0, &function));
  EXPECT_ACL_ERROR(100000,
                   aclrtBinaryGetFunctionByEntry(nullptr, 0, &function));
  EXPECT_ACL_ERROR(100000, aclrtBinaryGetFunctionByEntry(binary, 0, nullptr));
  EXPECT_EQ(function, Garbage());
  EXPECT_ACL_OK(aclrtBinaryUnLoad(binary));
}

// 15: "FromData from memory; older Create/Load pair". Later releases load them.
TEST_F(KernelFormsTest, BinariesOfProgramsAreNotSupportedYet) {
  const char data[] =
      "\x7f"
      "ELF";
  const ExpectNothingChanges unchanged;
  aclrtBinHandle handle = Garbage();
  const aclrtBinary binary = aclrtCreateBinary(data, sizeof(data));
  ASSERT_NE(binary, nullptr);
  EXPECT_ACL_ERROR(200001, aclrtBinaryLoad(binary, &handle));
  EXPECT_ACL_ERROR(100000, aclrtBinaryLoad(nullptr, &handle));
  EXPECT_ACL_ERROR(100000, aclrtBinaryLoad(binary, nullptr));
  EXPECT_ACL_ERROR(100000, aclrtDestroyBinary(nullptr));
  EXPECT_ACL_OK(aclrtDestroyBinary(binary));
  EXPECT_ACL_ERROR(107017, aclrtDestroyBinary(binary));
  EXPECT_ACL_ERROR(107017, aclrtBinaryLoad(binary, &handle));

  EXPECT_EQ(aclrtCreateBinary(nullptr, sizeof(data)), nullptr);
  EXPECT_ACL_ERROR(100000, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  EXPECT_EQ(aclrtCreateBinary(data, 0), nullptr);
  EXPECT_ACL_ERROR(107000, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));

  aclrtBinaryLoadOption option{};
  option.type = static_cast<aclrtBinaryLoadOptionType>(99);
  const aclrtBinaryLoadOptions options{&option, 1};
  EXPECT_ACL_ERROR(
      200001, aclrtBinaryLoadFromData(data, sizeof(data), nullptr, &handle));
  EXPECT_ACL_ERROR(
      100000, aclrtBinaryLoadFromData(nullptr, sizeof(data), nullptr, &handle));
  EXPECT_ACL_ERROR(
      100000, aclrtBinaryLoadFromData(data, sizeof(data), nullptr, nullptr));
  EXPECT_ACL_ERROR(107000, aclrtBinaryLoadFromData(data, 0, nullptr, &handle));
  EXPECT_ACL_ERROR(
      107000, aclrtBinaryLoadFromData(data, sizeof(data), &options, &handle));
  EXPECT_EQ(handle, Garbage());
}

}  // namespace
}  // namespace ascend::conformance
