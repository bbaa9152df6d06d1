#include "core/kernels/catalog.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/check.h"
#include "core/kernels/builtin_kernels.h"

namespace ascend::core {
namespace {

// The order is part of replayed logs: append only.
std::vector<KernelDescriptor> BuiltinKernels() {
  std::vector<KernelDescriptor> kernels = {FlashAttentionDescriptor(),
                                           MatmulDescriptor(),
                                           AddDescriptor(),
                                           MulDescriptor(),
                                           SoftmaxDescriptor(),
                                           RmsNormDescriptor(),
                                           RopeDescriptor(),
                                           SiluMulDescriptor(),
                                           FillDescriptor(),
                                           ReduceDescriptor(),
                                           AllReduceDescriptor()};
  uint32_t id = 0;
  for (KernelDescriptor& kernel : kernels) kernel.id = KernelId(++id);
  return kernels;
}

}  // namespace

const Catalog& Catalog::Builtin() {
  // Released: threads may look at it while the process exits.
  static const Catalog& catalog =
      *std::make_unique<Catalog>(BuiltinKernels()).release();
  return catalog;
}

Catalog::Catalog(std::vector<KernelDescriptor> descriptors)
    : descriptors_(std::move(descriptors)) {
  uint32_t id = 0;
  for (const KernelDescriptor& kernel : descriptors_) {
    ASCEND_CHECK(kernel.id == KernelId(++id)) << kernel.name;
    ASCEND_CHECK(Find(kernel.name) == &kernel) << kernel.name << " twice";
    ASCEND_CHECK(kernel.check && kernel.ranges && kernel.cost) << kernel.name;
  }
}

const KernelDescriptor* Catalog::Find(absl::string_view name) const {
  const auto found = std::find_if(
      descriptors_.begin(), descriptors_.end(),
      [name](const KernelDescriptor& kernel) { return kernel.name == name; });
  return found == descriptors_.end() ? nullptr : &*found;
}

const KernelDescriptor* Catalog::Get(KernelId id) const {
  // Id 0 wraps around and is refused with the rest.
  const size_t index = size_t{id.value()} - 1;
  return index < descriptors_.size() ? &descriptors_[index] : nullptr;
}

}  // namespace ascend::core
