// The two macros that carry a Status to the caller.
#ifndef ASCEND_CORE_BASE_STATUS_MACROS_H_
#define ASCEND_CORE_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define ASCEND_RETURN_IF_ERROR(expression)                              \
  do {                                                                  \
    if (absl::Status ascend_status = (expression); !ascend_status.ok()) \
      return ascend_status;                                             \
  } while (false)

#define ASCEND_STATUS_CONCAT_INNER(a, b) a##b
#define ASCEND_STATUS_CONCAT(a, b) ASCEND_STATUS_CONCAT_INNER(a, b)

// ASCEND_ASSIGN_OR_RETURN(auto extent, table.Find(address));
#define ASCEND_ASSIGN_OR_RETURN(target, expression) \
  ASCEND_ASSIGN_OR_RETURN_INNER(                    \
      ASCEND_STATUS_CONCAT(ascend_status_or_, __LINE__), target, expression)
#define ASCEND_ASSIGN_OR_RETURN_INNER(result, target, expression) \
  auto result = (expression);                                     \
  if (!result.ok()) return std::move(result).status();            \
  target = *std::move(result)

#endif  // ASCEND_CORE_BASE_STATUS_MACROS_H_
