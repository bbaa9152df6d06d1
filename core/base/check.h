// ASCEND_CHECK: broken invariants end the process.
//
// A check states something that only a bug of ours can break; input is never
// checked with it (input gets a Status). The failure hook lets the daemon dump
// its state before it aborts.
//
//   ASCEND_CHECK(free_bytes >= 0);
//   ASCEND_CHECK(held == claimed) << "unit ledger of device " << id;
//   ASCEND_DCHECK(IsSorted());      // only without NDEBUG
//
// Threading: any thread.
#ifndef ASCEND_CORE_BASE_CHECK_H_
#define ASCEND_CORE_BASE_CHECK_H_

#include <sstream>

namespace ascend::core {

// Called once with the message before abort; must not return control by other
// means than returning. Null restores the default (stderr only).
using CheckFailureHook = void (*)(const char* message);
void SetCheckFailureHook(CheckFailureHook hook);

namespace check_internal {

class Failure {
 public:
  Failure(const char* file, int line, const char* condition);
  [[noreturn]] ~Failure();
  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

// Makes both arms of the macro's conditional void.
struct Voidify {
  void operator&(std::ostream&) {}
};

}  // namespace check_internal
}  // namespace ascend::core

#define ASCEND_CHECK(condition)                              \
  (condition) ? static_cast<void>(0)                         \
              : ::ascend::core::check_internal::Voidify() &  \
                    ::ascend::core::check_internal::Failure( \
                        __FILE__, __LINE__, #condition)      \
                        .stream()

#ifdef NDEBUG
#define ASCEND_DCHECK(condition) ASCEND_CHECK(true || (condition))
#else
#define ASCEND_DCHECK(condition) ASCEND_CHECK(condition)
#endif

#endif  // ASCEND_CORE_BASE_CHECK_H_
