// FaultPlan: which calls fail without being made, so that a program can test
// what it does about it.
//
// Made from ASCEND_RTD_FAULTS: rules with commas between them,
//
//   FUNCTION:N=CODE    the Nth call of the function in this process, from 1
//   FUNCTION:pP=CODE   each call with the probability P, 0 < P <= 1
//
// The first rule that applies decides. Chance depends on the seed, the function
// and the number of the call only, so a seed gives the same faults in each run,
// whatever the threads of the program do between.
//
// Threading: any thread. Ownership: owns its rules and counts.
#ifndef ASCEND_CLIENT_CAPI_FAULT_PLAN_H_
#define ASCEND_CLIENT_CAPI_FAULT_PLAN_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ascend::client {

struct Fault {
  int code = 0;  // 0: the call is made
  uint64_t call = 0;
};

class FaultPlan {
 public:
  // Errors: a sentence that says which rule is wrong, and how.
  static absl::StatusOr<FaultPlan> Parse(absl::string_view text, uint64_t seed);

  // What happens to this call of the function of that index; counts it.
  Fault Next(size_t function);

 private:
  struct Rule {
    uint64_t call = 0;  // 0: by chance
    double probability = 0;
    int code = 0;
  };
  struct Function {
    std::atomic<uint64_t> call_count{0};
    std::vector<Rule> rules;
  };

  explicit FaultPlan(uint64_t seed) : seed_(seed) {}
  absl::Status AddRule(absl::string_view text);
  bool Applies(const Rule& rule, size_t function, uint64_t call) const;

  uint64_t seed_;
  std::map<size_t, std::unique_ptr<Function>> functions_;  // by index
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_CAPI_FAULT_PLAN_H_
