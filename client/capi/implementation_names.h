// Gives the functions that this target defines the linker's names of bodies:
// included by the compiler's command line before anything else, so that no file
// can forget it. __func__ and the headers keep the public names.
#ifndef ASCEND_CLIENT_CAPI_IMPLEMENTATION_NAMES_H_
#define ASCEND_CLIENT_CAPI_IMPLEMENTATION_NAMES_H_

#include "client/capi/hooked_functions.h"

#ifndef __PRAGMA_REDEFINE_EXTNAME
#error "the compiler cannot rename functions: #pragma redefine_extname"
#endif

#define ASCEND_PRAGMA_TEXT(...) _Pragma(#__VA_ARGS__)
#define ASCEND_PRAGMA(...) ASCEND_PRAGMA_TEXT(__VA_ARGS__)
#define ASCEND_MAKE(name) \
  ASCEND_PRAGMA(redefine_extname name ASCEND_IMPLEMENTATION(name))
#define SUPPORTED(header, subject, result, name, parameters, note) \
  ASCEND_HOOKED(name)(name)
#define UNSUPPORTED(header, subject, result, name, parameters, note) \
  ASCEND_HOOKED(name)(name)
#include "client/capi/functions.inc"
#undef SUPPORTED
#undef UNSUPPORTED
#undef ASCEND_MAKE

#endif  // ASCEND_CLIENT_CAPI_IMPLEMENTATION_NAMES_H_
