// all_reduce: the part of this rank is the whole sum.
#include <algorithm>
#include <cstring>

#include "acl/ascend_rtd_ops.h"
#include "core/kernels/argument_block.h"
#include "core/kernels/data_type.h"
#include "server/kernels/bodies/bodies.h"

namespace ascend::server {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;

class AllReduceJob final : public Job {
 public:
  AllReduceJob(size_t bytes, const void* source, void* target)
      : bytes_(bytes),
        source_(static_cast<const std::byte*>(source)),
        target_(static_cast<std::byte*>(target)) {}

  size_t chunk_count() const override {
    return (bytes_ + kChunkBytes - 1) / kChunkBytes;
  }

  absl::Status RunChunk(size_t chunk) const override {
    const size_t begin = chunk * kChunkBytes;
    if (source_ != target_) {
      std::memcpy(target_ + begin, source_ + begin,
                  std::min(kChunkBytes, bytes_ - begin));
    }
    return absl::OkStatus();
  }

 private:
  const size_t bytes_;
  const std::byte* const source_;
  std::byte* const target_;
};

}  // namespace

std::unique_ptr<Job> MakeAllReduceJob(std::span<const std::byte> bytes,
                                      std::span<void* const> tensors) {
  const auto args = core::LoadBlock<ascrtAllReduceArgs>(bytes);
  return std::make_unique<AllReduceJob>(
      static_cast<size_t>(args.count) * core::ElementBytes(args.data_type),
      tensors[0], tensors[1]);
}

}  // namespace ascend::server
