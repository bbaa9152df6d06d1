#include "tests/testing/error_bound.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace ascend::testing {

ErrorReport MeasureErrors(const std::vector<float>& actual,
                          const std::vector<double>& reference,
                          const ErrorBound& bound) {
  ErrorReport report;
  double error_squares = 0;
  double reference_squares = 0;
  bool all_finite = actual.size() == reference.size();
  for (size_t i = 0; all_finite && i < reference.size(); ++i) {
    const double error = std::fabs(double{actual[i]} - reference[i]);
    const double allowed =
        bound.absolute + bound.relative * std::fabs(reference[i]);
    all_finite = std::isfinite(error);
    report.largest = std::max(report.largest, error);
    report.share_of_bound = std::max(report.share_of_bound, error / allowed);
    error_squares += error * error;
    reference_squares += reference[i] * reference[i];
  }
  if (!all_finite) {
    report.largest = std::numeric_limits<double>::infinity();
    report.share_of_bound = report.largest;
    error_squares = report.largest;
  }
  report.relative_norm =
      error_squares == 0 ? 0 : std::sqrt(error_squares / reference_squares);
  report.within =
      report.share_of_bound <= 1 && report.relative_norm <= bound.relative_norm;
  char text[160];
  std::snprintf(text, sizeof(text),
                "largest |error| %.3g (%.3g of its bound), relative norm %.3g "
                "of at most %.3g",
                report.largest, report.share_of_bound, report.relative_norm,
                bound.relative_norm);
  report.text = text;
  return report;
}

}  // namespace ascend::testing
