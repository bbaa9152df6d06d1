// Kernels: binaries, functions, launches.
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::LaunchRequest;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

// The number in a field of the caller's, who may have put any there: to read it
// as the enumeration that it should be would be undefined.
template <typename Enum>
int NumberOf(const Enum& field) {
  int number = 0;
  static_assert(sizeof(number) == sizeof(field));
  std::memcpy(&number, &field, sizeof(number));
  return number;
}

absl::Status CheckOptions(const aclrtBinaryLoadOptions* options) {
  if (options == nullptr || options->numOpt == 0) return absl::OkStatus();
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{options->options, "options"}}));
  for (size_t i = 0; i < options->numOpt; ++i) {
    const int type = NumberOf(options->options[i].type);
    if (type >= ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD &&
        type <= ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE) {
      continue;
    }
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("option ", i, " has type ", type, ", which is unknown"));
  }
  return absl::OkStatus();
}

// Attributes are accepted where they ask for nothing that changes results.
absl::Status CheckAttributes(const aclrtLaunchKernelCfg* cfg) {
  if (cfg == nullptr || cfg->numAttrs == 0) return absl::OkStatus();
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{cfg->attrs, "cfg->attrs"}}));
  std::set<int> seen;
  for (size_t i = 0; i < cfg->numAttrs; ++i) {
    const int id = NumberOf(cfg->attrs[i].id);
    const bool is_known = id >= ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE &&
                          id <= ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING;
    if (is_known && seen.insert(id).second) continue;
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("launch attribute ", i, " has id ", id,
                     is_known ? ", which occurs twice" : ", which is unknown"));
  }
  if (seen.count(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT) > 0 &&
      seen.count(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US) > 0) {
    return MakeError(Reason::kInvalidArgument,
                     "the launch attributes hold a time-out in seconds and one "
                     "in microseconds; only one may be there");
  }
  return absl::OkStatus();
}

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

}  // namespace

aclError aclrtBinaryLoadFromFile(const char* binPath,
                                 aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* binHandle) {
  absl::Status status =
      CheckNotNull({{binPath, "binPath"}, {binHandle, "binHandle"}});
  if (status.ok()) status = CheckOptions(options);
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

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                           const void* argsData, size_t argsSize,
                           aclrtStream stream) {
  const absl::Status status =
      CheckNotNull({{funcHandle, "funcHandle"}, {argsData, "argsData"}});
  if (!status.ok()) return Report(__func__, status);
  LaunchRequest request;
  request.function = funcHandle;
  request.num_blocks = numBlocks;
  request.stream = stream;
  request.device_args = reinterpret_cast<uintptr_t>(argsData);
  request.device_args_bytes = argsSize;
  return Report(__func__, ClientRuntime::Get().Launch(std::move(request)));
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle,
                                       uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg* cfg,
                                       void* hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo* placeHolderArray,
                                       size_t placeHolderNum) {
  absl::Status status = CheckHostArgs(funcHandle, hostArgs, argsSize,
                                      placeHolderArray, placeHolderNum);
  if (status.ok()) status = CheckAttributes(cfg);
  if (!status.ok()) return Report(__func__, status);
  LaunchRequest request;
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
