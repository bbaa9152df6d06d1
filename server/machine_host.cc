#include "server/machine_host.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/sched/policy.h"
#include "server/kernels/registry.h"
#include "server/machine_host_impl.h"
#include "server/segment_store.h"

namespace ascend::server {

absl::StatusOr<std::unique_ptr<MachineHost>> MachineHost::Create(
    MachineHostOptions options) {
  ASCEND_RETURN_IF_ERROR(core::ValidateSpec(options.machine.spec));
  if (core::MakePolicy(options.machine.policy) == nullptr) {
    return core::MakeError(
        core::Reason::kInvalidArgument,
        absl::StrCat("policy '", options.machine.policy, "' is none of: ",
                     absl::StrJoin(core::PolicyNames(), ", ")));
  }
  if (options.machine.catalog == nullptr) {
    options.machine.catalog = &core::Catalog::Builtin();
  }
  if (options.kernel_threads == 0) {
    options.kernel_threads = std::max(1u, std::thread::hardware_concurrency());
  }
  options.copy_threads = std::max(1u, options.copy_threads);
  RaiseDescriptorLimit();
  const auto prepare = [](const core::KernelDescriptor& kernel,
                          std::span<const std::byte> args,
                          PointerResolver& resolver) {
    return PrepareJob(kernel.id, args, resolver);
  };
  return std::make_unique<MachineHostImpl>(std::move(options), prepare);
}

}  // namespace ascend::server
