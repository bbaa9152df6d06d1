#include "server/kernels/registry.h"

#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "acl/ascend_rtd_ops.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/kernels/catalog.h"
#include "server/kernels/bodies/bodies.h"

namespace ascend::server {
namespace {

struct Entry {
  const char* name;
  JobFactory make_job;
};

constexpr Entry kBodies[] = {
    {ASCRT_OP_FLASH_ATTENTION, MakeFlashAttentionJob},
    {ASCRT_OP_MATMUL, MakeMatmulJob},
    {ASCRT_OP_ADD, MakeAddJob},
    {ASCRT_OP_MUL, MakeMulJob},
    {ASCRT_OP_SOFTMAX, MakeSoftmaxJob},
    {ASCRT_OP_RMS_NORM, MakeRmsNormJob},
    {ASCRT_OP_ROPE, MakeRopeJob},
    {ASCRT_OP_SILU_MUL, MakeSiluMulJob},
    {ASCRT_OP_FILL, MakeFillJob},
    {ASCRT_OP_REDUCE, MakeReduceJob},
    {ASCRT_OP_ALL_REDUCE, MakeAllReduceJob},
};

JobFactory FactoryOf(const core::KernelDescriptor& kernel) {
  for (const Entry& entry : kBodies) {
    if (kernel.name == entry.name) return entry.make_job;
  }
  return nullptr;
}

}  // namespace

absl::Status SequentialFor::Run(size_t count,
                                absl::FunctionRef<absl::Status(size_t)> run) {
  absl::Status first_error;
  for (size_t i = 0; i < count; ++i) first_error.Update(run(i));
  return first_error;
}

absl::StatusOr<std::unique_ptr<Job>> PrepareJob(core::KernelId id,
                                                std::span<const std::byte> args,
                                                PointerResolver& resolver) {
  const core::KernelDescriptor* kernel = core::Catalog::Builtin().Get(id);
  if (kernel == nullptr) {
    return core::MakeError(
        core::Reason::kUnknownKernel,
        absl::StrCat("kernel id ", id.value(), " names no built-in kernel"));
  }
  const JobFactory make_job = FactoryOf(*kernel);
  ASCEND_CHECK(make_job != nullptr) << kernel->name << " has no body";
  ASCEND_RETURN_IF_ERROR(kernel->check(args));
  std::vector<void*> tensors;
  for (const core::DeviceRange& range : kernel->ranges(args)) {
    ASCEND_ASSIGN_OR_RETURN(void* const tensor, resolver.Resolve(range));
    tensors.push_back(tensor);
  }
  return make_job(args, tensors);
}

absl::Status RunBody(core::KernelId id, const BodyContext& context) {
  ASCEND_ASSIGN_OR_RETURN(const std::unique_ptr<Job> job,
                          PrepareJob(id, context.args, context.resolver));
  return context.parallel.Run(job->chunk_count(), [&job](size_t chunk) {
    return job->RunChunk(chunk);
  });
}

absl::Status RunBlock(const Job& job, uint32_t block, uint32_t num_blocks) {
  ASCEND_CHECK(block < num_blocks) << block << " of " << num_blocks;
  for (size_t chunk = block; chunk < job.chunk_count(); chunk += num_blocks) {
    ASCEND_RETURN_IF_ERROR(job.RunChunk(chunk));
  }
  return absl::OkStatus();
}

}  // namespace ascend::server
