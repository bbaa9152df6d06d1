// softmax along the last dimension. Rows of any length pass through one block
// of floats twice, so scratch does not grow with the row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "acl/ascend_rtd_ops.h"
#include "core/kernels/argument_block.h"
#include "server/kernels/bodies/bodies.h"
#include "server/kernels/bodies/row_chunks.h"
#include "server/kernels/half_types.h"
#include "server/kernels/vector_ops.h"

namespace ascend::server {
namespace {

class SoftmaxJob final : public Job {
 public:
  SoftmaxJob(const ascrtSoftmaxArgs& args, std::span<void* const> tensors)
      : data_type_(args.data_type),
        chunks_(args.rows, args.columns),
        columns_(static_cast<size_t>(args.columns)),
        x_(tensors[0]),
        y_(tensors[1]) {}

  size_t chunk_count() const override { return chunks_.count(); }

  absl::Status RunChunk(size_t chunk) const override {
    for (size_t row = chunks_.Begin(chunk); row < chunks_.End(chunk); ++row) {
      RunRow(row * columns_);
    }
    return absl::OkStatus();
  }

 private:
  void RunRow(size_t first) const {
    float scratch[kRowBlock];
    float largest = -std::numeric_limits<float>::infinity();
    float sum = 0;
    for (size_t i = 0; i < columns_; i += kRowBlock) {
      const size_t count = std::min(kRowBlock, columns_ - i);
      const float* x = AsFloats(data_type_, x_, first + i, scratch, count);
      const float now = std::max(largest, MaxOfArray(x, count));
      const float base = BaseOf(now);
      sum = sum * std::exp(largest - base) + SumOfExp(x, base, count);
      largest = now;
    }
    const float factor = sum == 0 ? 0 : 1 / sum;
    for (size_t i = 0; i < columns_; i += kRowBlock) {
      const size_t count = std::min(kRowBlock, columns_ - i);
      LoadFloats(data_type_, x_, first + i, scratch, count);
      ExpScaleArray(scratch, BaseOf(largest), factor, count);
      StoreFloats(data_type_, scratch, y_, first + i, count);
    }
  }

  // While all elements are -infinity there is nothing to be relative to; zero
  // makes them weigh exp(-infinity) = 0 instead of NaN.
  static float BaseOf(float largest) {
    return std::isinf(largest) && largest < 0 ? 0 : largest;
  }

  const int32_t data_type_;
  const RowChunks chunks_;
  const size_t columns_;
  const void* const x_;
  void* const y_;
};

}  // namespace

std::unique_ptr<Job> MakeSoftmaxJob(std::span<const std::byte> args,
                                    std::span<void* const> tensors) {
  return std::make_unique<SoftmaxJob>(core::LoadBlock<ascrtSoftmaxArgs>(args),
                                      tensors);
}

}  // namespace ascend::server
