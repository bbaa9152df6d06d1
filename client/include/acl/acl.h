// AscendCL: the runtime, models and single operators.
//
// C and C++ programs include this header and link -lascendcl. Extensions of
// this library (acl/ascend_rtd_ext.h), the arguments of its built-in kernels
// (acl/ascend_rtd_ops.h) and the short C++ spelling (acl/acl_rt_simple.hpp) are
// headers of their own; so are profiling, queues, dumps and the operator
// objects of aclnn. What a release does not support yet links, and answers
// 200001.
#ifndef ACL_ACL_H_
#define ACL_ACL_H_

#include "acl/acl_base.h"
#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_rt.h"

#endif  // ACL_ACL_H_
