// Runs a built-in kernel's body on memory of the test itself: device addresses
// are addresses of this process.
//
// Threading: none. Ownership: none.
#ifndef ASCEND_TESTS_UNIT_SERVER_KERNELS_KERNEL_HARNESS_H_
#define ASCEND_TESTS_UNIT_SERVER_KERNELS_KERNEL_HARNESS_H_

#include <cstddef>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/kernels/catalog.h"
#include "server/kernels/registry.h"

namespace ascend::testing {

class IdentityResolver final : public server::PointerResolver {
 public:
  absl::StatusOr<void*> Resolve(const core::DeviceRange& range) override {
    return reinterpret_cast<void*>(range.address);
  }
};

template <typename Args>
std::span<const std::byte> BytesOf(const Args& args) {
  return std::as_bytes(std::span<const Args, 1>(&args, 1));
}

// Sets the size field, then checks, prepares and runs.
template <typename Args>
absl::Status RunKernel(absl::string_view name, Args args) {
  args.size = sizeof(args);
  IdentityResolver resolver;
  server::SequentialFor parallel;
  return server::RunBody(core::Catalog::Builtin().Find(name)->id,
                         {BytesOf(args), resolver, parallel});
}

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_UNIT_SERVER_KERNELS_KERNEL_HARNESS_H_
