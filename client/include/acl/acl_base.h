// Base types of all of AscendCL: of the runtime and of tensors.
#ifndef ACL_ACL_BASE_H_
#define ACL_ACL_BASE_H_

#include "acl/acl_base_mdl.h"
#include "acl/acl_base_rt.h"

#endif  // ACL_ACL_BASE_H_
