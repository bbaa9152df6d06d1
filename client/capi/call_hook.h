// What the entry of a public function does besides calling the body: faults
// (fault_plan.h) and the trace (call_trace.h).
//
// A call looks at one flag, which is up until the first call has read the
// environment and stays up only if a tool was asked for.
//
// Threading: any thread. Ownership: the tools live for ever.
#ifndef ASCEND_CLIENT_CAPI_CALL_HOOK_H_
#define ASCEND_CLIENT_CAPI_CALL_HOOK_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/base/optimization.h"
#include "client/capi/call_trace.h"

namespace ascend::client {

// Hidden: else each call would look its address up.
[[gnu::visibility("hidden")]] extern std::atomic<bool> g_are_calls_hooked;

inline bool AreCallsHooked() {
  return ABSL_PREDICT_FALSE(g_are_calls_hooked.load(std::memory_order_relaxed));
}

class HookedCall {
 public:
  // The call of the function of that index begins.
  explicit HookedCall(size_t function);

  // Above 0: the body is not to be called. Then the failure was reported.
  int injected_code() const { return code_; }
  // The body has returned: whether Write is to follow. Stops the clock.
  bool EndTraced();
  bool has_pointer_results() const { return HasPointerResults(function_); }

  void Write(std::vector<std::string> arguments, std::string result);

 private:
  const PublicFunction& function_;
  int code_ = 0;
  bool is_traced_ = false;
  std::chrono::system_clock::time_point start_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point end_;
};

// The result of a call that was not made.
template <typename Result>
Result InjectedResult(int code) {
  if constexpr (std::is_same_v<Result, int>) {
    return code;
  } else {
    return Result();
  }
}

template <typename Result, typename... Parameters>
[[gnu::cold, gnu::noinline]] Result CallHooked(
    size_t function, Result (*body)(Parameters...),
    std::type_identity_t<Parameters>... arguments) {
  HookedCall call(function);
  const auto describe = [&](bool is_success) {
    [[maybe_unused]] const bool reads =
        is_success && call.has_pointer_results();
    return std::vector<std::string>{DescribeValue(arguments, reads)...};
  };
  if constexpr (std::is_void_v<Result>) {
    body(arguments...);
    if (call.EndTraced()) call.Write(describe(false), "");
  } else {
    const bool is_injected = call.injected_code() != 0;
    const Result result = is_injected
                              ? InjectedResult<Result>(call.injected_code())
                              : body(arguments...);
    if (call.EndTraced()) {
      const bool is_success = std::is_same_v<Result, int> && result == Result();
      call.Write(describe(is_success), DescribeValue(result, false));
    }
    return result;
  }
}

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_CALL_HOOK_H_
