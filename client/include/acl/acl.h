// AscendCL: all of the interface that this library has.
//
// C and C++ programs include this header and link -lascendcl. Extensions of
// this library (acl/ascend_rtd_ext.h), the arguments of its built-in kernels
// (acl/ascend_rtd_ops.h) and the short C++ spelling (acl/acl_rt_simple.hpp) are
// headers of their own.
#ifndef ACL_ACL_H_
#define ACL_ACL_H_

#include "acl/acl_base.h"
#include "acl/acl_rt.h"

#endif  // ACL_ACL_H_
