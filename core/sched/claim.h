// Arithmetic on claims: what fits, what is taken, what competes.
//
// Threading: pure functions.
#ifndef ASCEND_CORE_SCHED_CLAIM_H_
#define ASCEND_CORE_SCHED_CLAIM_H_

#include "core/kernels/descriptor.h"

namespace ascend::core {

constexpr bool Fits(const Claim& need, const Claim& free) {
  return need.cube <= free.cube && need.aiv <= free.aiv && need.dma <= free.dma;
}

constexpr Claim operator+(const Claim& a, const Claim& b) {
  return Claim{a.cube + b.cube, a.aiv + b.aiv, a.dma + b.dma};
}

// Legal only when `b` fits `a`.
constexpr Claim operator-(const Claim& a, const Claim& b) {
  return Claim{a.cube - b.cube, a.aiv - b.aiv, a.dma - b.dma};
}

// Whether both want units of one kind.
constexpr bool Compete(const Claim& a, const Claim& b) {
  return (a.cube > 0 && b.cube > 0) || (a.aiv > 0 && b.aiv > 0) ||
         (a.dma > 0 && b.dma > 0);
}

constexpr bool IsEmpty(const Claim& claim) { return claim == Claim{}; }

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_CLAIM_H_
