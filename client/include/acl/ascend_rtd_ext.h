// Extensions of this library to AscendCL; prefix ascrt. A program that calls
// them does not run on the vendor's library.
#ifndef ACL_ASCEND_RTD_EXT_H_
#define ACL_ASCEND_RTD_EXT_H_

#include "acl/acl_base_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// Version of this library, "major.minor.patch"; a static string. The version
// of the interface is another matter: aclrtGetVersion.
ACL_FUNC_VISIBILITY const char* ascrtGetVersion(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ACL_ASCEND_RTD_EXT_H_
