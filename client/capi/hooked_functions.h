// Which public functions tools may watch, and what their bodies are called.
//
// The linker's name of a public function belongs to its entry (entries.cc),
// which calls the body under its name here. The bodies are written under their
// public names all the same; implementation_names.h renames them.
//
//   ASCEND_HOOKED(name)(arguments)   ASCEND_MAKE(arguments), or, for a function
//                                    that has no entry, nothing
//
// Who uses it defines ASCEND_MAKE before.
#ifndef ASCEND_CLIENT_CAPI_HOOKED_FUNCTIONS_H_
#define ASCEND_CLIENT_CAPI_HOOKED_FUNCTIONS_H_

// Has no entry: its variable arguments cannot be passed on.
#define ASCEND_UNHOOKED_aclAppLog ~,

#define ASCEND_SKIP(...)
#define ASCEND_SECOND(first, second, ...) second
#define ASCEND_PICK(...) ASCEND_SECOND(__VA_ARGS__)
#define ASCEND_HOOKED(name) \
  ASCEND_PICK(ASCEND_UNHOOKED_##name ASCEND_SKIP, ASCEND_MAKE, ~)

#define ASCEND_IMPLEMENTATION(name) ascend_implementation_##name

#endif  // ASCEND_CLIENT_CAPI_HOOKED_FUNCTIONS_H_
