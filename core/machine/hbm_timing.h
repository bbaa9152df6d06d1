// HbmTiming: how the memory bandwidth of one device is shared.
//
// A fluid server: each running kernel that reads or writes memory is a flow
// with a cap, the rate its units can pull. The device's rate is shared max-min
// fair: nobody gets more than its cap, and what one cannot use the others
// share. Rates change only when a flow starts or ends (timing model, section
// 3). They are floating point; ends are whole ticks, rounded up.
//
// The owner calls in tick order, asks NextEnd after each change, and calls
// TakeEnded at that tick.
//
// Threading: thread-compatible; deterministic. Ownership: value type.
#ifndef ASCEND_CORE_MACHINE_HBM_TIMING_H_
#define ASCEND_CORE_MACHINE_HBM_TIMING_H_

#include <cstdint>
#include <vector>

#include "core/base/typed_int.h"
#include "core/sim/tick.h"

namespace ascend::core {

// Names a flow of the owner's.
using FlowId = TypedInt<struct FlowIdTag, uint64_t>;

class HbmTiming {
 public:
  explicit HbmTiming(double bytes_per_second)
      : bytes_per_second_(bytes_per_second) {}

  // `bytes` and `cap_bytes_per_second` are greater than zero.
  void StartFlow(FlowId flow, double bytes, double cap_bytes_per_second,
                 Tick now);

  // When the first of the flows ends if none starts; kTickMax without flows.
  Tick NextEnd() const { return next_end_; }

  // Of all flows together, in bytes per second.
  double rate() const { return rate_; }

  // Appends the flows that have ended by `now`, in order of starting.
  void TakeEnded(Tick now, std::vector<FlowId>* ended);

 private:
  struct Flow {
    FlowId id;
    double bytes_left;
    double cap;
    double rate;
  };

  void Advance(Tick now);
  void ShareRates(Tick now);

  const double bytes_per_second_;
  std::vector<Flow> flows_;       // in order of starting
  std::vector<uint32_t> by_cap_;  // indices of flows_, smallest cap first
  double rate_ = 0;
  Tick last_ = 0;
  Tick next_end_ = kTickMax;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_HBM_TIMING_H_
