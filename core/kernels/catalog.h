// Catalog: every kernel the machine can launch, by name and by id.
//
// The built-in catalog has a fixed order, and the id of a kernel is its place
// in that order counted from 1, so ids are the same in the daemon, in a worker
// and in a replayed log. Later kernels are appended.
//
// Threading: immutable once made; any thread. Ownership: owns its descriptors;
// pointers to them are valid as long as the catalog.
#ifndef ASCEND_CORE_KERNELS_CATALOG_H_
#define ASCEND_CORE_KERNELS_CATALOG_H_

#include <span>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/kernels/descriptor.h"

namespace ascend::core {

class Catalog {
 public:
  // The kernels of acl/ascend_rtd_ops.h. Lives for ever.
  static const Catalog& Builtin();

  // Takes the descriptors in the order of their ids. They must be complete,
  // with distinct names and the ids 1, 2, 3...
  explicit Catalog(std::vector<KernelDescriptor> descriptors);

  // In the order of their ids.
  std::span<const KernelDescriptor> descriptors() const { return descriptors_; }

  // The kernel of that name or id; null when there is none.
  const KernelDescriptor* Find(absl::string_view name) const;
  const KernelDescriptor* Get(KernelId id) const;

 private:
  const std::vector<KernelDescriptor> descriptors_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_KERNELS_CATALOG_H_
