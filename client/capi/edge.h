// Edge: what every function of the C interface does on its way out and in.
//
// Report turns the Status of the runtime into the public code, and remembers
// code and sentence for aclrtGetLastError and aclGetRecentErrMsg. The Check
// functions are the upper layer's: they refuse what is wrong whatever the state
// of the process, before anything connects.
//
// `function` is the name of the C function, __func__.
//
// Threading: any thread.
#ifndef ASCEND_CLIENT_CAPI_EDGE_H_
#define ASCEND_CLIENT_CAPI_EDGE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "acl/acl_base_rt.h"
#include "client/runtime/client_runtime.h"

namespace ascend::client {

aclError Report(absl::string_view function, const absl::Status& status);

// For the few codes that belong to no core::Reason.
aclError ReportCode(absl::string_view function, aclError code,
                    absl::string_view sentence);

// Stores the value of a call that succeeded, and reports.
template <typename Value, typename Target>
aclError ReportValue(absl::string_view function,
                     const absl::StatusOr<Value>& value, Target* target) {
  if (value.ok()) *target = static_cast<Target>(*value);
  return Report(function, value.status());
}

// The number in a field of the caller's, who may have put any there: to read it
// as the enumeration that it should be would be undefined.
template <typename Enum>
int NumberOf(const Enum& field) {
  int number = 0;
  static_assert(sizeof(number) == sizeof(field));
  std::memcpy(&number, &field, sizeof(number));
  return number;
}

struct NamedPointer {
  const void* pointer;
  const char* name;
};

// kNullArgument with the name of the first that is null.
absl::Status CheckNotNull(std::initializer_list<NamedPointer> pointers);

// An allocation has at least 1 byte. kNullArgument.
absl::Status CheckSize(size_t size);

// count <= room, as copies and fills demand. kInvalidArgument.
absl::Status CheckRoom(const char* count_name, size_t count,
                       const char* room_name, size_t room);

// The kinds that every copy takes, named as aclrtMemcpyKind; nullopt for
// others. What else there is, and what the refusal says, is the caller's.
absl::optional<StatedKind> KindOfAnyCopy(int kind);

// A time-out of the interface in ms; -1 is for ever. kInvalidArgument.
absl::StatusOr<Timeout> CheckTimeout(int32_t milliseconds);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_EDGE_H_
