// rms_norm along the last dimension.
#include <algorithm>
#include <cmath>

#include "acl/ascend_rtd_ops.h"
#include "core/kernels/argument_block.h"
#include "server/kernels/bodies/bodies.h"
#include "server/kernels/bodies/row_chunks.h"
#include "server/kernels/half_types.h"
#include "server/kernels/vector_ops.h"

namespace ascend::server {
namespace {

constexpr float kDefaultEpsilon = 1e-6f;

class RmsNormJob final : public Job {
 public:
  RmsNormJob(const ascrtRmsNormArgs& args, std::span<void* const> tensors)
      : data_type_(args.data_type),
        chunks_(args.rows, args.columns),
        columns_(static_cast<size_t>(args.columns)),
        epsilon_(args.epsilon == 0 ? kDefaultEpsilon : args.epsilon),
        x_(tensors[0]),
        weight_(tensors[1]),
        y_(tensors[2]) {}

  size_t chunk_count() const override { return chunks_.count(); }

  absl::Status RunChunk(size_t chunk) const override {
    for (size_t row = chunks_.Begin(chunk); row < chunks_.End(chunk); ++row) {
      RunRow(row * columns_);
    }
    return absl::OkStatus();
  }

 private:
  void RunRow(size_t first) const {
    float x_scratch[kRowBlock];
    float weight_scratch[kRowBlock];
    double squares = 0;
    for (size_t i = 0; i < columns_; i += kRowBlock) {
      const size_t count = std::min(kRowBlock, columns_ - i);
      squares += SumOfSquares(
          AsFloats(data_type_, x_, first + i, x_scratch, count), count);
    }
    const float factor = static_cast<float>(
        1 / std::sqrt(squares / static_cast<double>(columns_) + epsilon_));
    for (size_t i = 0; i < columns_; i += kRowBlock) {
      const size_t count = std::min(kRowBlock, columns_ - i);
      LoadFloats(data_type_, x_, first + i, x_scratch, count);
      ScaleArray(x_scratch, factor, count);
      MulArray(x_scratch,
               AsFloats(data_type_, weight_, i, weight_scratch, count), count);
      StoreFloats(data_type_, x_scratch, y_, first + i, count);
    }
  }

  const int32_t data_type_;
  const RowChunks chunks_;
  const size_t columns_;
  const double epsilon_;
  const void* const x_;
  const void* const weight_;
  void* const y_;
};

}  // namespace

std::unique_ptr<Job> MakeRmsNormJob(std::span<const std::byte> args,
                                    std::span<void* const> tensors) {
  return std::make_unique<RmsNormJob>(core::LoadBlock<ascrtRmsNormArgs>(args),
                                      tensors);
}

}  // namespace ascend::server
