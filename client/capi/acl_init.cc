// Process: initialisation, versions.
#include "acl/acl.h"
#include "acl/ascend_rtd_ext.h"
#include "client/capi/edge.h"
#include "core/base/error.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::Report;
using ascend::client::ReportCode;

aclError aclInit(const char* configPath) {
  const char* const path = configPath == nullptr ? "" : configPath;
  switch (ClientRuntime::Get().Init(path)) {
    case ClientRuntime::InitOutcome::kFirst:
      return ACL_SUCCESS;
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
  if (ClientRuntime::Get().Finalize()) return ACL_SUCCESS;
  return ReportCode(__func__, ACL_ERROR_REPEAT_FINALIZE,
                    "AscendCL is not initialised");
}

aclError aclFinalizeReference(uint64_t* refCount) {
  uint64_t remaining = 0;
  if (!ClientRuntime::Get().Release(&remaining)) {
    return ReportCode(__func__, ACL_ERROR_REPEAT_FINALIZE,
                      "AscendCL is not initialised");
  }
  if (refCount != nullptr) *refCount = remaining;
  return ACL_SUCCESS;
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

const char* ascrtGetVersion(void) { return ASCEND_RTD_VERSION; }

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
