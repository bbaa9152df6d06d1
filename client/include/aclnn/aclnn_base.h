// Init and finalize of the operator libraries (aclnn). Operators work without
// them.
#ifndef ACLNN_ACLNN_BASE_H_
#define ACLNN_ACLNN_BASE_H_

#include <stddef.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

// `configPath` is null or "", or names a JSON file, which has no effect. Any
// number of times, on any thread. 161002: the file cannot be read, or is not
// JSON.
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);

ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACLNN_ACLNN_BASE_H_
