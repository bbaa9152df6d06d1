// Trace: what a machine did, as plain data: tasks that have ended, and how busy
// its devices were. All times are simulated.
//
// Threading: value types; a Trace shares its records with the log that made it,
// which never changes them. Ownership: labels live for ever.
#ifndef ASCEND_CORE_OBS_TRACE_H_
#define ASCEND_CORE_OBS_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "core/base/handle.h"
#include "core/base/ids.h"
#include "core/sim/tick.h"

namespace ascend::core {

enum class TraceKind : uint8_t { kKernel, kCopy, kFill, kSignal, kHost };

struct TraceUnits {
  uint32_t cube = 0;
  uint32_t aiv = 0;
  uint32_t dma = 0;
  friend bool operator==(const TraceUnits&, const TraceUnits&) = default;
};

// A task that has ended.
struct TraceSpan {
  static constexpr uint64_t kNoRank = ~uint64_t{0};

  SessionId session;
  uint64_t rank = kNoRank;  // of the session, then
  StreamHandle stream;      // null: none
  uint64_t value = 0;       // its place in the stream
  absl::string_view label;  // "matmul" or "copy to device"; lives for ever
  TraceKind kind = TraceKind::kKernel;
  DeviceId device;
  TraceUnits units;    // the most it held at a time
  uint64_t bytes = 0;  // that it moved; 0: unknown
  Tick admit_tick = 0;
  Tick ready_tick = 0;  // when it began to wait for units; 0: it needed none
  Tick start_tick = 0;
  Tick end_tick = 0;

  // Since when it is the head of its stream, as far as is known.
  Tick begin_tick() const {
    return ready_tick > 0 && ready_tick < start_tick ? ready_tick : start_tick;
  }
};

// How busy a device is from `tick` on.
struct TraceSample {
  DeviceId device;
  uint32_t waiting_count = 0;
  Tick tick = 0;
  TraceUnits held;
  double hbm_bytes_per_second = 0;  // of kernels
};

struct TraceDevice {
  std::string name;  // "ascend910"
  TraceUnits units;
  double hbm_bytes_per_second = 0;
};

struct TraceSession {
  SessionId id;
  std::string name;  // of the program
};

// The records that a ring (trace_log.h) held at one moment, oldest first.
template <typename Record>
class TraceRecords {
 public:
  static constexpr size_t kBlockRecords = 1024;
  using Block = std::vector<Record>;  // all but the last one are full

  TraceRecords() = default;
  // Those from the `first` one on.
  TraceRecords(std::vector<std::shared_ptr<const Block>> blocks, size_t first,
               size_t size)
      : blocks_(std::move(blocks)), first_(first), size_(size) {}

  size_t size() const { return size_; }
  const Record& operator[](size_t i) const {
    i += first_;
    return (*blocks_[i / kBlockRecords])[i % kBlockRecords];
  }

 private:
  std::vector<std::shared_ptr<const Block>> blocks_;
  size_t first_ = 0;
  size_t size_ = 0;
};

struct Trace {
  std::vector<TraceDevice> devices;    // by DeviceId
  std::vector<TraceSession> sessions;  // by id, rising
  TraceRecords<TraceSpan> spans;       // in the order of their retirement
  TraceRecords<TraceSample> samples;   // in the order of time
  uint64_t dropped_span_count = 0;     // earlier ones
  uint64_t dropped_sample_count = 0;
};

// [from, to) of simulated time. The defaults mean: all there is.
struct TraceWindow {
  Tick from = 0;
  Tick to = kTickMax;
};

// Takes the next bytes of a text. False: no more are wanted.
using TraceSink = absl::FunctionRef<bool(absl::string_view)>;

}  // namespace ascend::core

#endif  // ASCEND_CORE_OBS_TRACE_H_
