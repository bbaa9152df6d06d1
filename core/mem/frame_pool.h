// FramePool: which frames of a device are free, and which ones to take.
//
// It only accounts; bytes live in segments. Three ways to take: runs scattered
// over the banks, blocks side by side, blocks of 1 GiB. Scattered runs come
// from the top of each bank and, where possible, from blocks that are broken
// already; blocks come from the bottom, so the two disturb each other late.
//
// An *affinity window* keeps the blocks that follow a group of allocations for
// the group: at most 1 GiB inside one bank group. It is a courtesy, not a
// reservation: who finds no other room takes from a window.
//
// Threading: thread-compatible; deterministic. Ownership: owns the bitmaps.
#ifndef ASCEND_CORE_MEM_FRAME_POOL_H_
#define ASCEND_CORE_MEM_FRAME_POOL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/mem/block_set.h"
#include "core/mem/hbm_geometry.h"

namespace ascend::core {

// Neighbouring runs of 64 KiB.
struct RunExtent {
  uint32_t first_run = 0;
  uint32_t run_count = 0;
};

// Names an affinity window; 0 is none.
using WindowId = uint64_t;

// Frames that were taken, and what undoes the taking.
struct FrameGrant {
  struct Window {
    uint32_t next = 0;  // the block the group would take next
    uint32_t end = 0;
  };
  std::vector<RunExtent> extents;
  uint32_t cursor_before = 0;
  std::vector<std::pair<WindowId, std::optional<Window>>> windows_before;
};

class FramePool {
 public:
  explicit FramePool(const HbmGeometry& geometry);

  const HbmGeometry& geometry() const { return geometry_; }
  uint64_t free_bytes() const { return free_run_count_ * kRunBytes; }

  // Each takes all it is asked for, or answers nothing and changes nothing.
  std::optional<FrameGrant> TakeScattered(uint32_t run_count);
  // Side by side if at all possible; behind what `window` took last, whose
  // window is opened when there is none yet.
  std::optional<FrameGrant> TakeBlocks(uint32_t block_count, WindowId window);
  std::optional<FrameGrant> TakeGiga(uint32_t giga_count);

  // As if `grant`, the latest one, had not been taken.
  void Undo(const FrameGrant& grant);
  // Gives frames back; each must be taken (checked).
  void Return(const std::vector<RunExtent>& extents);

  WindowId NewWindowId() { return ++window_id_last_; }
  // Keeps what follows `block` for `window` from now on.
  void OpenWindow(WindowId window, uint32_t block);
  void CloseWindow(WindowId window) { windows_.erase(window); }

  // How many blocks from `block` on are free, outside the windows and in the
  // bank group of `block`; at most 512.
  uint32_t RoomFrom(uint32_t block) const;
  // The longest such room anywhere.
  uint32_t RoomMax() const;

  // Recounts (checked).
  void CheckInvariants() const;

 private:
  using Window = FrameGrant::Window;

  bool AreFree(uint32_t begin, uint32_t end) const;
  std::optional<uint32_t> PickRun(uint32_t bank, bool spares_windows) const;
  std::optional<uint32_t> LastWholeBlock(uint32_t begin, uint32_t end,
                                         bool spares_windows) const;
  void TakeRun(uint32_t run);
  void TakeBlockRange(uint32_t begin, uint32_t count, FrameGrant& grant);
  void SaveWindow(WindowId window, FrameGrant& grant) const;
  BlockSet BlocksOutsideWindows() const;
  Window LongestRoom(const BlockSet& free) const;
  std::optional<uint32_t> FindOutsideWindows(uint32_t block_count,
                                             Window& room) const;
  std::optional<uint32_t> StealFromWindow(uint32_t block_count, Window& room,
                                          FrameGrant& grant);
  std::optional<uint32_t> FindAnywhere(uint32_t block_count) const;

  const HbmGeometry geometry_;
  std::vector<uint32_t> free_runs_;  // one bit per run, one word per block
  BlockSet whole_blocks_;            // all 32 runs free
  BlockSet broken_blocks_;           // some runs free
  std::vector<uint32_t> bank_free_run_counts_;
  uint64_t free_run_count_ = 0;
  uint32_t whole_block_count_ = 0;
  uint32_t bank_stride_ = 1;
  uint32_t cursor_ = 0;  // the bank of the next scattered run
  std::map<WindowId, Window> windows_;
  WindowId window_id_last_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MEM_FRAME_POOL_H_
