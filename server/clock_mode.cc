#include "server/clock_mode.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/error.h"

namespace ascend::server {
namespace {

// Beyond these a device would stand still, or not be held at all.
constexpr double kPaceMin = 1e-6;
constexpr double kPaceMax = 1e6;

}  // namespace

absl::StatusOr<ClockMode> ParseClockMode(absl::string_view text) {
  ClockMode mode;
  mode.name = std::string(text);
  if (text == "free") return mode;
  if (text == "ungated") {
    mode.is_gated = false;
    return mode;
  }
  if (text == "lockstep") {
    mode.patience = std::chrono::milliseconds(200);
    mode.patience_least = mode.patience;
    mode.patience_in_run = std::chrono::seconds(10);
    mode.waits_for_jobs = true;
    return mode;
  }
  absl::string_view pace = text;
  if (absl::ConsumePrefix(&pace, "paced")) {
    mode.pace = 1;
    if (pace.empty()) return mode;
    if (absl::ConsumePrefix(&pace, ":") && absl::SimpleAtod(pace, &mode.pace) &&
        mode.pace >= kPaceMin && mode.pace <= kPaceMax) {
      return mode;
    }
  }
  return core::MakeError(
      core::Reason::kInvalidArgument,
      absl::StrCat("clock is '", text,
                   "', which is none of free, lockstep, paced, paced:K with K "
                   "from ",
                   kPaceMin, " to ", kPaceMax, ", and ungated"));
}

}  // namespace ascend::server
