// Scratch: memory of one running chunk, aligned for vectors, not initialised.
//
// Threading: one thread. Ownership: frees what it handed out when it ends.
#ifndef ASCEND_SERVER_KERNELS_SCRATCH_H_
#define ASCEND_SERVER_KERNELS_SCRATCH_H_

#include <cstddef>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "hwy/aligned_allocator.h"

namespace ascend::server {

template <typename T>
using ScratchArray = hwy::AlignedFreeUniquePtr<T[]>;

// An array of `count` elements. Reason::kInternal when there is no memory.
template <typename T>
absl::StatusOr<ScratchArray<T>> MakeScratch(size_t count) {
  static_assert(std::is_trivial_v<T>);
  ScratchArray<T> array = hwy::AllocateAligned<T>(count);
  if (array == nullptr) {
    return core::MakeError(
        core::Reason::kInternal,
        absl::StrCat("the kernel's body finds no memory for ",
                     count * sizeof(T),
                     " bytes of scratch; free memory on the host"));
  }
  return array;
}

}  // namespace ascend::server

#endif  // ASCEND_SERVER_KERNELS_SCRATCH_H_
