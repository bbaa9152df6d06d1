#include "client/capi/fault_plan.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/capi/public_function.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

// A well mixed number of [0, 1) (the finaliser of SplitMix64).
double Chance(uint64_t seed, uint64_t function, uint64_t call) {
  constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;
  uint64_t bits = seed;
  for (const uint64_t part : {function, call}) {
    bits += (part + 1) * kGamma;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    bits ^= bits >> 31;
  }
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

absl::Status BadRule(absl::string_view rule, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("in the rule '", rule, "' ", why));
}

}  // namespace

absl::StatusOr<FaultPlan> FaultPlan::Parse(absl::string_view text,
                                           uint64_t seed) {
  FaultPlan plan(seed);
  for (absl::string_view rule : absl::StrSplit(text, ',')) {
    ASCEND_RETURN_IF_ERROR(plan.AddRule(absl::StripAsciiWhitespace(rule)));
  }
  return plan;
}

absl::Status FaultPlan::AddRule(absl::string_view text) {
  const size_t colon = text.find(':');
  const size_t equals = text.find('=');
  if (colon == text.npos || equals == text.npos || equals < colon) {
    return BadRule(text,
                   "something is missing: FUNCTION:N=CODE or "
                   "FUNCTION:pP=CODE is meant");
  }
  const absl::string_view name = text.substr(0, colon);
  absl::string_view when = text.substr(colon + 1, equals - colon - 1);
  const absl::string_view code = text.substr(equals + 1);

  const auto functions = PublicFunctions();
  const auto found =
      std::ranges::find(functions, std::string_view(name.data(), name.size()),
                        &PublicFunction::name);
  if (found == functions.end()) {
    return BadRule(text, absl::StrCat("'", name, "' is no public function"));
  }
  if (!found->can_fail) {
    return BadRule(text, absl::StrCat(name, " has no result that could fail"));
  }
  Rule rule;
  if (!absl::SimpleAtoi(code, &rule.code) || rule.code <= 0) {
    return BadRule(text, "the code is no number above 0");
  }
  if (!when.empty() && when.front() == 'p') {
    when.remove_prefix(1);
    if (!absl::SimpleAtod(when, &rule.probability) ||
        !(rule.probability > 0 && rule.probability <= 1)) {
      return BadRule(text, "the probability is not above 0 and at most 1");
    }
  } else if (!absl::SimpleAtoi(when, &rule.call) || rule.call == 0) {
    return BadRule(text, "the number of the call is not 1 or more");
  }
  auto& function = functions_[static_cast<size_t>(found - functions.begin())];
  if (function == nullptr) function = std::make_unique<Function>();
  function->rules.push_back(rule);
  return absl::OkStatus();
}

bool FaultPlan::Applies(const Rule& rule, size_t function,
                        uint64_t call) const {
  if (rule.call != 0) return rule.call == call;
  return Chance(seed_, function, call) < rule.probability;
}

Fault FaultPlan::Next(size_t function) {
  const auto found = functions_.find(function);
  if (found == functions_.end()) return {};
  Function& entry = *found->second;
  Fault fault;
  fault.call = entry.call_count.fetch_add(1, std::memory_order_relaxed) + 1;
  const auto rule =
      std::ranges::find_if(entry.rules, [&](const Rule& candidate) {
        return Applies(candidate, function, fault.call);
      });
  if (rule != entry.rules.end()) fault.code = rule->code;
  return fault;
}

}  // namespace ascend::client
