// AclTest: the fixture of the conformance suite, and how tests state results.
//
// Every test begins in a thread without context, with device 0 set, and ends
// with all devices reset. Then the daemon must say that the process holds
// nothing (no context, stream, event, memory, task), and no error may be left
// that the test did not ask about. So a test frees what it allocates, and
// states each failure it causes:
//
//   ASSERT_ACL_OK(aclrtMalloc(&pointer, 1024, ACL_MEM_MALLOC_HUGE_FIRST));
//   EXPECT_ACL_ERROR(107000, aclrtFree(other));   // semantics 6
//
// EXPECT_ACL_ERROR looks at the code, at aclrtGetLastError and at the one
// sentence of aclGetRecentErrMsg, and takes both away.
//
// Threading: macros on any thread; the fixture on the main one. Ownership:
// none.
#ifndef ASCEND_TESTS_CONFORMANCE_ACL_TEST_H_
#define ASCEND_TESTS_CONFORMANCE_ACL_TEST_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "acl/acl.h"
#include "gtest/gtest.h"
#include "tests/conformance/backend.h"

namespace ascend::conformance {

// Success and nothing pending; otherwise with what the library says of it.
::testing::AssertionResult Succeeds(const char* call, aclError code);
// Failure with that code, which is also the last error, and one sentence.
::testing::AssertionResult FailsWith(const char* expected_text,
                                     const char* call, aclError expected,
                                     aclError code);

// The level at which errors are kept.
inline constexpr auto kThread = ACL_RT_THREAD_LEVEL;

#define ASSERT_ACL_OK(call) \
  ASSERT_PRED_FORMAT1(::ascend::conformance::Succeeds, call)
#define EXPECT_ACL_OK(call) \
  EXPECT_PRED_FORMAT1(::ascend::conformance::Succeeds, call)
#define EXPECT_ACL_ERROR(code, call) \
  EXPECT_PRED_FORMAT2(::ascend::conformance::FailsWith, code, call)

// What the daemon says that this process holds, once all posted calls have
// reached it. Needs a context.
Holdings CurrentHoldings();

// A pointer that no call ever gave out.
inline void* Garbage() { return reinterpret_cast<void*>(uintptr_t{0x5eed5}); }

// Runs `body` in a thread of its own, which starts without a context.
void InThread(const std::function<void()>& body);

class AclTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
};

// Says at its end whether calls that failed have changed anything.
class ExpectNothingChanges {
 public:
  ExpectNothingChanges() : before_(CurrentHoldings()) {}
  ~ExpectNothingChanges() { EXPECT_EQ(CurrentHoldings(), before_); }

 private:
  const Holdings before_;
};

}  // namespace ascend::conformance

#endif  // ASCEND_TESTS_CONFORMANCE_ACL_TEST_H_
