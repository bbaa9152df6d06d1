#include "core/machine/unit_ledger.h"

#include "core/base/check.h"
#include "core/sched/claim.h"

namespace ascend::core {

void UnitLedger::Take(const Claim& claim, Tick now) {
  Advance(now);
  ASCEND_CHECK(Fits(claim, free()))
      << "units are granted twice: cube " << claim.cube << ", aiv " << claim.aiv
      << ", dma " << claim.dma;
  held_ = held_ + claim;
}

void UnitLedger::Give(const Claim& claim, Tick now) {
  Advance(now);
  ASCEND_CHECK(Fits(claim, held_))
      << "units are given back twice: cube " << claim.cube << ", aiv "
      << claim.aiv << ", dma " << claim.dma;
  held_ = held_ - claim;
}

Claim UnitLedger::free() const { return capacity_ - held_; }

UnitTicks UnitLedger::Integral(Tick now) const {
  UnitTicks sum = integral_;
  sum.Add(held_, now - last_);
  return sum;
}

void UnitLedger::Advance(Tick now) {
  ASCEND_CHECK(now >= last_)
      << "time goes back from " << last_ << " to " << now;
  integral_.Add(held_, now - last_);
  last_ = now;
}

}  // namespace ascend::core
