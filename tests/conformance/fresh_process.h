// FRESH_PROCESS_TEST: a test whose body runs in a process of its own, for what
// a process can do only once or from which there is no way back: the first
// initialisation, exit without finalize, fork.
//
//   FRESH_PROCESS_TEST(Process, InitIsCounted) { EXPECT_EQ(aclInit(...)); }
//
// The test starts this program again (posix_spawn and exec, never fork alone)
// with a filter for itself, and passes if that passes. In the child nothing was
// initialised and no fixture runs; the back end is there (backend.h). A body
// that ends its process itself does so by std::exit(kFreshExitCode): any other
// end is a failure.
//
// Threading: the main thread. Ownership: none.
#ifndef ASCEND_TESTS_CONFORMANCE_FRESH_PROCESS_H_
#define ASCEND_TESTS_CONFORMANCE_FRESH_PROCESS_H_

#include "gtest/gtest.h"

namespace ascend::conformance {

inline constexpr int kFreshExitCode = 77;

// Whether this process was started by such a test.
bool IsFreshProcess();

// Starts `suite`.`name` alone; its output is ours when it fails. Afterwards the
// child has no session any more.
void RunInFreshProcess(const char* suite, const char* name);

}  // namespace ascend::conformance

#define FRESH_PROCESS_TEST(suite, name)                        \
  static void FreshProcess_##suite##_##name();                 \
  TEST(suite, name) {                                          \
    if (::ascend::conformance::IsFreshProcess()) {             \
      FreshProcess_##suite##_##name();                         \
    } else {                                                   \
      ::ascend::conformance::RunInFreshProcess(#suite, #name); \
    }                                                          \
  }                                                            \
  static void FreshProcess_##suite##_##name()

#endif  // ASCEND_TESTS_CONFORMANCE_FRESH_PROCESS_H_
