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
#include "server/descriptor_limit.h"
#include "server/kernels/registry.h"
#include "server/machine_host_impl.h"
#include "server/segment_store.h"

namespace ascend::server {

absl::StatusOr<std::unique_ptr<MachineHost>> MachineHost::Create(
    MachineHostOptions options) {
  ASCEND_RETURN_IF_ERROR(core::ValidateSpec(options.machine.spec));
  const size_t schedulings = options.machine.scheduling.size();
  if (schedulings != 1 && schedulings != options.machine.device_count) {
    return core::MakeError(
        core::Reason::kInvalidArgument,
        absl::StrCat(schedulings, " policies for ",
                     options.machine.device_count,
                     " devices: there is one for all, or one for each"));
  }
  for (const auto& [policy, hold] : options.machine.scheduling) {
    if (core::MakePolicy(policy) != nullptr) continue;
    return core::MakeError(
        core::Reason::kInvalidArgument,
        absl::StrCat("policy '", policy, "' is none of: ",
                     absl::StrJoin(core::PolicyNames(), ", ")));
  }
  if (options.machine.catalog == nullptr) {
    options.machine.catalog = &core::Catalog::Builtin();
  }
  if (options.kernel_threads == 0) {
    options.kernel_threads = std::max(1u, std::thread::hardware_concurrency());
  }
  options.copy_threads = std::max(1u, options.copy_threads);
  options.machine.reports_trace = options.trace_spans_max > 0;
  RaiseDescriptorLimit();
  const auto prepare = [](const core::KernelDescriptor& kernel,
                          std::span<const std::byte> args,
                          PointerResolver& resolver) {
    return PrepareJob(kernel.id, args, resolver);
  };
  std::unique_ptr<InputRecorder> recorder;
  if (!options.record_path.empty()) {
    ASCEND_ASSIGN_OR_RETURN(recorder,
                            InputRecorder::Create(options.record_path));
  }
  return std::make_unique<MachineHostImpl>(std::move(options), prepare,
                                           std::move(recorder));
}

}  // namespace ascend::server
