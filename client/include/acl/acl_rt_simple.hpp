// The short C++ spelling of AscendCL, as introductory texts use it.
//
// Thin overloads, in the global namespace, over the calls of acl/acl.h: the
// contracts, codes and error messages are those of the call underneath. Both
// spellings may be mixed in one program. C++14 or later.
#ifndef ACL_ACL_RT_SIMPLE_HPP_
#define ACL_ACL_RT_SIMPLE_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "acl/acl.h"

// A stream whose launches are quick and whose synchronisation polls.
constexpr uint32_t ACL_STREAM_FAST_MODE =
    ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;

// How a kernel is launched, beside its arguments.
struct aclrtLaunchShape {
  dim3 grid;
  dim3 block;
  size_t shared_memory_bytes;
};

// Names a built-in kernel, and knows how the arguments of the short spelling
// become the argument block that the kernel takes.
struct aclrtKernelId {
  const char* name;
  size_t args_bytes;
  // Writes the argument block, `args_bytes` at `target`, from the `args` that
  // the launch was given. A kernel that has a use for the shape finds it here.
  void (*fill)(const void* args, const aclrtLaunchShape& shape, void* target);
};

namespace aclrt_simple_detail {

// The binary "builtin:ops" of this process and the functions found in it.
// Threading: any thread.
class BuiltinOps {
 public:
  static BuiltinOps& Get() {
    static BuiltinOps* ops = new BuiltinOps;  // outlives every static of users
    return *ops;
  }

  // The function of that name; loads the binary at the first call.
  aclError Find(const char* name, aclrtFuncHandle* function) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& known : functions_) {
      if (std::strcmp(known.first, name) == 0) {
        *function = known.second;
        return ACL_SUCCESS;
      }
    }
    if (binary_ == nullptr) {
      const aclError loaded =
          aclrtBinaryLoadFromFile("builtin:ops", nullptr, &binary_);
      if (loaded != ACL_SUCCESS) return loaded;
    }
    const aclError found = aclrtBinaryGetFunction(binary_, name, function);
    if (found == ACL_SUCCESS) functions_.emplace_back(name, *function);
    return found;
  }

  // May a launch that returned 107017 with `function` work with another? Yes
  // if the binary is stale, as it may be after aclFinalize: it is forgotten
  // here, unless another thread was quicker. No if it is good: then the launch
  // meant another handle.
  bool Renew(const char* name, aclrtFuncHandle function) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& known : functions_) {
      if (std::strcmp(known.first, name) == 0 && known.second != function) {
        return true;
      }
    }
    aclrtFuncHandle found = nullptr;
    if (aclrtBinaryGetFunction(binary_, name, &found) == ACL_SUCCESS) {
      return false;
    }
    binary_ = nullptr;
    functions_.clear();
    return true;
  }

 private:
  std::mutex mutex_;
  aclrtBinHandle binary_ = nullptr;
  std::vector<std::pair<const char*, aclrtFuncHandle>> functions_;
};

// Blocks of a grid. A grid that the C call cannot express counts as 0, which
// that call refuses.
inline uint32_t BlocksOf(const dim3& grid) {
  constexpr uint64_t kMax = std::numeric_limits<uint32_t>::max();
  const uint64_t plane = uint64_t{grid.x} * grid.y;
  if (plane > kMax || plane * grid.z > kMax) return 0;
  return static_cast<uint32_t>(plane * grid.z);
}

// One attempt to launch; `*function` is the one it was made with. `arguments`
// may be null, which the C call refuses.
inline aclError Launch(const aclrtKernelId& kernel,
                       const aclrtLaunchShape& shape, void* arguments,
                       aclrtStream stream, aclrtFuncHandle* function) {
  const aclError found = BuiltinOps::Get().Find(kernel.name, function);
  if (found != ACL_SUCCESS) return found;
  aclrtLaunchKernelAttr shared_memory = {};
  shared_memory.id = ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE;
  shared_memory.value.dynUBufSize = static_cast<uint32_t>(std::min<size_t>(
      shape.shared_memory_bytes, std::numeric_limits<uint32_t>::max()));
  aclrtLaunchKernelCfg config = {&shared_memory, 1};
  return aclrtLaunchKernelWithHostArgs(
      *function, BlocksOf(shape.grid), stream,
      shape.shared_memory_bytes > 0 ? &config : nullptr, arguments,
      kernel.args_bytes, nullptr, 0);
}

}  // namespace aclrt_simple_detail

// As aclrtMalloc with the result by reference.
inline aclError aclrtMalloc(void*& device, size_t bytes,
                            aclrtMemMallocPolicy policy) {
  return aclrtMalloc(&device, bytes, policy);
}

// As aclrtMemcpy to a target that has room for all `bytes`.
inline aclError aclrtMemcpy(void* target, const void* source, size_t bytes,
                            aclrtMemcpyKind kind) {
  return aclrtMemcpy(target, bytes, source, bytes, kind);
}

// A stream of priority 0 with flags ACL_STREAM_*.
inline aclError aclrtCreateStream(aclrtStream& stream, uint32_t flags) {
  return aclrtCreateStreamWithConfig(&stream, 0, flags);
}

// Puts a built-in kernel into `stream`, as many blocks as the product of the
// grid. `args` is the address of the kernel's KernelArgs, cast to void**; what
// is there is read before the call returns. Block dimensions and shared memory
// are the kernel's to use. Loads the binary "builtin:ops" once per process,
// and again when the library was finalized since.
inline aclError aclrtLaunchKernel(const aclrtKernelId& kernel, dim3 grid,
                                  dim3 block, void** args,
                                  size_t shared_memory_bytes,
                                  aclrtStream stream) {
  using aclrt_simple_detail::BuiltinOps;
  using aclrt_simple_detail::Launch;
  const aclrtLaunchShape shape = {grid, block, shared_memory_bytes};
  std::vector<unsigned char> arguments(kernel.args_bytes);
  if (args != nullptr) kernel.fill(args, shape, arguments.data());
  void* const host_args = args != nullptr ? arguments.data() : nullptr;

  aclrtFuncHandle function = nullptr;
  const aclError launched = Launch(kernel, shape, host_args, stream, &function);
  if (launched != ACL_ERROR_RT_INVALID_HANDLE ||
      !BuiltinOps::Get().Renew(kernel.name, function)) {
    return launched;
  }
  const aclError again = Launch(kernel, shape, host_args, stream, &function);
  if (again == ACL_SUCCESS) {
    // What the stale handle left behind is not an error of the caller.
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    aclGetRecentErrMsg();
  }
  return again;
}

#endif  // ACL_ACL_RT_SIMPLE_HPP_
