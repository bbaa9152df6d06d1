// CallTrace: the file of ASCEND_RTD_CALL_TRACE, a line for each call that
// returned:
//
//   1700000000.123456 4711 aclrtMalloc(devPtr=0x7ffd10 -> 0x100000000, size=64,
//   policy=0) = 0 <0.000012>
//
// (one line): UTC when it began, thread, function, arguments, result, seconds.
// What stands behind a pointer is shown for strings, and, after a success, for
// pointers to pointers. A line is one write to the end of the file, so threads,
// forked children and a crash leave whole lines.
//
// Threading: any thread. Ownership: owns the file.
#ifndef ASCEND_CLIENT_CAPI_CALL_TRACE_H_
#define ASCEND_CLIENT_CAPI_CALL_TRACE_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/capi/public_function.h"
#include "core/base/unique_fd.h"

namespace ascend::client {

struct TracedCall {
  const PublicFunction* function = nullptr;
  std::chrono::system_clock::time_point start;
  std::chrono::nanoseconds duration{0};
  std::vector<std::string> arguments;
  std::string result;
  bool is_injected = false;
};

class CallTrace {
 public:
  // Appends to the file. Errors: a sentence.
  static absl::StatusOr<CallTrace> Open(const std::string& path);

  void Write(const TracedCall& call);

 private:
  explicit CallTrace(core::UniqueFd file) : file_(std::move(file)) {}

  core::UniqueFd file_;
};

// The line of a call, with its end.
std::string TraceLine(const TracedCall& call, int64_t thread);

// The names in a list of parameters, "(void)" having none.
std::vector<std::string> ParameterNames(absl::string_view parameters);

std::string DescribeText(const char* text);
std::string DescribePointer(const volatile void* pointer);

// Whether the pointers to pointers of a function are for results: they may be
// arrays of unknown length otherwise.
bool HasPointerResults(const PublicFunction& function);

// `reads_results`: what a pointer to a pointer points to is valid.
template <typename Value>
std::string DescribeValue(Value value, bool reads_results) {
  if constexpr (std::is_same_v<Value, const char*>) {
    return DescribeText(value);
  } else if constexpr (std::is_pointer_v<Value>) {
    using Target = std::remove_pointer_t<Value>;
    std::string text;
    if constexpr (std::is_function_v<Target>) {
      return DescribePointer(reinterpret_cast<const void*>(value));
    } else {
      text = DescribePointer(value);
    }
    if constexpr (std::is_pointer_v<Target> && !std::is_const_v<Target>) {
      if (reads_results && value != nullptr) {
        absl::StrAppend(&text, " -> ",
                        DescribePointer(reinterpret_cast<const void*>(*value)));
      }
    }
    return text;
  } else if constexpr (std::is_enum_v<Value>) {
    return absl::StrCat(static_cast<int64_t>(value));
  } else if constexpr (std::is_integral_v<Value>) {
    return absl::StrCat(+value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return absl::StrCat(value);
  } else {
    return "{...}";
  }
}

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_CALL_TRACE_H_
