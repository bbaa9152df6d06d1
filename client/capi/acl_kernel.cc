// Kernels: binaries, functions, launches.
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/binary_options.h"
#include "client/capi/edge.h"
#include "client/capi/launch_attributes.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckBinaryOptions;
using ascend::client::CheckNotNull;
using ascend::client::CheckRoom;
using ascend::client::ClientRuntime;
using ascend::client::LaunchRequest;
using ascend::client::ReadLaunchAttributes;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

absl::Status CheckHostArgs(const void* function, const void* args,
                           size_t args_bytes,
                           const aclrtPlaceHolderInfo* holders,
                           size_t holder_count) {
  ASCEND_RETURN_IF_ERROR(
      CheckNotNull({{function, "funcHandle"}, {args, "hostArgs"}}));
  if (holder_count > 0) {
    ASCEND_RETURN_IF_ERROR(CheckNotNull({{holders, "placeHolderArray"}}));
  }
  // Before the block is copied. Every placeholder has eight bytes of it.
  if (args_bytes > ascend::core::kLaunchArgsBytesMax ||
      holder_count > args_bytes / sizeof(uint64_t)) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("argsSize is ", args_bytes, " and placeHolderNum ",
                     holder_count, ", but an argument block has at most ",
                     ascend::core::kLaunchArgsBytesMax,
                     " bytes, of which a place holder takes 8"));
  }
  return absl::OkStatus();
}

absl::Status LaunchWithDeviceArgs(void* function, uint32_t num_blocks,
                                  const void* args, size_t args_bytes,
                                  const aclrtLaunchKernelCfg* cfg,
                                  void* stream) {
  ASCEND_RETURN_IF_ERROR(
      CheckNotNull({{function, "funcHandle"}, {args, "argsData"}}));
  LaunchRequest request;
  ASCEND_RETURN_IF_ERROR(ReadLaunchAttributes(cfg, request));
  request.function = function;
  request.num_blocks = num_blocks;
  request.stream = stream;
  request.device_args = reinterpret_cast<uintptr_t>(args);
  request.device_args_bytes = args_bytes;
  return ClientRuntime::Get().Launch(std::move(request));
}

// The argument block of a built-in kernel, whose one argument it is: `args`
// points to the pointer to it. It states its own size.
absl::StatusOr<std::string> BlockOf(void** args) {
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{args, "args"}}));
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{args[0], "args[0]"}}));
  uint64_t bytes = 0;
  std::memcpy(&bytes, args[0], sizeof(bytes));
  if (bytes < sizeof(bytes) || bytes > ascend::core::kLaunchArgsBytesMax) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("the argument block at args[0] states a size of ", bytes,
                     " bytes, but it has ", sizeof(bytes), " to ",
                     ascend::core::kLaunchArgsBytesMax));
  }
  return std::string(static_cast<const char*>(args[0]), bytes);
}

absl::Status LaunchWithArray(void* function, uint32_t num_blocks, void* stream,
                             const aclrtLaunchKernelCfg* cfg, void** args) {
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{function, "func"}}));
  LaunchRequest request;
  ASCEND_ASSIGN_OR_RETURN(request.host_args, BlockOf(args));
  ASCEND_RETURN_IF_ERROR(ReadLaunchAttributes(cfg, request));
  request.function = function;
  request.num_blocks = num_blocks;
  request.stream = stream;
  return ClientRuntime::Get().Launch(std::move(request));
}

}  // namespace

aclError aclrtBinaryLoadFromFile(const char* binPath,
                                 aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* binHandle) {
  absl::Status status =
      CheckNotNull({{binPath, "binPath"}, {binHandle, "binHandle"}});
  if (status.ok()) status = CheckBinaryOptions(options);
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().LoadBinary(binPath),
                     binHandle);
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
  const absl::Status status = CheckNotNull({{binHandle, "binHandle"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().UnloadBinary(binHandle));
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle,
                                const char* kernelName,
                                aclrtFuncHandle* funcHandle) {
  const absl::Status status = CheckNotNull({{binHandle, "binHandle"},
                                            {kernelName, "kernelName"},
                                            {funcHandle, "funcHandle"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__,
                     ClientRuntime::Get().FindFunction(binHandle, kernelName),
                     funcHandle);
}

aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle,
                                       uint64_t funcEntry,
                                       aclrtFuncHandle* funcHandle) {
  const absl::Status status =
      CheckNotNull({{binHandle, "binHandle"}, {funcHandle, "funcHandle"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(
      __func__, ClientRuntime::Get().FindFunctionByEntry(binHandle, funcEntry),
      funcHandle);
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen,
                              char* name) {
  absl::Status status =
      CheckNotNull({{funcHandle, "funcHandle"}, {name, "name"}});
  if (!status.ok()) return Report(__func__, status);
  const auto found = ClientRuntime::Get().FunctionName(funcHandle);
  if (!found.ok()) return Report(__func__, found.status());
  status = CheckRoom("the name's length with its end", found->size() + 1,
                     "maxLen", maxLen);
  if (!status.ok()) return Report(__func__, status);
  found->copy(name, found->size());
  name[found->size()] = '\0';
  return ACL_SUCCESS;
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                           const void* argsData, size_t argsSize,
                           aclrtStream stream) {
  return Report(__func__, LaunchWithDeviceArgs(funcHandle, numBlocks, argsData,
                                               argsSize, nullptr, stream));
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                             const void* argsData, size_t argsSize,
                             aclrtLaunchKernelCfg* cfg, aclrtStream stream) {
  return Report(__func__, LaunchWithDeviceArgs(funcHandle, numBlocks, argsData,
                                               argsSize, cfg, stream));
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle,
                                       uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg* cfg,
                                       void* hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo* placeHolderArray,
                                       size_t placeHolderNum) {
  absl::Status status = CheckHostArgs(funcHandle, hostArgs, argsSize,
                                      placeHolderArray, placeHolderNum);
  LaunchRequest request;
  if (status.ok()) status = ReadLaunchAttributes(cfg, request);
  if (!status.ok()) return Report(__func__, status);
  request.function = funcHandle;
  request.num_blocks = numBlocks;
  request.stream = stream;
  request.host_args.assign(static_cast<const char*>(hostArgs), argsSize);
  for (size_t i = 0; i < placeHolderNum; ++i) {
    request.place_holders.push_back(
        {placeHolderArray[i].addrOffset, placeHolderArray[i].dataOffset});
  }
  return Report(__func__, ClientRuntime::Get().Launch(std::move(request)));
}

aclError aclrtLaunchKernelWithArgsArray(void* func, uint32_t numBlocks,
                                        aclrtStream stream,
                                        aclrtLaunchKernelCfg* cfg,
                                        void** args) {
  return Report(__func__, LaunchWithArray(func, numBlocks, stream, cfg, args));
}
