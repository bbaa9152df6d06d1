// Runs a piece of a test once for each instruction set that both the build and
// this processor have, so that code for older processors is tested too.
//
// Threading: one thread; the choice is global to the process. Ownership: none.
#ifndef ASCEND_TESTS_UNIT_SERVER_KERNELS_EACH_TARGET_H_
#define ASCEND_TESTS_UNIT_SERVER_KERNELS_EACH_TARGET_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "gtest/gtest.h"
#include "hwy/highway.h"

namespace ascend::testing {

inline void ForEachTarget(absl::FunctionRef<void()> run) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    run();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_UNIT_SERVER_KERNELS_EACH_TARGET_H_
