/*
 * Mentions every function of AscendCL, as C programs do: declared once more
 * with the signature of the list, which the compiler compares with that of the
 * header, and linked against the shared library.
 */
#include <stdio.h>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_allocator.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"
#include "acl/ops/acl_cblas.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"

#define SUPPORTED(header, subject, result, name, parameters, note) \
  extern result name parameters;
#define UNSUPPORTED SUPPORTED
#include "client/capi/functions.inc"
#undef SUPPORTED

typedef void (*AnyFunction)(void);

static const AnyFunction kFunctions[] = {
#define SUPPORTED(header, subject, result, name, parameters, note) \
  (AnyFunction)name,
#include "client/capi/functions.inc"
};

int main(void) {
  const size_t count = sizeof kFunctions / sizeof kFunctions[0];
  size_t i;
  for (i = 0; i < count; ++i) {
    if (kFunctions[i] == NULL) return 1;
  }
  printf("%zu functions\n", count);
  return count == 735 ? 0 : 1;
}
