// rope: rotary position embedding. A chunk is a run of positions, so that the
// angles of a position are computed once for all batches and heads. Angles are
// in double: at position 10^6 a float's angle would be off by 0.06.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "acl/ascend_rtd_ops.h"
#include "core/kernels/argument_block.h"
#include "core/kernels/data_type.h"
#include "server/kernels/bodies/bodies.h"
#include "server/kernels/bodies/row_chunks.h"
#include "server/kernels/half_types.h"
#include "server/kernels/vector_ops.h"

namespace ascend::server {
namespace {

constexpr float kDefaultBase = 10000;
// Pairs that are turned at a time; the arrays of one take 10 KiB of stack.
constexpr size_t kPairBlock = 256;

// The pairs [first, first + count) of all rows, and their turning speeds.
struct PairBlock {
  size_t first;
  size_t count;
  double radians_per_position[kPairBlock];
};

class RopeJob final : public Job {
 public:
  RopeJob(const ascrtRopeArgs& args, std::span<void* const> tensors)
      : data_type_(args.data_type),
        sequences_(static_cast<size_t>(args.batch * args.heads)),
        length_(static_cast<size_t>(args.length)),
        head_size_(static_cast<size_t>(args.head_size)),
        pairs_(static_cast<size_t>(args.rotary_size == 0 ? args.head_size
                                                         : args.rotary_size) /
               2),
        first_position_(args.first_position),
        base_(args.base == 0 ? kDefaultBase : args.base),
        interleaved_(args.interleaved != 0),
        chunks_(args.length, args.batch * args.heads * args.head_size),
        x_(tensors[0]),
        y_(tensors[1]) {}

  size_t chunk_count() const override { return chunks_.count(); }

  absl::Status RunChunk(size_t chunk) const override {
    const size_t begin = chunks_.Begin(chunk);
    const size_t end = chunks_.End(chunk);
    for (size_t pair = 0; pair < pairs_; pair += kPairBlock) {
      const PairBlock block = BlockFrom(pair);
      for (size_t row = begin; row < end; ++row) TurnPosition(block, row);
    }
    for (size_t row = begin; row < end; ++row) CopyRest(row);
    return absl::OkStatus();
  }

 private:
  PairBlock BlockFrom(size_t first) const {
    PairBlock block;
    block.first = first;
    block.count = std::min(kPairBlock, pairs_ - first);
    for (size_t i = 0; i < block.count; ++i) {
      const double exponent =
          static_cast<double>(first + i) / static_cast<double>(pairs_);
      block.radians_per_position[i] = std::pow(base_, -exponent);
    }
    return block;
  }

  // The element where row `row` of sequence `sequence` begins.
  size_t RowBegin(size_t sequence, size_t row) const {
    return (sequence * length_ + row) * head_size_;
  }

  void TurnPosition(const PairBlock& block, size_t row) const {
    float cosines[kPairBlock];
    float sines[kPairBlock];
    const double position =
        static_cast<double>(first_position_) + static_cast<double>(row);
    for (size_t i = 0; i < block.count; ++i) {
      const double angle = position * block.radians_per_position[i];
      cosines[i] = static_cast<float>(std::cos(angle));
      sines[i] = static_cast<float>(std::sin(angle));
    }
    for (size_t sequence = 0; sequence < sequences_; ++sequence) {
      const size_t begin = RowBegin(sequence, row);
      if (interleaved_) {
        TurnInterleaved(block, begin, cosines, sines);
      } else {
        TurnHalves(block, begin, cosines, sines);
      }
    }
  }

  void TurnHalves(const PairBlock& block, size_t row_begin,
                  const float* cosines, const float* sines) const {
    float low[kPairBlock];
    float high[kPairBlock];
    const size_t first_low = row_begin + block.first;
    const size_t first_high = first_low + pairs_;
    LoadFloats(data_type_, x_, first_low, low, block.count);
    LoadFloats(data_type_, x_, first_high, high, block.count);
    RotatePairs(low, high, cosines, sines, block.count);
    StoreFloats(data_type_, low, y_, first_low, block.count);
    StoreFloats(data_type_, high, y_, first_high, block.count);
  }

  void TurnInterleaved(const PairBlock& block, size_t row_begin,
                       const float* cosines, const float* sines) const {
    float both[2 * kPairBlock];
    float even[kPairBlock];
    float odd[kPairBlock];
    const size_t first = row_begin + 2 * block.first;
    LoadFloats(data_type_, x_, first, both, 2 * block.count);
    for (size_t i = 0; i < block.count; ++i) {
      even[i] = both[2 * i];
      odd[i] = both[2 * i + 1];
    }
    RotatePairs(even, odd, cosines, sines, block.count);
    for (size_t i = 0; i < block.count; ++i) {
      both[2 * i] = even[i];
      both[2 * i + 1] = odd[i];
    }
    StoreFloats(data_type_, both, y_, first, 2 * block.count);
  }

  // The elements of a position that do not turn.
  void CopyRest(size_t row) const {
    if (x_ == y_) return;
    const size_t element_bytes = core::ElementBytes(data_type_);
    for (size_t sequence = 0; sequence < sequences_; ++sequence) {
      const size_t offset =
          (RowBegin(sequence, row) + 2 * pairs_) * element_bytes;
      std::memcpy(static_cast<char*>(y_) + offset,
                  static_cast<const char*>(x_) + offset,
                  (head_size_ - 2 * pairs_) * element_bytes);
    }
  }

  const int32_t data_type_;
  const size_t sequences_;  // batch * heads
  const size_t length_;
  const size_t head_size_;
  const size_t pairs_;
  const int64_t first_position_;
  const double base_;
  const bool interleaved_;
  const RowChunks chunks_;  // of positions
  const void* const x_;
  void* const y_;
};

}  // namespace

std::unique_ptr<Job> MakeRopeJob(std::span<const std::byte> args,
                                 std::span<void* const> tensors) {
  return std::make_unique<RopeJob>(core::LoadBlock<ascrtRopeArgs>(args),
                                   tensors);
}

}  // namespace ascend::server
