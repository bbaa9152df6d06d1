// TenantShares: what each tenant has had of its dominant resource, over time.
//
//   virtual time V += max over kinds of unit (units / capacity) x ticks /
//   weight
//
// charged when units are given back. The tenant with the least V is served
// first, so backlogged tenants get service in proportion to their weights.
//
// Nobody saves up what it did not ask for. Each kind of unit has a virtual time
// too: the least V of those who wait for it, or last did. A tenant that comes
// to a kind is lifted to it, and one that was there already, but had all that
// it asked for, to kCredit before it. So it keeps what it is behind by chance,
// but is not far enough behind to lock others out for long when it asks for
// more. To lift newcomers to the least V of all would do neither: who only
// copies may be hours behind one who computes, and a third one that comes to
// compute would start there. (Start-time fair queueing per kind, with time on
// units in the place of packets; scheduling.md section 2.)
//
// V counts in 2^-32 of a tick, as whole numbers.
//
// Threading: thread-compatible; deterministic. Ownership: owns the accounts.
#ifndef ASCEND_CORE_SCHED_TENANT_SHARES_H_
#define ASCEND_CORE_SCHED_TENANT_SHARES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/container/btree_set.h"
#include "core/kernels/descriptor.h"
#include "core/sched/unit_request.h"
#include "core/sim/tick.h"

namespace ascend::core {

class TenantShares {
 public:
  explicit TenantShares(const Claim& capacity) : capacity_(capacity) {}

  // 1 for tenants of whom nothing was said. `weight` is not 0.
  void SetWeight(TenantId tenant, uint32_t weight);

  // A request of the tenant for that claim waits or holds it; each Enter is
  // matched by one Leave.
  void Enter(TenantId tenant, const Claim& claim);
  void Leave(TenantId tenant, const Claim& claim);

  // It waits; between Enter and Leave, any number of times. Each StartWaiting
  // is matched by one StopWaiting.
  void StartWaiting(TenantId tenant, const Claim& claim);
  void StopWaiting(TenantId tenant, const Claim& claim);

  void Charge(TenantId tenant, const Claim& held, Tick ticks);

  // As if nobody had had anything. Nobody waits.
  void ForgetUse();
  // `tenant` has no request.
  void Forget(TenantId tenant) { accounts_.erase(tenant); }

  UsageTicks VirtualTime(TenantId tenant) const;

  // A few of the longest holds.
  static constexpr UsageTicks kCredit = UsageTicks{Milliseconds(10)} << 32;

 private:
  static constexpr size_t kKindCount = 3;  // CUBE, AIV, DMA

  struct Account {
    uint32_t weight = 1;
    UsageTicks virtual_time = 0;
    // Requests for units of a kind.
    std::array<uint64_t, kKindCount> active_counts = {};
    std::array<uint64_t, kKindCount> waiting_counts = {};
  };
  struct Kind {
    absl::btree_set<std::pair<UsageTicks, TenantId>> waiting;
    UsageTicks virtual_time = 0;  // never falls
  };

  static std::array<uint32_t, kKindCount> UnitsOf(const Claim& claim) {
    return {claim.cube, claim.aiv, claim.dma};
  }
  static void Advance(Kind& kind);
  void SetVirtualTime(TenantId tenant, Account& account, UsageTicks time);

  const Claim capacity_;
  std::map<TenantId, Account> accounts_;
  std::array<Kind, kKindCount> kinds_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_TENANT_SHARES_H_
