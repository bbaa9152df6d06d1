// PublicFunction: what tools know of a function of functions.inc.
#ifndef ASCEND_CLIENT_CAPI_PUBLIC_FUNCTION_H_
#define ASCEND_CLIENT_CAPI_PUBLIC_FUNCTION_H_

#include <span>
#include <string_view>

namespace ascend::client {

struct PublicFunction {
  std::string_view name;
  std::string_view parameters;  // as declared, in parentheses
  // Its result tells failure: a code, or null.
  bool can_fail = false;
};

// In the order of functions.inc; the place of a function is its index.
std::span<const PublicFunction> PublicFunctions();

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_PUBLIC_FUNCTION_H_
