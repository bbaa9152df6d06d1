// reduce: sums, maxima and minima of two tensors, floats and integers.
#include <algorithm>
#include <memory>

#include "acl/ascend_rtd_ops.h"
#include "core/kernels/argument_block.h"
#include "server/kernels/bodies/bodies.h"
#include "server/kernels/bodies/element_chunks.h"
#include "server/kernels/half_types.h"
#include "server/kernels/reduction.h"

namespace ascend::server {
namespace {

template <typename Element>
void Reduce(uint32_t operation, const Element* x, const Element* y, Element* z,
            size_t count) {
  ReduceArrays(operation, x, y, z, count);
}

// Half-width floats, by way of floats. A sum is rounded twice, which never
// shows: a float has more than twice the digits of either half.
template <typename Element>
void ReduceHalves(uint32_t operation, const Element* x, const Element* y,
                  Element* z, size_t count) {
  float x_block[kBlockElements];
  float y_block[kBlockElements];
  for (size_t first = 0; first < count; first += kBlockElements) {
    const size_t block = std::min(kBlockElements, count - first);
    ToFloat(x + first, x_block, block);
    ToFloat(y + first, y_block, block);
    ReduceArrays(operation, x_block, y_block, x_block, block);
    FromFloat(x_block, z + first, block);
  }
}

void Reduce(uint32_t operation, const Half* x, const Half* y, Half* z,
            size_t count) {
  ReduceHalves(operation, x, y, z, count);
}

void Reduce(uint32_t operation, const Bf16* x, const Bf16* y, Bf16* z,
            size_t count) {
  ReduceHalves(operation, x, y, z, count);
}

// The target may be x or y.
template <typename Element>
class ReduceJob final : public Job {
 public:
  ReduceJob(const ascrtReduceArgs& args, std::span<void* const> tensors)
      : operation_(args.operation),
        count_(static_cast<size_t>(args.count)),
        x_(static_cast<const Element*>(tensors[0])),
        y_(static_cast<const Element*>(tensors[1])),
        target_(static_cast<Element*>(tensors[2])) {}

  size_t chunk_count() const override { return ChunksOf(count_); }

  absl::Status RunChunk(size_t chunk) const override {
    const size_t first = chunk * kChunkElements;
    Reduce(operation_, x_ + first, y_ + first, target_ + first,
           std::min(kChunkElements, count_ - first));
    return absl::OkStatus();
  }

 private:
  const uint32_t operation_;
  const size_t count_;
  const Element* const x_;
  const Element* const y_;
  Element* const target_;
};

}  // namespace

std::unique_ptr<Job> MakeReduceJob(std::span<const std::byte> bytes,
                                   std::span<void* const> tensors) {
  const auto args = core::LoadBlock<ascrtReduceArgs>(bytes);
  switch (args.data_type) {
    case ASCRT_DT_INT8:
      return std::make_unique<ReduceJob<int8_t>>(args, tensors);
    case ASCRT_DT_INT16:
      return std::make_unique<ReduceJob<int16_t>>(args, tensors);
    case ASCRT_DT_INT32:
      return std::make_unique<ReduceJob<int32_t>>(args, tensors);
    case ASCRT_DT_FLOAT16:
      return std::make_unique<ReduceJob<Half>>(args, tensors);
    case ASCRT_DT_BF16:
      return std::make_unique<ReduceJob<Bf16>>(args, tensors);
    default:
      return std::make_unique<ReduceJob<float>>(args, tensors);
  }
}

}  // namespace ascend::server
