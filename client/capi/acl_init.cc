// Process: initialisation and callbacks at it, versions.
#include "absl/strings/str_cat.h"
#include "acl/acl.h"
#include "acl/ascend_rtd_ext.h"
#include "client/capi/edge.h"
#include "client/capi/process_callbacks.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::ProcessCallbacks;
using ascend::client::Report;
using ascend::client::ReportCode;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

constexpr char kInitFailed[] =
    "a callback that was registered for initialisation failed, with this code";
constexpr char kFinalizeFailed[] =
    "a callback that was registered for the end failed, with this code; "
    "AscendCL is finalized all the same";

bool IsCallbackType(int type) {
  return (type >= ACL_REG_TYPE_ACL_MODEL && type <= ACL_REG_TYPE_ACL_RETR) ||
         type == ACL_REG_TYPE_OTHER;
}

// What registering and removing have in common.
absl::Status CheckCallback(int type, const void* function) {
  ASCEND_RETURN_IF_ERROR(CheckNotNull({{function, "cbFunc"}}));
  if (IsCallbackType(type)) return absl::OkStatus();
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat("type is ", type, ", which is no type of callbacks"));
}

absl::Status NotAdded() {
  return MakeError(Reason::kInvalidArgument,
                   "cbFunc is registered for this type already");
}

absl::Status NotRemoved() {
  return MakeError(Reason::kInvalidArgument,
                   "cbFunc is not registered for this type");
}

template <typename Function>
const void* AddressOf(Function function) {
  return reinterpret_cast<const void*>(function);
}

}  // namespace

aclError aclInit(const char* configPath) {
  const char* const path = configPath == nullptr ? "" : configPath;
  switch (ClientRuntime::Get().Init(path)) {
    case ClientRuntime::InitOutcome::kFirst: {
      const aclError code =
          ProcessCallbacks::Get().RunInit(ClientRuntime::Get().ConfigText());
      if (code == ACL_SUCCESS) return ACL_SUCCESS;
      ClientRuntime::Get().Finalize(
          [] { ProcessCallbacks::Get().RunFinalize(); });
      return ReportCode(__func__, code, kInitFailed);
    }
    case ClientRuntime::InitOutcome::kRepeated:
      // Callers take it for success, so it is not remembered as a failure.
      return ACL_ERROR_REPEAT_INITIALIZE;
    case ClientRuntime::InitOutcome::kUnreadable:
      return ReportCode(__func__, ACL_ERROR_INVALID_FILE,
                        "the configuration file cannot be read: check "
                        "configPath");
    case ClientRuntime::InitOutcome::kNotJson:
      return ReportCode(__func__, ACL_ERROR_PARSE_FILE,
                        "the configuration file is not a JSON object");
    case ClientRuntime::InitOutcome::kOtherFile:
      return ReportCode(__func__, ACL_ERROR_INVALID_PARAM,
                        "the configuration differs from the one of the first "
                        "initialisation of this process");
  }
  return ACL_ERROR_INTERNAL_ERROR;
}

aclError aclFinalize(void) {
  aclError code = ACL_SUCCESS;
  if (!ClientRuntime::Get().Finalize(
          [&] { code = ProcessCallbacks::Get().RunFinalize(); })) {
    return ReportCode(__func__, ACL_ERROR_REPEAT_FINALIZE,
                      "AscendCL is not initialised");
  }
  if (code == ACL_SUCCESS) return ACL_SUCCESS;
  return ReportCode(__func__, code, kFinalizeFailed);
}

aclError aclFinalizeReference(uint64_t* refCount) {
  uint64_t remaining = 0;
  aclError code = ACL_SUCCESS;
  if (!ClientRuntime::Get().Release(
          &remaining, [&] { code = ProcessCallbacks::Get().RunFinalize(); })) {
    return ReportCode(__func__, ACL_ERROR_REPEAT_FINALIZE,
                      "AscendCL is not initialised");
  }
  if (refCount != nullptr) *refCount = remaining;
  if (code == ACL_SUCCESS) return ACL_SUCCESS;
  return ReportCode(__func__, code, kFinalizeFailed);
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type,
                                 aclInitCallbackFunc cbFunc, void* userData) {
  absl::Status status = CheckCallback(type, AddressOf(cbFunc));
  if (!status.ok()) return Report(__func__, status);
  aclError code = ACL_SUCCESS;
  if (!ProcessCallbacks::Get().AddInit(type, cbFunc, userData, &code)) {
    return Report(__func__, NotAdded());
  }
  if (code == ACL_SUCCESS) return ACL_SUCCESS;
  return ReportCode(__func__, code, kInitFailed);
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type,
                                   aclInitCallbackFunc cbFunc) {
  absl::Status status = CheckCallback(type, AddressOf(cbFunc));
  if (status.ok() && !ProcessCallbacks::Get().RemoveInit(type, cbFunc)) {
    status = NotRemoved();
  }
  return Report(__func__, status);
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,
                                     aclFinalizeCallbackFunc cbFunc,
                                     void* userData) {
  absl::Status status = CheckCallback(type, AddressOf(cbFunc));
  if (status.ok() &&
      !ProcessCallbacks::Get().AddFinalize(type, cbFunc, userData)) {
    status = NotAdded();
  }
  return Report(__func__, status);
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                       aclFinalizeCallbackFunc cbFunc) {
  absl::Status status = CheckCallback(type, AddressOf(cbFunc));
  if (status.ok() && !ProcessCallbacks::Get().RemoveFinalize(type, cbFunc)) {
    status = NotRemoved();
  }
  return Report(__func__, status);
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion,
                         int32_t* patchVersion) {
  const absl::Status status = CheckNotNull({{majorVersion, "majorVersion"},
                                            {minorVersion, "minorVersion"},
                                            {patchVersion, "patchVersion"}});
  if (!status.ok()) return Report(__func__, status);
  *majorVersion = ACL_MAJOR_VERSION;
  *minorVersion = ACL_MINOR_VERSION;
  *patchVersion = ACL_PATCH_VERSION;
  return ACL_SUCCESS;
}

size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_DT_UNDEFINED:
    case ACL_STRING:
      return 0;
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
    case ACL_INT4:
    case ACL_UINT1:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
    case ACL_FLOAT6_E3M2:
    case ACL_FLOAT6_E2M3:
    case ACL_FLOAT4_E2M1:
    case ACL_FLOAT4_E1M2:
      return 1;
    case ACL_FLOAT16:
    case ACL_INT16:
    case ACL_UINT16:
    case ACL_BF16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
      return 4;
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_DOUBLE:
    case ACL_COMPLEX64:
      return 8;
    case ACL_COMPLEX128:
      return 16;
  }
  return 0;
}
