#include "core/mem/frame_pool.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/check.h"

namespace ascend::core {
namespace {

constexpr uint32_t kAllRuns = 0xffffffffu;
constexpr uint32_t kWindowBlocksMax = kBlocksPerGiga;

// Near the golden section, so that successive runs lie in distant banks, and
// without a common divisor, so that every bank gets its turn.
uint32_t BankStride(uint32_t bank_count) {
  uint32_t stride = std::max<uint32_t>(1, bank_count * 618 / 1000);
  while (std::gcd(stride, bank_count) != 1) ++stride;
  return stride;
}

}  // namespace

FramePool::FramePool(const HbmGeometry& geometry)
    : geometry_(geometry),
      free_runs_(geometry.block_count, kAllRuns),
      whole_blocks_(geometry.block_count),
      broken_blocks_(geometry.block_count),
      bank_free_run_counts_(geometry.bank_count,
                            geometry.blocks_per_bank * kRunsPerBlock),
      free_run_count_(uint64_t{geometry.block_count} * kRunsPerBlock),
      whole_block_count_(geometry.block_count),
      bank_stride_(BankStride(geometry.bank_count)) {
  for (uint32_t i = 0; i < geometry.block_count; ++i) whole_blocks_.Insert(i);
}

std::optional<FrameGrant> FramePool::TakeScattered(uint32_t run_count) {
  if (run_count > free_run_count_) return std::nullopt;
  FrameGrant grant;
  grant.cursor_before = cursor_;
  grant.extents.reserve(run_count);
  bool spares_windows = true;
  uint32_t skipped_count = 0;  // banks in a row without a run
  while (grant.extents.size() < run_count) {
    const std::optional<uint32_t> run = PickRun(cursor_, spares_windows);
    cursor_ = (cursor_ + bank_stride_) % geometry_.bank_count;
    if (run) {
      TakeRun(*run);
      grant.extents.push_back({.first_run = *run, .run_count = 1});
      skipped_count = 0;
    } else if (++skipped_count == geometry_.bank_count) {
      spares_windows = false;
      skipped_count = 0;
    }
  }
  return grant;
}

// The highest free run of the bank that breaks no whole block, else the highest
// of all. Descending, so that two picks in a row are never contiguous.
std::optional<uint32_t> FramePool::PickRun(uint32_t bank,
                                           bool spares_windows) const {
  if (bank_free_run_counts_[bank] == 0) return std::nullopt;
  const uint32_t begin = bank * geometry_.blocks_per_bank;
  const uint32_t end = begin + geometry_.blocks_per_bank;
  uint32_t block = broken_blocks_.FindLast(begin, end);
  if (block == end) {
    const auto whole = LastWholeBlock(begin, end, spares_windows);
    if (!whole) return std::nullopt;
    block = *whole;
  }
  const uint32_t top =
      31 - static_cast<uint32_t>(std::countl_zero(free_runs_[block]));
  return block * kRunsPerBlock + top;
}

std::optional<uint32_t> FramePool::LastWholeBlock(uint32_t begin, uint32_t end,
                                                  bool spares_windows) const {
  while (begin < end) {
    const uint32_t block = whole_blocks_.FindLast(begin, end);
    if (block == end) return std::nullopt;
    const auto keeper = std::find_if(
        windows_.begin(), windows_.end(), [block](const auto& entry) {
          return block >= entry.second.next && block < entry.second.end;
        });
    if (!spares_windows || keeper == windows_.end()) return block;
    end = keeper->second.next;
  }
  return std::nullopt;
}

void FramePool::TakeRun(uint32_t run) {
  const uint32_t block = run / kRunsPerBlock;
  const uint32_t bit = uint32_t{1} << (run % kRunsPerBlock);
  if (free_runs_[block] == kAllRuns) {
    whole_blocks_.Erase(block);
    broken_blocks_.Insert(block);
    --whole_block_count_;
  }
  free_runs_[block] &= ~bit;
  if (free_runs_[block] == 0) broken_blocks_.Erase(block);
  --bank_free_run_counts_[block / geometry_.blocks_per_bank];
  --free_run_count_;
}

bool FramePool::AreFree(uint32_t begin, uint32_t end) const {
  return end <= geometry_.block_count &&
         whole_blocks_.FindFirst(begin, end, false) == end;
}

void FramePool::TakeBlockRange(uint32_t begin, uint32_t count,
                               FrameGrant& grant) {
  for (uint32_t block = begin; block < begin + count; ++block) {
    free_runs_[block] = 0;
    whole_blocks_.Erase(block);
    bank_free_run_counts_[block / geometry_.blocks_per_bank] -= kRunsPerBlock;
  }
  whole_block_count_ -= count;
  free_run_count_ -= uint64_t{count} * kRunsPerBlock;
  const uint32_t first_run = begin * kRunsPerBlock;
  if (!grant.extents.empty() &&
      grant.extents.back().first_run + grant.extents.back().run_count ==
          first_run) {
    grant.extents.back().run_count += count * kRunsPerBlock;
  } else {
    grant.extents.push_back({first_run, count * kRunsPerBlock});
  }
}

void FramePool::SaveWindow(WindowId window, FrameGrant& grant) const {
  const auto found = windows_.find(window);
  grant.windows_before.emplace_back(
      window, found == windows_.end() ? std::nullopt
                                      : std::optional<Window>(found->second));
}

std::optional<FrameGrant> FramePool::TakeBlocks(uint32_t block_count,
                                                WindowId window) {
  if (block_count > whole_block_count_) return std::nullopt;
  FrameGrant grant;
  grant.cursor_before = cursor_;
  if (window != 0) SaveWindow(window, grant);

  Window room;
  std::optional<uint32_t> begin;
  if (const auto own = windows_.find(window); own != windows_.end()) {
    room = own->second;
    if (AreFree(room.next, room.next + block_count)) begin = room.next;
    windows_.erase(own);  // what it kept counts as room for the search below
  }
  if (!begin) begin = FindOutsideWindows(block_count, room);
  if (!begin) begin = StealFromWindow(block_count, room, grant);
  if (!begin) {
    begin = FindAnywhere(block_count);
    if (begin) room = {*begin, *begin + block_count};
  }
  if (begin) {
    TakeBlockRange(*begin, block_count, grant);
    room.next = *begin + block_count;
  } else {
    uint32_t block = 0;
    for (uint32_t i = 0; i < block_count; ++i) {
      block = whole_blocks_.FindFirst(block, geometry_.block_count, true);
      TakeBlockRange(block, 1, grant);
    }
    room = {block + 1, block + 1};
  }
  if (window != 0) {
    windows_[window] = {room.next, std::max(room.next, room.end)};
  }
  return grant;
}

BlockSet FramePool::BlocksOutsideWindows() const {
  BlockSet blocks = whole_blocks_;
  for (const auto& [id, window] : windows_) {
    for (uint32_t i = window.next; i < window.end; ++i) blocks.Erase(i);
  }
  return blocks;
}

// The first room of a full window, else the longest, inside one bank group.
FramePool::Window FramePool::LongestRoom(const BlockSet& free) const {
  Window best;
  const uint32_t block_count = geometry_.block_count;
  for (uint32_t i = free.FindFirst(0, block_count, true); i < block_count;) {
    const uint32_t group_end =
        std::min(block_count, (i / geometry_.blocks_per_group + 1) *
                                  geometry_.blocks_per_group);
    const uint32_t past = free.FindFirst(i, group_end, false);
    const uint32_t end = std::min(past, i + kWindowBlocksMax);
    if (end - i > best.end - best.next) best = {i, end};
    if (end - i == kWindowBlocksMax) break;
    i = free.FindFirst(past, block_count, true);
  }
  return best;
}

std::optional<uint32_t> FramePool::FindOutsideWindows(uint32_t block_count,
                                                      Window& room) const {
  const Window found = LongestRoom(BlocksOutsideWindows());
  if (found.end - found.next < block_count) return std::nullopt;
  room = found;
  return found.next;
}

// Halves the longest window, so that both groups can still grow.
std::optional<uint32_t> FramePool::StealFromWindow(uint32_t block_count,
                                                   Window& room,
                                                   FrameGrant& grant) {
  WindowId victim = 0;
  Window best;
  for (const auto& [id, window] : windows_) {
    const uint32_t end =
        whole_blocks_.FindFirst(window.next, window.end, false);
    if (end - window.next > best.end - best.next) {
      best = {window.next, end};
      victim = id;
    }
  }
  const uint32_t length = best.end - best.next;
  if (length < block_count || length == 0) return std::nullopt;
  SaveWindow(victim, grant);
  room = {best.end - std::max(block_count, length / 2), best.end};
  windows_[victim].end = room.next;
  return room.next;
}

std::optional<uint32_t> FramePool::FindAnywhere(uint32_t block_count) const {
  const uint32_t end = geometry_.block_count;
  for (uint32_t i = whole_blocks_.FindFirst(0, end, true); i < end;) {
    const uint32_t past = whole_blocks_.FindFirst(i, end, false);
    if (past - i >= block_count) return i;
    i = whole_blocks_.FindFirst(past, end, true);
  }
  return std::nullopt;
}

std::optional<FrameGrant> FramePool::TakeGiga(uint32_t giga_count) {
  std::vector<uint32_t> begins;
  for (uint32_t begin = 0; begins.size() < giga_count &&
                           begin + kBlocksPerGiga <= geometry_.block_count;
       begin += kBlocksPerGiga) {
    if (AreFree(begin, begin + kBlocksPerGiga)) begins.push_back(begin);
  }
  if (begins.size() < giga_count) return std::nullopt;
  FrameGrant grant;
  grant.cursor_before = cursor_;
  for (const uint32_t begin : begins) {
    TakeBlockRange(begin, kBlocksPerGiga, grant);
  }
  return grant;
}

void FramePool::Undo(const FrameGrant& grant) {
  Return(grant.extents);
  cursor_ = grant.cursor_before;
  for (const auto& [id, window] : grant.windows_before) {
    if (window) {
      windows_[id] = *window;
    } else {
      windows_.erase(id);
    }
  }
}

void FramePool::Return(const std::vector<RunExtent>& extents) {
  for (const RunExtent& extent : extents) {
    const uint32_t end = extent.first_run + extent.run_count;
    for (uint32_t run = extent.first_run; run < end;) {
      const uint32_t block = run / kRunsPerBlock;
      const uint32_t low = run % kRunsPerBlock;
      const uint32_t count = std::min(end - run, kRunsPerBlock - low);
      const uint32_t bits = (kAllRuns >> (kRunsPerBlock - count)) << low;
      ASCEND_CHECK((free_runs_[block] & bits) == 0)
          << "runs " << run << " + " << count << " are free already";
      free_runs_[block] |= bits;
      if (free_runs_[block] == kAllRuns) {
        broken_blocks_.Erase(block);
        whole_blocks_.Insert(block);
        ++whole_block_count_;
      } else {
        broken_blocks_.Insert(block);
      }
      bank_free_run_counts_[block / geometry_.blocks_per_bank] += count;
      free_run_count_ += count;
      run += count;
    }
  }
}

void FramePool::OpenWindow(WindowId window, uint32_t block) {
  windows_[window] = {block, block + RoomFrom(block)};
}

uint32_t FramePool::RoomFrom(uint32_t block) const {
  if (block >= geometry_.block_count) return 0;
  uint32_t end =
      std::min(geometry_.block_count, (block / geometry_.blocks_per_group + 1) *
                                          geometry_.blocks_per_group);
  end = std::min(end, block + kWindowBlocksMax);
  for (const auto& [id, window] : windows_) {
    if (window.end > window.next && window.end > block) {
      end = std::min(end, std::max(window.next, block));
    }
  }
  return whole_blocks_.FindFirst(block, end, false) - block;
}

uint32_t FramePool::RoomMax() const {
  const Window room = LongestRoom(BlocksOutsideWindows());
  return room.end - room.next;
}

void FramePool::CheckInvariants() const {
  uint64_t free_run_count = 0;
  uint32_t whole_block_count = 0;
  for (uint32_t block = 0; block < geometry_.block_count; ++block) {
    const uint32_t runs = free_runs_[block];
    free_run_count += static_cast<uint32_t>(std::popcount(runs));
    whole_block_count += runs == kAllRuns ? 1 : 0;
    ASCEND_CHECK(whole_blocks_.Contains(block) == (runs == kAllRuns));
    ASCEND_CHECK(broken_blocks_.Contains(block) ==
                 (runs != 0 && runs != kAllRuns));
  }
  ASCEND_CHECK(free_run_count == free_run_count_);
  ASCEND_CHECK(whole_block_count == whole_block_count_);
  const uint64_t in_banks = std::accumulate(
      bank_free_run_counts_.begin(), bank_free_run_counts_.end(), uint64_t{0});
  ASCEND_CHECK(in_banks == free_run_count_);
}

}  // namespace ascend::core
