// TraceLog: the last tasks and samples of a machine, bounded.
//
// It is fed from inside a turn, so a record is only appended, and what a
// snapshot shares with it is never touched again.
//
// Threading: thread-compatible; a snapshot is for any thread. Ownership: shares
// records with snapshots.
#ifndef ASCEND_CORE_OBS_TRACE_LOG_H_
#define ASCEND_CORE_OBS_TRACE_LOG_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/obs/trace.h"

namespace ascend::core {

// The last `records_max` records that were added.
template <typename Record>
class TraceRing {
 public:
  using Records = TraceRecords<Record>;
  using Block = typename Records::Block;

  explicit TraceRing(size_t records_max)
      : records_max_(std::max<size_t>(records_max, 1)) {}

  // True: a block of old records was let go of.
  bool Add(const Record& record) {
    if (blocks_.empty() || blocks_.back()->size() == Records::kBlockRecords) {
      blocks_.push_back(std::make_shared<Block>());
      blocks_.back()->reserve(Records::kBlockRecords);
    }
    blocks_.back()->push_back(record);
    ++added_;
    if (added_ - gone_ < records_max_ + Records::kBlockRecords) return false;
    blocks_.pop_front();
    gone_ += Records::kBlockRecords;
    return true;
  }

  Records Snapshot() const {
    std::vector<std::shared_ptr<const Block>> blocks(blocks_.begin(),
                                                     blocks_.end());
    // The last one still grows.
    if (!blocks.empty()) {
      blocks.back() = std::make_shared<const Block>(*blocks_.back());
    }
    const uint64_t size = added_ - dropped();
    return Records(std::move(blocks), static_cast<size_t>(dropped() - gone_),
                   static_cast<size_t>(size));
  }

  uint64_t added() const { return added_; }
  // Of those, how many a snapshot no longer has.
  uint64_t dropped() const {
    return added_ - std::min<uint64_t>(added_, records_max_);
  }

 private:
  const size_t records_max_;
  std::deque<std::shared_ptr<Block>> blocks_;
  uint64_t added_ = 0;
  uint64_t gone_ = 0;  // in blocks that were let go of
};

class TraceLog {
 public:
  TraceLog(std::vector<TraceDevice> devices, size_t spans_max,
           size_t samples_max);

  // `id` is larger than those before.
  void OpenSession(SessionId id, std::string name);
  // No spans of it follow. Its name stays as long as spans of it may be there.
  void CloseSession(SessionId id);
  void Add(const TraceSpan& span);
  void Add(const TraceSample& sample) { samples_.Add(sample); }

  // Takes a time that does not depend on what the records are.
  Trace Snapshot() const;

 private:
  struct ClosedSession {
    SessionId id;
    uint64_t spans_added = 0;  // then
  };

  const std::vector<TraceDevice> devices_;
  TraceRing<TraceSpan> spans_;
  TraceRing<TraceSample> samples_;
  std::map<SessionId, std::string> names_;
  std::deque<ClosedSession> closed_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_OBS_TRACE_LOG_H_
