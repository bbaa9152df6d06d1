// semantics 15: binaries, functions, launches of the built-in kernels.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/conformance/acl_test.h"
#include "tests/conformance/device_objects.h"

namespace ascend::conformance {
namespace {

using KernelTest = AclTest;

// Sizes that travel inside commands and in chunks; few blocks and many: "more
// blocks than cores is legal".
TEST_F(KernelTest, BlocksDoNotChangeResults) {
  const Ops ops;
  for (const size_t count : {size_t{1}, size_t{1000}, size_t{1'000'003}}) {
    const DeviceArray<float> x(Ramp(count, 1, 0.5f));
    const DeviceArray<float> y(Ramp(count, 2, 0.25f));
    for (const uint32_t blocks : {1u, 8u, 1000u, 0xFFFFu}) {
      const DeviceArray<float> z(std::vector<float>(count, -1));
      ASSERT_ACL_OK(ops.Launch(ASCRT_OP_ADD,
                               AddArgs(x.data(), y.data(), z.data(), count),
                               nullptr, blocks));
      ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
      EXPECT_TRUE(z.Download() == Ramp(count, 3, 0.75f)) << count;
    }
  }
}

// 15: "Host args are copied before return; stack memory fine".
TEST_F(KernelTest, TheArgumentBlockIsCopiedAtOnce) {
  const Ops ops;
  const DeviceArray<float> x(Ramp(64, 1, 1));
  const DeviceArray<float> z(std::vector<float>(64, -1));
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> product(Ops::kBusyElements);
  ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), nullptr));
  ascrtAddArgs args = AddArgs(x.data(), x.data(), z.data(), 64);
  ASSERT_ACL_OK(aclrtLaunchKernelWithHostArgs(ops.Find(ASCRT_OP_ADD), 1,
                                              nullptr, nullptr, &args,
                                              sizeof(args), nullptr, 0));
  std::memset(&args, 0xFF, sizeof(args));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), Ramp(64, 2, 2));
}

// 15: "args already in device memory", as they are when the kernel starts.
TEST_F(KernelTest, TheArgumentBlockMayLieOnTheDevice) {
  const Ops ops;
  const DeviceArray<float> x(Ramp(64, 1, 1));
  const DeviceArray<float> z(std::vector<float>(64, -1));
  const DeviceArray<ascrtAddArgs> block(1);
  PinnedArray<ascrtAddArgs> staging(1);
  staging[0] = AddArgs(x.data(), x.data(), z.data(), 64);
  const OwnStream stream;
  ASSERT_ACL_OK(
      aclrtMemsetAsync(block.data(), block.bytes(), 0, block.bytes(), stream));
  ASSERT_ACL_OK(aclrtMemcpyAsync(block.data(), block.bytes(), staging.data(),
                                 staging.bytes(), ACL_MEMCPY_HOST_TO_DEVICE,
                                 stream));
  ASSERT_ACL_OK(aclrtLaunchKernel(ops.Find(ASCRT_OP_ADD), 4, block.data(),
                                  block.bytes(), stream));
  ASSERT_ACL_OK(aclrtSynchronizeStream(stream));
  EXPECT_EQ(z.Download(), Ramp(64, 2, 2));
}

// 15: "runtime copies hostArgs to device and stores base+dataOffset at
// addrOffset".
TEST_F(KernelTest, PlaceHoldersBecomeAddresses) {
  const Ops ops;
  struct Block {
    ascrtAddArgs args;
    float x[16];
    float y[16];
  } block{};
  const DeviceArray<float> z(std::vector<float>(16, -1));
  block.args = AddArgs(nullptr, nullptr, z.data(), 16);
  for (int i = 0; i < 16; ++i) {
    block.x[i] = static_cast<float>(i);
    block.y[i] = 100;
  }
  aclrtPlaceHolderInfo holders[] = {
      {offsetof(Block, args.x), offsetof(Block, x)},
      {offsetof(Block, args.y), offsetof(Block, y)}};
  const aclrtFuncHandle add = ops.Find(ASCRT_OP_ADD);
  ASSERT_ACL_OK(aclrtLaunchKernelWithHostArgs(add, 1, nullptr, nullptr, &block,
                                              sizeof(block), holders, 2));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), Ramp(16, 100, 1));
  const ExpectNothingChanges unchanged;
  for (const aclrtPlaceHolderInfo bad :
       {aclrtPlaceHolderInfo{sizeof(block), 0},
        aclrtPlaceHolderInfo{sizeof(block) - 4, 0},
        aclrtPlaceHolderInfo{8, sizeof(block)},
        aclrtPlaceHolderInfo{UINT32_MAX, 0},
        aclrtPlaceHolderInfo{8, UINT32_MAX}}) {
    aclrtPlaceHolderInfo one = bad;
    EXPECT_ACL_ERROR(
        107000, aclrtLaunchKernelWithHostArgs(add, 1, nullptr, nullptr, &block,
                                              sizeof(block), &one, 1));
  }
  EXPECT_ACL_ERROR(
      100000, aclrtLaunchKernelWithHostArgs(add, 1, nullptr, nullptr, &block,
                                            sizeof(block), nullptr, 1));
  EXPECT_ACL_ERROR(
      107000, aclrtLaunchKernelWithHostArgs(add, 1, nullptr, nullptr, &block,
                                            sizeof(block), holders, SIZE_MAX));
}

// 13, 15: the codes of loading and finding.
TEST_F(KernelTest, BinariesAndFunctionsAreChecked) {
  aclrtBinHandle binary = Garbage();
  aclrtFuncHandle function = Garbage();
  EXPECT_ACL_ERROR(100000, aclrtBinaryLoadFromFile(nullptr, nullptr, &binary));
  EXPECT_ACL_ERROR(100000,
                   aclrtBinaryLoadFromFile("builtin:ops", nullptr, nullptr));
  EXPECT_ACL_ERROR(107000, aclrtBinaryLoadFromFile("/nonexistent/kernel.o",
                                                   nullptr, &binary));
  EXPECT_ACL_ERROR(107000,
                   aclrtBinaryLoadFromFile("builtin:", nullptr, &binary));
  aclrtBinaryLoadOption option{};
  option.type = static_cast<aclrtBinaryLoadOptionType>(99);
  aclrtBinaryLoadOptions options{&option, 1};
  EXPECT_ACL_ERROR(107000,
                   aclrtBinaryLoadFromFile("builtin:ops", &options, &binary));
  options.options = nullptr;
  EXPECT_ACL_ERROR(100000,
                   aclrtBinaryLoadFromFile("builtin:ops", &options, &binary));
  EXPECT_EQ(binary, Garbage());
  InThread([&] {
    EXPECT_ACL_ERROR(107002,
                     aclrtBinaryLoadFromFile("builtin:ops", nullptr, &binary));
  });

  ASSERT_ACL_OK(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &binary));
  EXPECT_ACL_ERROR(507027,
                   aclrtBinaryGetFunction(binary, "nothing", &function));
  EXPECT_ACL_ERROR(507027, aclrtBinaryGetFunction(binary, "", &function));
  EXPECT_ACL_ERROR(100000, aclrtBinaryGetFunction(nullptr, "add", &function));
  EXPECT_ACL_ERROR(100000, aclrtBinaryGetFunction(binary, nullptr, &function));
  EXPECT_ACL_ERROR(100000, aclrtBinaryGetFunction(binary, "add", nullptr));
  EXPECT_ACL_ERROR(107017, aclrtBinaryGetFunction(Garbage(), "add", &function));
  EXPECT_EQ(function, Garbage());
  ASSERT_ACL_OK(aclrtBinaryGetFunction(binary, "add", &function));
  EXPECT_ACL_ERROR(107017, aclrtBinaryUnLoad(function));
  EXPECT_ACL_ERROR(107017, aclrtBinaryUnLoad(Garbage()));
  EXPECT_ACL_ERROR(100000, aclrtBinaryUnLoad(nullptr));
  EXPECT_ACL_OK(aclrtBinaryUnLoad(binary));
  EXPECT_ACL_ERROR(107017, aclrtBinaryUnLoad(binary));
  EXPECT_ACL_ERROR(107017, aclrtBinaryGetFunction(binary, "add", &function));
  // Its functions are stale with it.
  const DeviceArray<float> x(16);
  ascrtAddArgs args = AddArgs(x.data(), x.data(), x.data(), 16);
  EXPECT_ACL_ERROR(
      107017, aclrtLaunchKernelWithHostArgs(function, 1, nullptr, nullptr,
                                            &args, sizeof(args), nullptr, 0));
}

// 13, 15: what a launch refuses at once. Nothing is queued then.
TEST_F(KernelTest, LaunchesAreChecked) {
  const Ops ops;
  const DeviceArray<float> x(std::vector<float>(16, 1));
  const DeviceArray<ascrtAddArgs> block(1);
  const aclrtFuncHandle add = ops.Find(ASCRT_OP_ADD);
  ascrtAddArgs args = AddArgs(x.data(), x.data(), x.data(), 16);
  const auto launch = [&](aclrtFuncHandle function, uint32_t blocks,
                          void* host_args, size_t bytes,
                          aclrtLaunchKernelCfg* cfg = nullptr) {
    return aclrtLaunchKernelWithHostArgs(function, blocks, nullptr, cfg,
                                         host_args, bytes, nullptr, 0);
  };
  {
    const ExpectNothingChanges unchanged;
    EXPECT_ACL_ERROR(107000, launch(add, 0, &args, sizeof(args)));
    EXPECT_ACL_ERROR(100000, launch(nullptr, 1, &args, sizeof(args)));
    EXPECT_ACL_ERROR(100000, launch(add, 1, nullptr, sizeof(args)));
    EXPECT_ACL_ERROR(107017, launch(Garbage(), 1, &args, sizeof(args)));
    // Sizes: none, less than its own size field, more than there can be, less
    // than the block says of itself.
    std::vector<char> large(8193, 0);
    EXPECT_ACL_ERROR(107000, launch(add, 1, &args, 0));
    EXPECT_ACL_ERROR(107000, launch(add, 1, &args, 7));
    EXPECT_ACL_ERROR(107000, launch(add, 1, large.data(), large.size()));
    EXPECT_ACL_ERROR(107000, launch(add, 1, large.data(), SIZE_MAX));
    EXPECT_ACL_ERROR(107000, launch(add, 1, &args, sizeof(args) - 8));

    aclrtLaunchKernelAttr attributes[2] = {};
    aclrtLaunchKernelCfg cfg{attributes, 2};
    attributes[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE;
    attributes[1].id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE;
    EXPECT_ACL_ERROR(107000, launch(add, 1, &args, sizeof(args), &cfg));
    attributes[1].id = static_cast<aclrtLaunchKernelAttrId>(99);
    EXPECT_ACL_ERROR(107000, launch(add, 1, &args, sizeof(args), &cfg));
    attributes[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
    attributes[1].id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
    EXPECT_ACL_ERROR(107000, launch(add, 1, &args, sizeof(args), &cfg));

    EXPECT_ACL_ERROR(107000, aclrtLaunchKernel(add, 0, block.data(),
                                               block.bytes(), nullptr));
    EXPECT_ACL_ERROR(100000, aclrtLaunchKernel(nullptr, 1, block.data(),
                                               block.bytes(), nullptr));
    EXPECT_ACL_ERROR(100000, aclrtLaunchKernel(add, 1, nullptr, 48, nullptr));
    EXPECT_ACL_ERROR(107017, aclrtLaunchKernel(Garbage(), 1, block.data(),
                                               block.bytes(), nullptr));
    EXPECT_ACL_ERROR(107000,
                     aclrtLaunchKernel(add, 1, &args, sizeof(args), nullptr));
    EXPECT_ACL_ERROR(107000, aclrtLaunchKernel(add, 1, block.data(),
                                               block.bytes() + 1, nullptr));
    EXPECT_ACL_ERROR(107000,
                     aclrtLaunchKernel(add, 1, block.data(), 0, nullptr));
    InThread([&] {
      EXPECT_ACL_ERROR(107002, launch(add, 1, &args, sizeof(args)));
      EXPECT_ACL_ERROR(107002, aclrtLaunchKernel(add, 1, block.data(),
                                                 block.bytes(), nullptr));
    });
  }
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(x.Download(), std::vector<float>(16, 1));
}

// 13: a kernel that touches what it must not is a fault of its kind of core,
// "cube 507015, vector 507035", at the next synchronisation; memory stays.
TEST_F(KernelTest, WhatAKernelRefusesIsAFault) {
  const Ops ops;
  const DeviceArray<float> x(std::vector<float>(16, 1));
  const DeviceArray<float> z(std::vector<float>(16, -1));
  float host[16] = {};
  float* gone = nullptr;
  ASSERT_ACL_OK(aclrtMalloc(reinterpret_cast<void**>(&gone), 64,
                            ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_ACL_OK(aclrtFree(gone));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  for (const ascrtAddArgs& bad :
       {AddArgs(x.data(), x.data(), z.data(), 17),  // past the end
        AddArgs(x.data(), x.data(), nullptr, 16),   // null
        AddArgs(host, x.data(), z.data(), 16),      // the host's
        AddArgs(gone, x.data(), z.data(), 16),      // freed
        AddArgs(x.data(), x.data(), z.data(), 0),   // no elements
        AddArgs(x.data(), x.data(), z.data(), SIZE_MAX / 2)}) {
    ASSERT_ACL_OK(ops.Launch(ASCRT_OP_ADD, bad, nullptr));
    EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(nullptr));
    EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
  }
  ascrtAddArgs type = AddArgs(x.data(), x.data(), z.data(), 16);
  type.data_type = 3;
  ASSERT_ACL_OK(ops.Launch(ASCRT_OP_ADD, type, nullptr));
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(nullptr));
  ascrtMatmulArgs matmul{};
  matmul.a = x.data();
  matmul.b = x.data();
  matmul.c = z.data();
  matmul.m = matmul.n = matmul.k = 5;  // 25 elements of 16
  ASSERT_ACL_OK(ops.Launch(ASCRT_OP_MATMUL, matmul, nullptr));
  EXPECT_ACL_ERROR(507015, aclrtSynchronizeStream(nullptr));
  EXPECT_EQ(z.Download(), std::vector<float>(16, -1));
}

// A block on the device is read when the kernel starts: what is wrong with it
// is a fault too.
TEST_F(KernelTest, ABadBlockOnTheDeviceIsAFault) {
  const Ops ops;
  const DeviceArray<ascrtAddArgs> block(1);
  ASSERT_ACL_OK(aclrtMemset(block.data(), block.bytes(), 0xFF, block.bytes()));
  ASSERT_ACL_OK(aclrtLaunchKernel(ops.Find(ASCRT_OP_ADD), 1, block.data(),
                                  block.bytes(), nullptr));
  EXPECT_ACL_ERROR(507035, aclrtSynchronizeStream(nullptr));
  EXPECT_ACL_OK(aclrtSynchronizeStream(nullptr));
}

// What queued kernels use may be freed or unloaded.
TEST_F(KernelTest, QueuedKernelsKeepWhatTheyNeed) {
  const DeviceArray<float> ones(std::vector<float>(Ops::kBusyElements, 1));
  const DeviceArray<float> sum(Ops::kBusyElements);
  {
    const Ops ops;
    const DeviceArray<float> product(Ops::kBusyElements);
    ASSERT_ACL_OK(ops.KeepBusy(ones.data(), product.data(), nullptr));
    ASSERT_ACL_OK(ops.Add(product.data(), ones.data(), sum.data(),
                          Ops::kBusyElements, nullptr));
  }
  const DeviceArray<float> other(std::vector<float>(Ops::kBusyElements, 99));
  ASSERT_ACL_OK(aclrtSynchronizeStream(nullptr));
  EXPECT_TRUE(sum.Download() ==
              std::vector<float>(Ops::kBusyElements, Ops::kBusySide + 1));
}

}  // namespace
}  // namespace ascend::conformance
