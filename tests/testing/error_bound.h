// How far results may lie from a reference in double precision.
//
// Threading: pure functions. Ownership: value types.
#ifndef ASCEND_TESTS_TESTING_ERROR_BOUND_H_
#define ASCEND_TESTS_TESTING_ERROR_BOUND_H_

#include <string>
#include <vector>

namespace ascend::testing {

// |error| <= absolute + relative * |reference| everywhere, and the norm of the
// errors at most relative_norm times the norm of the reference.
struct ErrorBound {
  double absolute = 0;
  double relative = 0;
  double relative_norm = 0;
};

// The bounds the project promises for half-width and for 32-bit tensors.
inline constexpr ErrorBound kHalfBound = {2e-3, 1.0 / 128, 5e-3};
inline constexpr ErrorBound kFloatBound = {1e-5, 0, 1e-5};

struct ErrorReport {
  double largest = 0;         // |error|
  double share_of_bound = 0;  // largest |error| / its bound
  double relative_norm = 0;
  bool within = false;
  std::string text;  // one line for people
};

// NaN counts as beyond every bound. The arrays must have the same size.
ErrorReport MeasureErrors(const std::vector<float>& actual,
                          const std::vector<double>& reference,
                          const ErrorBound& bound);

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_ERROR_BOUND_H_
