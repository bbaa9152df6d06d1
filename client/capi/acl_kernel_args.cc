// Arguments of kernels, built up one by one, and launches with them.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "client/capi/launch_attributes.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::ArgumentList;
using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::LaunchRequest;
using ascend::client::ReadLaunchAttributes;
using ascend::client::Report;
using ascend::client::ReportValue;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

// A list that a program names is named only: one word will do.
constexpr size_t kHandleBytes = sizeof(void*);

// Calls `body(list)`, whose result is the value of the call.
template <typename Body>
absl::StatusOr<void*> Use(void* list, Body body) {
  absl::StatusOr<void*> result;
  const absl::Status status = ClientRuntime::Get().UseArguments(
      list, [&result, &body](ArgumentList& arguments) {
        result = body(arguments);
        return result.status();
      });
  if (!status.ok()) return status;
  return result;
}

absl::Status LaunchWithList(void* function, uint32_t num_blocks, void* stream,
                            const aclrtLaunchKernelCfg* cfg, void* list,
                            const void* reserve) {
  ASCEND_RETURN_IF_ERROR(
      CheckNotNull({{function, "funcHandle"}, {list, "argsHandle"}}));
  if (reserve != nullptr) {
    return MakeError(Reason::kInvalidArgument,
                     "reserve is not null, which nothing but null may be");
  }
  LaunchRequest request;
  ASCEND_RETURN_IF_ERROR(ReadLaunchAttributes(cfg, request));
  request.function = function;
  request.num_blocks = num_blocks;
  request.stream = stream;
  ASCEND_RETURN_IF_ERROR(ClientRuntime::Get().FunctionName(function).status());
  ASCEND_RETURN_IF_ERROR(ClientRuntime::Get().UseArguments(
      list, [&request](ArgumentList& arguments) {
        if (arguments.function() != request.function) {
          return MakeError(Reason::kInvalidArgument,
                           "argsHandle is a list of another function");
        }
        if (!arguments.is_finalized()) {
          return MakeError(Reason::kInvalidArgument,
                           "argsHandle is not finalized: call "
                           "aclrtKernelArgsFinalize");
        }
        request.host_args = arguments.Block();
        request.place_holders = arguments.PlaceHolders();
        return absl::OkStatus();
      }));
  return ClientRuntime::Get().Launch(std::move(request));
}

}  // namespace

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle,
                             aclrtArgsHandle* argsHandle) {
  const absl::Status status =
      CheckNotNull({{funcHandle, "funcHandle"}, {argsHandle, "argsHandle"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__, ClientRuntime::Get().CreateArguments(funcHandle),
                     argsHandle);
}

aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
                                      aclrtArgsHandle argsHandle,
                                      void* userHostMem,
                                      size_t actualArgsSize) {
  absl::Status status = CheckNotNull({{funcHandle, "funcHandle"},
                                      {argsHandle, "argsHandle"},
                                      {userHostMem, "userHostMem"}});
  if (status.ok() && actualArgsSize == 0) {
    status = MakeError(Reason::kInvalidArgument,
                       "actualArgsSize is 0: aclrtKernelArgsGetMemSize says "
                       "what it must be");
  }
  if (status.ok()) {
    status = ClientRuntime::Get().CreateArgumentsAt(argsHandle, funcHandle,
                                                    actualArgsSize);
  }
  return Report(__func__, status);
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle,
                                         size_t* memSize) {
  absl::Status status =
      CheckNotNull({{funcHandle, "funcHandle"}, {memSize, "memSize"}});
  if (status.ok()) {
    status = ClientRuntime::Get().FunctionName(funcHandle).status();
  }
  if (status.ok()) *memSize = kHandleBytes;
  return Report(__func__, status);
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle,
                                   size_t userArgsSize,
                                   size_t* actualArgsSize) {
  absl::Status status = CheckNotNull(
      {{funcHandle, "funcHandle"}, {actualArgsSize, "actualArgsSize"}});
  if (status.ok()) {
    status = ClientRuntime::Get().FunctionName(funcHandle).status();
  }
  if (status.ok() && userArgsSize > ascend::core::kLaunchArgsBytesMax) {
    status =
        MakeError(Reason::kInvalidArgument,
                  absl::StrCat("userArgsSize is ", userArgsSize,
                               ", but arguments have at most ",
                               ascend::core::kLaunchArgsBytesMax, " bytes"));
  }
  if (status.ok()) {
    constexpr size_t kMask = ArgumentList::kSlotBytes - 1;
    // Never 0, so that it can be allocated.
    *actualArgsSize = (std::max<size_t>(userArgsSize, 1) + kMask) & ~kMask;
  }
  return Report(__func__, status);
}

aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param,
                               size_t paramSize,
                               aclrtParamHandle* paramHandle) {
  const absl::Status status = CheckNotNull({{argsHandle, "argsHandle"},
                                            {param, "param"},
                                            {paramHandle, "paramHandle"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(
      __func__,
      Use(argsHandle,
          [=](ArgumentList& list) { return list.Append(param, paramSize); }),
      paramHandle);
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
                                          aclrtParamHandle* paramHandle) {
  const absl::Status status =
      CheckNotNull({{argsHandle, "argsHandle"}, {paramHandle, "paramHandle"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(
      __func__,
      Use(argsHandle,
          [](ArgumentList& list) { return list.AppendPlaceHolder(); }),
      paramHandle);
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                             aclrtParamHandle paramHandle,
                                             size_t dataSize,
                                             void** bufferAddr) {
  const absl::Status status = CheckNotNull({{argsHandle, "argsHandle"},
                                            {paramHandle, "paramHandle"},
                                            {bufferAddr, "bufferAddr"}});
  if (!status.ok()) return Report(__func__, status);
  return ReportValue(__func__,
                     Use(argsHandle,
                         [=](ArgumentList& list) {
                           return list.DataOf(paramHandle, dataSize);
                         }),
                     bufferAddr);
}

aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
                                   aclrtParamHandle paramHandle, void* param,
                                   size_t paramSize) {
  const absl::Status status = CheckNotNull({{argsHandle, "argsHandle"},
                                            {paramHandle, "paramHandle"},
                                            {param, "param"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(
      __func__,
      ClientRuntime::Get().UseArguments(argsHandle, [=](ArgumentList& list) {
        return list.Update(paramHandle, param, paramSize);
      }));
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle) {
  const absl::Status status = CheckNotNull({{argsHandle, "argsHandle"}});
  if (!status.ok()) return Report(__func__, status);
  return Report(__func__, ClientRuntime::Get().UseArguments(
                              argsHandle, [](ArgumentList& list) {
                                return list.Finalize();
                              }));
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle,
                                     uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg* cfg,
                                     aclrtArgsHandle argsHandle,
                                     void* reserve) {
  return Report(__func__, LaunchWithList(funcHandle, numBlocks, stream, cfg,
                                         argsHandle, reserve));
}
