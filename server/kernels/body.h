// Bodies: what the built-in kernels compute, cut into independent chunks.
//
// A launch becomes a Job: its tensors are resolved, its work is divided into
// chunks that touch disjoint outputs. Whoever runs the Job chooses where the
// chunks run: a pool of the daemon, or the blocks of a worker process. A chunk
// needs no more than 64 KiB of stack, keeps its scratch memory on the heap and
// has no state that outlives it, so it can run on any stack and thread.
//
// Threading: RunChunk may be called from many threads at once, each chunk once.
// Ownership: a Job holds pointers into the session's memory; whoever runs it
// keeps that memory mapped until the last chunk is done.
#ifndef ASCEND_SERVER_KERNELS_BODY_H_
#define ASCEND_SERVER_KERNELS_BODY_H_

#include <cstddef>
#include <memory>
#include <span>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/kernels/descriptor.h"

namespace ascend::server {

// From a device range to the memory of this process that holds it, contiguous.
// In the daemon it goes through the session's page table; in a worker, which
// maps device memory at its own addresses, it is the identity.
class PointerResolver {
 public:
  virtual ~PointerResolver() = default;
  virtual absl::StatusOr<void*> Resolve(const core::DeviceRange& range) = 0;
};

// Calls `run` once for each index below `count`, in any order, on any threads,
// and returns when all calls have: the first error met, if any.
class ParallelFor {
 public:
  virtual ~ParallelFor() = default;
  virtual absl::Status Run(size_t count,
                           absl::FunctionRef<absl::Status(size_t)> run) = 0;
};

// All on the calling thread, in order.
class SequentialFor final : public ParallelFor {
 public:
  absl::Status Run(size_t count,
                   absl::FunctionRef<absl::Status(size_t)> run) override;
};

class Job {
 public:
  virtual ~Job() = default;
  virtual size_t chunk_count() const = 0;
  // Computes chunk `chunk` < chunk_count(). Fails only when this process has no
  // memory for scratch or cannot generate code (Reason::kInternal).
  virtual absl::Status RunChunk(size_t chunk) const = 0;
};

// Makes the Job of a checked argument block. `tensors` are the resolved ranges
// of its descriptor, in their order.
using JobFactory = std::unique_ptr<Job> (*)(std::span<const std::byte> args,
                                            std::span<void* const> tensors);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_BODY_H_
