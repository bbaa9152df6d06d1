// Policy: which of the waiting requests for units goes first.
//
// The Scheduler is the mechanism; a policy is one pure function of a candidate
// and a few constants. Contract:
//   - the answer depends on the candidate alone, not on a clock or on what was
//     asked before, so runs replay; the caller asks again when a candidate has
//     changed: a slice of it was granted or has ended, its priority is another;
//   - smaller rank goes first, equal rank in order of arrival;
//   - a policy that shares among tenants is asked inside a tenant only: first
//     comes the tenant that has had the least (tenant_shares.h);
//   - the caller grants all or nothing, and never takes a grant back: a request
//     that runs is passed by others at its block edges at most.
//
// Starvation bound. A request that comes first of all is granted within
// `reserve_after_ticks` plus the longest hold of units by anyone: later
// requests that fit may pass it (backfill) only until it has waited so long;
// then units are kept for it. When a request comes first of all in the end is
// told by `OvertakenFor`, and by the kernels that have started before it: where
// those are not preempted, they come first until their last slice.
//
// Threading: immutable.
#ifndef ASCEND_CORE_SCHED_POLICY_H_
#define ASCEND_CORE_SCHED_POLICY_H_

#include <compare>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "core/sched/unit_request.h"
#include "core/sim/tick.h"

namespace ascend::core {

struct PolicyOptions {
  // How long a request that does not fit lets later ones pass. 1 ms is longer
  // than waits in the reference model's calibration, whose numbers backfill
  // without reservation gives (and so does this one, to the digit), and ends
  // the starvation of large claims under a flood of small ones.
  Tick reserve_after_ticks = Milliseconds(1);
  // strict_priority: waiting so long is worth one level of priority; 0: nothing
  // is. Sensible values are 2 to 10 ms.
  Tick ageing_ticks = 0;
  // strict_priority: a sliced kernel that has started gives its units up at
  // block edges to a more urgent one. The chip's own scheduler does not.
  bool preempts = false;
};

// Where a candidate stands; compared member by member.
struct Rank {
  int64_t major = 0;
  int64_t minor = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

class Policy {
 public:
  explicit Policy(const PolicyOptions& options) : options_(options) {}
  virtual ~Policy() = default;

  virtual absl::string_view name() const = 0;
  virtual Rank RankOf(const Candidate& candidate) const = 0;

  // Whether tenants come before ranks: the one with the least weighted use of
  // its dominant resource first.
  virtual bool shares_among_tenants() const { return false; }

  // A request of the same tenant that becomes ready later than this after
  // `request` does not go before it, as long as neither has had a unit;
  // nullopt: there is no bound. With shares_among_tenants, tenants that are
  // served first get no more than their share.
  virtual absl::optional<Tick> OvertakenFor(
      const UnitRequest& request) const = 0;

  const PolicyOptions& options() const { return options_; }
  Tick reserve_after_ticks() const { return options_.reserve_after_ticks; }

 private:
  const PolicyOptions options_;
};

// Null when no policy has that name.
std::unique_ptr<Policy> MakePolicy(absl::string_view name,
                                   const PolicyOptions& options = {});

// Of every policy, for messages and for the law suite.
std::span<const absl::string_view> PolicyNames();

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_POLICY_H_
