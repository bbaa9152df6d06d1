// The entries of all public functions, which the linker knows by their names:
// each calls the body of the same name (implementation_names.h), through
// CallHooked when a tool watches. Made from functions.inc, so that no function
// can be forgotten; a call that one body makes of another does not come here.
//
// Threading: any thread. Ownership: nothing.
#include <tuple>
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
#include "client/capi/arity.h"
#include "client/capi/call_hook.h"
#include "client/capi/hooked_functions.h"
#include "client/capi/public_function.h"

namespace {

template <size_t kIndex, typename Function>
struct ParameterOf;
template <size_t kIndex, typename Result, typename... Parameters>
struct ParameterOf<kIndex, Result(Parameters...)> {
  using Type = std::tuple_element_t<kIndex, std::tuple<Parameters...>>;
};
template <size_t kIndex, typename Function>
using Parameter = typename ParameterOf<kIndex, Function>::Type;

// The type as a row spells it, and as it is.
template <typename Result>
constexpr bool CanFail(std::string_view spelling) {
  return spelling == "aclError" || spelling == "aclnnStatus" ||
         std::is_pointer_v<Result>;
}

enum Index : size_t {
#define SUPPORTED(header, subject, result, name, parameters, note) k_##name,
#define UNSUPPORTED(header, subject, result, name, parameters, note) k_##name,
#include "client/capi/functions.inc"
#undef SUPPORTED
#undef UNSUPPORTED
};

constexpr ascend::client::PublicFunction kFunctions[] = {
#define SUPPORTED(header, subject, result, name, parameters, note) \
  {#name, #parameters, CanFail<result>(#result)},
#define UNSUPPORTED(header, subject, result, name, parameters, note) \
  {#name, #parameters, CanFail<result>(#result)},
#include "client/capi/functions.inc"
#undef SUPPORTED
#undef UNSUPPORTED
};

}  // namespace

namespace ascend::client {

std::span<const PublicFunction> PublicFunctions() { return kFunctions; }

}  // namespace ascend::client

// The bodies are hidden, so the way to them is a jump and no table.
#define ASCEND_MAKE(result, name, parameters)                                  \
  [[gnu::visibility("hidden")]] result ASCEND_IMPLEMENTATION(name) parameters; \
  result name(ASCEND_DECLARE(ASCEND_ARITY(parameters))(decltype(name))) {      \
    if (ascend::client::AreCallsHooked()) {                                    \
      return ascend::client::CallHooked(                                       \
          k_##name,                                                            \
          &ASCEND_IMPLEMENTATION(name) ASCEND_PASS(ASCEND_ARITY(parameters))); \
    }                                                                          \
    return ASCEND_CALL(ASCEND_IMPLEMENTATION(name)                             \
                           ASCEND_PASS(ASCEND_ARITY(parameters)));             \
  }
#define ASCEND_CALL(...) ASCEND_CALL_BODY(__VA_ARGS__)
#define ASCEND_CALL_BODY(body, ...) body(__VA_ARGS__)

#define SUPPORTED(header, subject, result, name, parameters, note) \
  ASCEND_HOOKED(name)(result, name, parameters)
#define UNSUPPORTED(header, subject, result, name, parameters, note) \
  ASCEND_HOOKED(name)(result, name, parameters)

extern "C" {
#include "client/capi/functions.inc"
}  // extern "C"
