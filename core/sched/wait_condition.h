// WaitCondition: what must be true before a task may start, as data.
//
// All ordering between tasks is one concept, so that a task can be logged,
// captured and replayed. Streams have fences; events and synchronisation are
// (fence, value) pairs. Notifies and words in memory are conditions that the
// owner of the task looks at; it sets the kind to kNone once they are met.
//
// Threading: value types.
#ifndef ASCEND_CORE_SCHED_WAIT_CONDITION_H_
#define ASCEND_CORE_SCHED_WAIT_CONDITION_H_

#include <cstdint>

#include "core/command/command.h"
#include "core/sim/tick.h"

namespace ascend::core {

// Names a fence of a FenceTable. Generation 0: none.
struct FenceId {
  uint32_t index = 0;
  uint32_t generation = 0;
  friend bool operator==(FenceId, FenceId) = default;
};

struct WaitCondition {
  enum class Kind : uint8_t {
    kNone,    // true at once
    kFence,   // fence >= value
    kNotify,  // the notify of the task is set
    kWord,    // the word of the task meets `word` with `value`
  };
  Kind kind = Kind::kNone;
  FenceId fence;
  uint64_t value = 0;
  WordCondition word = WordCondition::kGreaterOrEqual;
  // How long it may take from when the task is at the head of its stream; then
  // the task fails. 0: for ever.
  Tick timeout_ticks = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_SCHED_WAIT_CONDITION_H_
