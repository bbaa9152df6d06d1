// add, mul, silu_mul and fill: element by element.
#include <algorithm>
#include <memory>

#include "acl/ascend_rtd_ops.h"
#include "core/kernels/argument_block.h"
#include "core/kernels/data_type.h"
#include "server/kernels/bodies/bodies.h"
#include "server/kernels/bodies/element_chunks.h"
#include "server/kernels/half_types.h"
#include "server/kernels/vector_ops.h"

namespace ascend::server {
namespace {

// target = combine(x, y); the target may be x or y.
class BinaryJob final : public Job {
 public:
  // x[i] = x[i] op y[i].
  using Combine = void (*)(float* x, const float* y, size_t count);

  BinaryJob(int32_t data_type, size_t count, std::span<void* const> tensors,
            Combine combine)
      : data_type_(data_type),
        count_(count),
        x_(tensors[0]),
        y_(tensors[1]),
        target_(tensors[2]),
        combine_(combine) {}

  size_t chunk_count() const override { return ChunksOf(count_); }

  absl::Status RunChunk(size_t chunk) const override {
    const size_t end = std::min(count_, (chunk + 1) * kChunkElements);
    float x[kBlockElements];
    float y_scratch[kBlockElements];
    for (size_t first = chunk * kChunkElements; first < end;
         first += kBlockElements) {
      const size_t count = std::min(kBlockElements, end - first);
      LoadFloats(data_type_, x_, first, x, count);
      combine_(x, AsFloats(data_type_, y_, first, y_scratch, count), count);
      StoreFloats(data_type_, x, target_, first, count);
    }
    return absl::OkStatus();
  }

 private:
  const int32_t data_type_;
  const size_t count_;
  const void* const x_;
  const void* const y_;
  void* const target_;
  const Combine combine_;
};

class FillJob final : public Job {
 public:
  FillJob(const ascrtFillArgs& args, void* target)
      : data_type_(args.data_type),
        count_(static_cast<size_t>(args.count)),
        target_(target) {
    std::fill_n(values_, kBlockElements, args.value);
  }

  size_t chunk_count() const override { return ChunksOf(count_); }

  absl::Status RunChunk(size_t chunk) const override {
    const size_t end = std::min(count_, (chunk + 1) * kChunkElements);
    for (size_t first = chunk * kChunkElements; first < end;
         first += kBlockElements) {
      StoreFloats(data_type_, values_, target_, first,
                  std::min(kBlockElements, end - first));
    }
    return absl::OkStatus();
  }

 private:
  const int32_t data_type_;
  const size_t count_;
  void* const target_;
  float values_[kBlockElements];
};

template <typename Args>
std::unique_ptr<Job> MakeBinaryJob(std::span<const std::byte> bytes,
                                   std::span<void* const> tensors,
                                   BinaryJob::Combine combine) {
  const Args args = core::LoadBlock<Args>(bytes);
  return std::make_unique<BinaryJob>(
      args.data_type, static_cast<size_t>(args.count), tensors, combine);
}

}  // namespace

std::unique_ptr<Job> MakeAddJob(std::span<const std::byte> args,
                                std::span<void* const> tensors) {
  return MakeBinaryJob<ascrtAddArgs>(args, tensors, AddArray);
}

std::unique_ptr<Job> MakeMulJob(std::span<const std::byte> args,
                                std::span<void* const> tensors) {
  return MakeBinaryJob<ascrtMulArgs>(args, tensors, MulArray);
}

std::unique_ptr<Job> MakeSiluMulJob(std::span<const std::byte> args,
                                    std::span<void* const> tensors) {
  return MakeBinaryJob<ascrtSiluMulArgs>(args, tensors, SiluMulArray);
}

std::unique_ptr<Job> MakeFillJob(std::span<const std::byte> args,
                                 std::span<void* const> tensors) {
  return std::make_unique<FillJob>(core::LoadBlock<ascrtFillArgs>(args),
                                   tensors[0]);
}

}  // namespace ascend::server
