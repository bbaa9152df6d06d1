#include "core/sched/tenant_shares.h"

#include <algorithm>

#include "core/base/check.h"

namespace ascend::core {
namespace {

// The part of all units of a kind, in 2^-32.
UsageTicks Part(uint32_t held, uint32_t capacity) {
  if (held == 0) return 0;
  return (UsageTicks{held} << 32) / capacity;
}

}  // namespace

void TenantShares::SetWeight(TenantId tenant, uint32_t weight) {
  ASCEND_CHECK(weight > 0) << "tenant " << tenant.value() << " has no weight";
  accounts_[tenant].weight = weight;
}

void TenantShares::Enter(TenantId tenant, const Claim& claim) {
  Account& account = accounts_[tenant];
  const auto units = UnitsOf(claim);
  UsageTicks lifted = account.virtual_time;
  for (size_t i = 0; i < kKindCount; ++i) {
    if (units[i] == 0 || account.active_counts[i]++ > 0) continue;
    Advance(kinds_[i]);
    lifted = std::max(lifted, kinds_[i].virtual_time);
  }
  SetVirtualTime(tenant, account, lifted);
}

void TenantShares::Leave(TenantId tenant, const Claim& claim) {
  Account& account = accounts_[tenant];
  const auto units = UnitsOf(claim);
  for (size_t i = 0; i < kKindCount; ++i) {
    if (units[i] == 0) continue;
    ASCEND_CHECK(account.active_counts[i] > 0)
        << "tenant " << tenant.value() << " has no request";
    --account.active_counts[i];
  }
}

void TenantShares::StartWaiting(TenantId tenant, const Claim& claim) {
  Account& account = accounts_[tenant];
  const auto units = UnitsOf(claim);
  UsageTicks lifted = account.virtual_time;
  for (size_t i = 0; i < kKindCount; ++i) {
    if (units[i] == 0 || account.waiting_counts[i] > 0) continue;
    Advance(kinds_[i]);
    lifted = std::max(lifted, kinds_[i].virtual_time - kCredit);
  }
  SetVirtualTime(tenant, account, lifted);
  for (size_t i = 0; i < kKindCount; ++i) {
    if (units[i] == 0 || account.waiting_counts[i]++ > 0) continue;
    kinds_[i].waiting.emplace(lifted, tenant);
  }
}

void TenantShares::StopWaiting(TenantId tenant, const Claim& claim) {
  Account& account = accounts_[tenant];
  const auto units = UnitsOf(claim);
  for (size_t i = 0; i < kKindCount; ++i) {
    if (units[i] == 0) continue;
    ASCEND_CHECK(account.waiting_counts[i] > 0)
        << "tenant " << tenant.value() << " does not wait";
    if (--account.waiting_counts[i] > 0) continue;
    Advance(kinds_[i]);
    kinds_[i].waiting.erase({account.virtual_time, tenant});
  }
}

void TenantShares::Charge(TenantId tenant, const Claim& held, Tick ticks) {
  Account& account = accounts_[tenant];
  const UsageTicks part =
      std::max({Part(held.cube, capacity_.cube), Part(held.aiv, capacity_.aiv),
                Part(held.dma, capacity_.dma)});
  SetVirtualTime(tenant, account,
                 account.virtual_time + part * ticks / account.weight);
  const auto units = UnitsOf(held);
  for (size_t i = 0; i < kKindCount; ++i) {
    if (units[i] == 0 || !kinds_[i].waiting.empty()) continue;
    // Who comes next finds it free, and is not behind the last one for that.
    kinds_[i].virtual_time =
        std::max(kinds_[i].virtual_time, account.virtual_time);
  }
}

void TenantShares::ForgetUse() {
  for (auto& [id, account] : accounts_) account.virtual_time = 0;
  for (Kind& kind : kinds_) kind.virtual_time = 0;
}

UsageTicks TenantShares::VirtualTime(TenantId tenant) const {
  const auto found = accounts_.find(tenant);
  return found == accounts_.end() ? 0 : found->second.virtual_time;
}

void TenantShares::Advance(Kind& kind) {
  if (kind.waiting.empty()) return;
  kind.virtual_time = std::max(kind.virtual_time, kind.waiting.begin()->first);
}

void TenantShares::SetVirtualTime(TenantId tenant, Account& account,
                                  UsageTicks time) {
  if (time == account.virtual_time) return;
  for (size_t i = 0; i < kKindCount; ++i) {
    if (account.waiting_counts[i] == 0) continue;
    kinds_[i].waiting.erase({account.virtual_time, tenant});
    kinds_[i].waiting.emplace(time, tenant);
  }
  account.virtual_time = time;
}

}  // namespace ascend::core
