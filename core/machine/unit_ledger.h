// UnitLedger: who holds how many units of one device, and for how long.
//
// Every change is checked: what is held never exceeds what there is. The
// integral of units held over time is kept in 128 bits.
//
// Threading: thread-compatible. Ownership: value type.
#ifndef ASCEND_CORE_MACHINE_UNIT_LEDGER_H_
#define ASCEND_CORE_MACHINE_UNIT_LEDGER_H_

#include "core/kernels/descriptor.h"
#include "core/sim/tick.h"

namespace ascend::core {

// Units held, times the ticks they were held for.
struct UnitTicks {
  UsageTicks cube = 0;
  UsageTicks aiv = 0;
  UsageTicks dma = 0;

  void Add(const Claim& held, Tick ticks) {
    cube += UsageTicks{held.cube} * ticks;
    aiv += UsageTicks{held.aiv} * ticks;
    dma += UsageTicks{held.dma} * ticks;
  }
};

class UnitLedger {
 public:
  explicit UnitLedger(const Claim& capacity) : capacity_(capacity) {}

  // Ticks never go back from call to call.
  void Take(const Claim& claim, Tick now);
  void Give(const Claim& claim, Tick now);

  const Claim& capacity() const { return capacity_; }
  const Claim& held() const { return held_; }
  Claim free() const;

  // Up to `now`.
  UnitTicks Integral(Tick now) const;

 private:
  void Advance(Tick now);

  const Claim capacity_;
  Claim held_;
  Tick last_ = 0;
  UnitTicks integral_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_UNIT_LEDGER_H_
