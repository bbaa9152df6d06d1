// Rng: small deterministic random numbers.
//
// SplitMix64: one 64-bit state, each step a multiply-xorshift of a counter. It
// is good enough for jitter and test programs, costs two multiplications, and
// gives the same numbers on every compiler, unlike <random>'s distributions.
//
// MixSeed folds the parts of a name into a seed, so that a number may be drawn
// for (seed, rank, stream, task) without keeping a generator per stream.
//
// Threading: value type.
#ifndef ASCEND_CORE_SIM_RNG_H_
#define ASCEND_CORE_SIM_RNG_H_

#include <cstdint>
#include <initializer_list>

namespace ascend::core {

class Rng {
 public:
  explicit constexpr Rng(uint64_t seed) : state_(seed) {}

  constexpr uint64_t Next() {
    state_ += kStep;
    return Mix(state_);
  }

  // In [0, bound). `bound` is not 0; the bias is below bound / 2^64.
  constexpr uint64_t Below(uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((Wide{Next()} * bound) >> 64);
  }

  // In [0, 1), a multiple of 2^-53.
  constexpr double Unit() {
    return static_cast<double>(Next() >> 11) * 0x1p-53;
  }

 private:
  friend constexpr uint64_t MixSeed(std::initializer_list<uint64_t> parts);

  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio

  static constexpr uint64_t Mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  uint64_t state_;
};

// A seed that depends on every part and on their order.
constexpr uint64_t MixSeed(std::initializer_list<uint64_t> parts) {
  uint64_t seed = 0;
  for (const uint64_t part : parts) {
    seed = Rng::Mix(seed + Rng::kStep + part);
  }
  return seed;
}

}  // namespace ascend::core

#endif  // ASCEND_CORE_SIM_RNG_H_
