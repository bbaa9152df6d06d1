// The short spelling over a fake of the C calls under it.
#include "acl/acl_rt_simple.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/ascend_rtd_ops.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ops_transformer/flash_attention.h"

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct LaunchCall {
  aclrtFuncHandle function = nullptr;
  uint32_t num_blocks = 0;
  aclrtStream stream = nullptr;
  std::vector<uint32_t> shared_memory;  // of the attribute, if there is one
  ascrtFlashAttentionArgs args = {};
};

// A library with one binary at a time, of generation `generation`; handles of
// earlier generations are stale. The kernels' handles are those of the binary.
struct FakeLibrary {
  uintptr_t generation = 1;
  bool stream_is_stale = false;
  std::vector<std::string> loads;
  int launch_attempts = 0;
  std::vector<LaunchCall> launches;  // those that succeeded
  int errors_cleared = 0;
  std::vector<uint64_t> last_call;  // of the calls with plain numbers

  bool IsCurrent(void* handle) const {
    return reinterpret_cast<uintptr_t>(handle) == generation;
  }
};

FakeLibrary* fake = nullptr;

// One process-wide cache is under test, so each test starts with a generation
// of its own: what an earlier test loaded is stale.
class AclRtSimpleTest : public ::testing::Test {
 protected:
  AclRtSimpleTest() {
    static uintptr_t generation = 0;
    library_.generation = ++generation;
    fake = &library_;
  }
  ~AclRtSimpleTest() override { fake = nullptr; }

  aclError Launch(dim3 grid, size_t shared_memory_bytes = 0) {
    return aclrtLaunchKernel(flash_attention_kernel_id, grid, dim3(16),
                             reinterpret_cast<void**>(&args_),
                             shared_memory_bytes, stream_);
  }

  FakeLibrary library_;
  int device_memory_[4] = {};
  FlashAttentionKernel::KernelArgs args_ = {&device_memory_[0],
                                            &device_memory_[1],
                                            &device_memory_[2],
                                            &device_memory_[3],
                                            2,
                                            8,
                                            1024,
                                            128,
                                            0.125F};
  aclrtStream stream_ = &library_;
};

}  // namespace

extern "C" {

aclError aclrtMalloc(void** address, size_t size, aclrtMemMallocPolicy policy) {
  *address = fake;
  fake->last_call = {size, static_cast<uint64_t>(policy)};
  return ACL_SUCCESS;
}

aclError aclrtMemcpy(void* target, size_t room, const void* source,
                     size_t count, aclrtMemcpyKind kind) {
  std::memcpy(target, source, count);
  fake->last_call = {room, count, static_cast<uint64_t>(kind)};
  return ACL_SUCCESS;
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority,
                                     uint32_t flag) {
  *stream = fake;
  fake->last_call = {priority, flag};
  return ACL_SUCCESS;
}

aclError aclrtBinaryLoadFromFile(const char* path, aclrtBinaryLoadOptions*,
                                 aclrtBinHandle* binary) {
  fake->loads.emplace_back(path);
  *binary = reinterpret_cast<aclrtBinHandle>(fake->generation);
  return ACL_SUCCESS;
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binary, const char* name,
                                aclrtFuncHandle* function) {
  if (!fake->IsCurrent(binary)) return ACL_ERROR_RT_INVALID_HANDLE;
  if (std::string(name) != "flash_attention") return ACL_ERROR_RT_KERNEL_LOOKUP;
  *function = binary;
  return ACL_SUCCESS;
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle function,
                                       uint32_t num_blocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg* config,
                                       void* host_args, size_t args_bytes,
                                       aclrtPlaceHolderInfo*, size_t) {
  ++fake->launch_attempts;
  if (host_args == nullptr) return ACL_ERROR_INVALID_PARAM;
  if (num_blocks == 0) return ACL_ERROR_RT_PARAM_INVALID;
  if (!fake->IsCurrent(function) || fake->stream_is_stale) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  LaunchCall call{function, num_blocks, stream, {}, {}};
  if (config != nullptr) {
    for (size_t i = 0; i < config->numAttrs; ++i) {
      if (config->attrs[i].id == ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE) {
        call.shared_memory.push_back(config->attrs[i].value.dynUBufSize);
      }
    }
  }
  if (args_bytes != sizeof(call.args)) return ACL_ERROR_RT_PARAM_INVALID;
  std::memcpy(&call.args, host_args, args_bytes);
  fake->launches.push_back(call);
  return ACL_SUCCESS;
}

aclError aclrtGetLastError(aclrtLastErrLevel) {
  ++fake->errors_cleared;
  return ACL_SUCCESS;
}

const char* aclGetRecentErrMsg(void) { return nullptr; }

}  // extern "C"

namespace {

TEST_F(AclRtSimpleTest, MallocReturnsTheAddressByReference) {
  void* device = nullptr;
  EXPECT_EQ(aclrtMalloc(device, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_EQ(device, &library_);
  EXPECT_THAT(library_.last_call, ElementsAre(4096, ACL_MEM_MALLOC_HUGE_FIRST));
}

TEST_F(AclRtSimpleTest, MallocByPointerIsStillTheCCall) {
  void* device = nullptr;
  EXPECT_EQ(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  EXPECT_EQ(device, &library_);
}

TEST_F(AclRtSimpleTest, MemcpyOfFourArgumentsHasRoomForWhatItCopies) {
  const int source[2] = {3, 5};
  int target[2] = {};
  EXPECT_EQ(
      aclrtMemcpy(target, source, sizeof(source), ACL_MEMCPY_DEVICE_TO_HOST),
      ACL_SUCCESS);
  EXPECT_THAT(target, ElementsAre(3, 5));
  EXPECT_THAT(library_.last_call, ElementsAre(8, 8, ACL_MEMCPY_DEVICE_TO_HOST));
}

TEST_F(AclRtSimpleTest, CreateStreamTakesFlagsAndPriorityZero) {
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(stream, ACL_STREAM_FAST_MODE), ACL_SUCCESS);
  EXPECT_EQ(stream, &library_);
  EXPECT_THAT(library_.last_call, ElementsAre(0, 3));
}

TEST_F(AclRtSimpleTest, LaunchTranslatesArgumentsToTheKernelsBlock) {
  ASSERT_EQ(Launch(dim3(2, 8)), ACL_SUCCESS);
  ASSERT_EQ(library_.launches.size(), 1u);
  const ascrtFlashAttentionArgs& args = library_.launches[0].args;
  EXPECT_EQ(args.size, sizeof(ascrtFlashAttentionArgs));
  EXPECT_EQ(args.q, args_.q);
  EXPECT_EQ(args.k, args_.k);
  EXPECT_EQ(args.v, args_.v);
  EXPECT_EQ(args.o, args_.o);
  EXPECT_EQ(args.batch, 2);
  EXPECT_EQ(args.heads, 8);
  EXPECT_EQ(args.kv_heads, 8);
  EXPECT_EQ(args.q_length, 1024);
  EXPECT_EQ(args.kv_length, 1024);
  EXPECT_EQ(args.head_size, 128);
  EXPECT_EQ(args.scale, 0.125F);
  EXPECT_EQ(args.data_type, ACL_BF16);
  EXPECT_EQ(args.causal, 0u);
  EXPECT_EQ(library_.launches[0].stream, stream_);
}

TEST_F(AclRtSimpleTest, BlocksAreTheProductOfTheGrid) {
  ASSERT_EQ(Launch(7), ACL_SUCCESS);
  ASSERT_EQ(Launch(dim3(2, 8)), ACL_SUCCESS);
  ASSERT_EQ(Launch(dim3(2, 3, 5)), ACL_SUCCESS);
  ASSERT_EQ(Launch(dim3(65535, 65537)), ACL_SUCCESS);
  EXPECT_EQ(library_.launches[0].num_blocks, 7u);
  EXPECT_EQ(library_.launches[1].num_blocks, 16u);
  EXPECT_EQ(library_.launches[2].num_blocks, 30u);
  EXPECT_EQ(library_.launches[3].num_blocks, 0xFFFFFFFFu);
}

TEST_F(AclRtSimpleTest, GridThatIsEmptyOrTooLargeIsRefused) {
  EXPECT_EQ(Launch(dim3(0)), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(Launch(dim3(65536, 65536)), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(Launch(dim3(65535, 65535, 65535)), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(Launch(dim3(0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF)),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(library_.launches, IsEmpty());
}

TEST_F(AclRtSimpleTest, SharedMemoryIsALaunchAttribute) {
  ASSERT_EQ(Launch(1, 0), ACL_SUCCESS);
  ASSERT_EQ(Launch(1, 65536), ACL_SUCCESS);
  EXPECT_THAT(library_.launches[0].shared_memory, IsEmpty());
  EXPECT_THAT(library_.launches[1].shared_memory, ElementsAre(65536));
}

TEST_F(AclRtSimpleTest, NullArgumentsReachTheCCallAsNull) {
  EXPECT_EQ(aclrtLaunchKernel(flash_attention_kernel_id, dim3(1), dim3(1),
                              nullptr, 0, stream_),
            ACL_ERROR_INVALID_PARAM);
}

TEST_F(AclRtSimpleTest, BinaryIsLoadedOnce) {
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Launch(1), ACL_SUCCESS);
  EXPECT_THAT(library_.loads, ElementsAre("builtin:ops"));
}

TEST_F(AclRtSimpleTest, BinaryThatBecameStaleIsLoadedAgainWithoutATrace) {
  ASSERT_EQ(Launch(1), ACL_SUCCESS);
  library_.generation += 1000;  // as after aclFinalize and aclInit
  library_.errors_cleared = 0;
  EXPECT_EQ(Launch(1), ACL_SUCCESS);
  EXPECT_EQ(library_.loads.size(), 2u);
  EXPECT_TRUE(library_.IsCurrent(library_.launches[1].function));
  EXPECT_EQ(library_.errors_cleared, 1);
}

TEST_F(AclRtSimpleTest, StaleStreamIsReportedAndLoadsNothing) {
  ASSERT_EQ(Launch(1), ACL_SUCCESS);
  library_.stream_is_stale = true;
  library_.launch_attempts = 0;
  library_.errors_cleared = 0;
  EXPECT_EQ(Launch(1), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(library_.launch_attempts, 1);
  EXPECT_EQ(library_.loads.size(), 1u);
  EXPECT_EQ(library_.errors_cleared, 0);
}

TEST_F(AclRtSimpleTest, UnknownKernelIsReported) {
  const aclrtKernelId unknown = {"no_such_kernel",
                                 flash_attention_kernel_id.args_bytes,
                                 flash_attention_kernel_id.fill};
  // The binary of an earlier test is stale; a launch renews it.
  ASSERT_EQ(Launch(1), ACL_SUCCESS);
  EXPECT_EQ(aclrtLaunchKernel(unknown, dim3(1), dim3(1),
                              reinterpret_cast<void**>(&args_), 0, stream_),
            ACL_ERROR_RT_KERNEL_LOOKUP);
}

}  // namespace
