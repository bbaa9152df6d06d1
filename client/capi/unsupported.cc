// The calls that this release does not have: a stub for each UNSUPPORTED row of
// functions.inc. Programs that only mention such a call link and run; one that
// makes it hears "not supported" and the name, as from a device that lacks the
// feature, and changes nothing.
//
// A row whose signature is not that of its header, or whose function is defined
// elsewhere too, does not build.
//
// Threading: any thread. Ownership: nothing.
#include <string_view>
#include <type_traits>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_allocator.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"
#include "acl/ops/acl_cblas.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "client/capi/edge.h"
#include "core/base/error.h"

namespace ascend::client {
namespace {

constexpr char kSentence[] =
    "not supported by this release of ascend-rtd; FUNCTIONS.md lists the calls "
    "that are";

// What the operator libraries, whose codes are their own, answer to what they
// cannot do.
constexpr aclError kOperatorInternalError = 561000;

aclError ReportUnsupported(const char* function, std::string_view result) {
  if (result == "aclnnStatus") {
    return ReportCode(function, kOperatorInternalError, kSentence);
  }
  return Report(function,
                core::MakeError(core::Reason::kUnsupported, kSentence));
}

// What a caller takes for "none": null, no bytes, no elements.
template <typename Result>
Result None() {
  return Result();
}

template <>
aclDataType None() {
  return ACL_DT_UNDEFINED;
}

template <>
aclFormat None() {
  return ACL_FORMAT_UNDEFINED;
}

template <>
acltdtTensorType None() {
  return ACL_TENSOR_DATA_UNDEFINED;
}

template <>
aclprofSubscribeOpFlag None() {
  return ACL_SUBSCRIBE_NONE;
}

// `result` is the type as the row spells it: aclError and aclnnStatus are one
// type to the compiler.
template <typename Result>
Result Refuse(const char* function, std::string_view result) {
  const aclError code = ReportUnsupported(function, result);
  if constexpr (std::is_same_v<Result, aclError>) return code;
  return None<Result>();
}

}  // namespace
}  // namespace ascend::client

// The parameters keep the names that the rows give them.
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define SUPPORTED(header, subject, result, name, parameters, note)
#define UNSUPPORTED(header, subject, result, name, parameters, note) \
  result name parameters {                                           \
    return ascend::client::Refuse<result>(#name, #result);           \
  }

extern "C" {
#include "client/capi/functions.inc"
}  // extern "C"
