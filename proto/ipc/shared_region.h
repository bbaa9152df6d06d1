// SharedRegion: memory that two processes map, and the descriptor it is passed
// on by.
//
// A memory file whose size is sealed: a peer can write into it but never make a
// mapped page vanish, which would end us with SIGBUS. The first word is
// kAbiVersion; new memory is zero otherwise.
//
// Threading: any thread may use the bytes; the object is a value that threads
// do not share. Ownership: owns mapping and descriptor.
#ifndef ASCEND_PROTO_IPC_SHARED_REGION_H_
#define ASCEND_PROTO_IPC_SHARED_REGION_H_

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/base/unique_fd.h"

namespace ascend::ipc {

class SharedRegion {
 public:
  // `name` is what /proc shows. `bytes` includes the RegionHeader.
  static absl::StatusOr<SharedRegion> Create(const std::string& name,
                                             size_t bytes);
  // Maps what a peer has sent. A violation of the protocol when it is not a
  // region of `expected_bytes` of this version.
  static absl::StatusOr<SharedRegion> Open(core::UniqueFd fd,
                                           size_t expected_bytes);

  SharedRegion(SharedRegion&& other) noexcept
      : fd_(std::move(other.fd_)), bytes_(std::exchange(other.bytes_, {})) {}
  SharedRegion& operator=(SharedRegion&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~SharedRegion();

  // From the RegionHeader on; begins at a page.
  std::span<std::byte> bytes() const { return bytes_; }
  int fd() const { return fd_.get(); }

 private:
  SharedRegion(core::UniqueFd fd, std::span<std::byte> bytes)
      : fd_(std::move(fd)), bytes_(bytes) {}
  static absl::StatusOr<SharedRegion> Map(core::UniqueFd fd, size_t bytes);

  core::UniqueFd fd_;
  std::span<std::byte> bytes_;
};

}  // namespace ascend::ipc

#endif  // ASCEND_PROTO_IPC_SHARED_REGION_H_
