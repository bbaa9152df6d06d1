#include "proto/ipc/shared_region.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "proto/ipc/abi.h"

namespace ascend::ipc {
namespace {

using core::MakeError;
using core::Reason;

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x0020  // Linux 6.3
#endif

absl::Status HostLacks(absl::string_view what, size_t bytes, int error) {
  return MakeError(Reason::kInternal,
                   absl::StrCat(what, " of ", bytes,
                                " bytes to share fails: ", strerror(error)));
}

// Asks for the seals first: who has no seals is no file of memory, and another
// file system, which may be the peer's own, is never asked anything.
absl::Status CheckFile(int fd, size_t expected_bytes) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0) {
    return MakeError(Reason::kProtocolViolation,
                     absl::StrCat("the descriptor of a shared region is no "
                                  "memory file: ",
                                  strerror(errno)));
  }
  // Some machines seal each memory file against execution.
  if ((seals & ~F_SEAL_EXEC) != kSeals) {
    return MakeError(
        Reason::kProtocolViolation,
        absl::StrCat("a shared region has seals 0x", absl::Hex(seals),
                     " instead of 0x", absl::Hex(kSeals)));
  }
  struct stat file = {};
  struct statfs system = {};
  if (::fstat(fd, &file) != 0 || ::fstatfs(fd, &system) != 0) {
    return HostLacks("asking for the size of a memory file", expected_bytes,
                     errno);
  }
  // Huge pages may run out when they are touched, which is SIGBUS again.
  if (system.f_type != TMPFS_MAGIC) {
    return MakeError(Reason::kProtocolViolation,
                     "a shared region does not consist of ordinary pages");
  }
  if (file.st_size < 0 || static_cast<size_t>(file.st_size) != expected_bytes) {
    return MakeError(Reason::kProtocolViolation,
                     absl::StrCat("a shared region has ", file.st_size,
                                  " bytes instead of ", expected_bytes));
  }
  return absl::OkStatus();
}

std::atomic_ref<uint32_t> Version(std::span<std::byte> bytes) {
  return std::atomic_ref(
      reinterpret_cast<RegionHeader*>(bytes.data())->version);
}

}  // namespace

absl::StatusOr<SharedRegion> SharedRegion::Map(core::UniqueFd fd,
                                               size_t bytes) {
  void* const base =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (base == MAP_FAILED) return HostLacks("mapping", bytes, errno);
  return SharedRegion(std::move(fd), {static_cast<std::byte*>(base), bytes});
}

absl::StatusOr<SharedRegion> SharedRegion::Create(const std::string& name,
                                                  size_t bytes) {
  ASCEND_CHECK(bytes >= sizeof(RegionHeader)) << bytes;
  core::UniqueFd fd(
      ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.is_valid()) return HostLacks("making a memory file", bytes, errno);
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) {
    return HostLacks("sizing a memory file", bytes, errno);
  }
  ASCEND_ASSIGN_OR_RETURN(SharedRegion region, Map(std::move(fd), bytes));
  Version(region.bytes()).store(kAbiVersion, std::memory_order_release);
  return region;
}

absl::StatusOr<SharedRegion> SharedRegion::Open(core::UniqueFd fd,
                                                size_t expected_bytes) {
  ASCEND_CHECK(expected_bytes >= sizeof(RegionHeader)) << expected_bytes;
  ASCEND_RETURN_IF_ERROR(CheckFile(fd.get(), expected_bytes));
  ASCEND_ASSIGN_OR_RETURN(SharedRegion region,
                          Map(std::move(fd), expected_bytes));
  const uint32_t version =
      Version(region.bytes()).load(std::memory_order_acquire);
  if (version != kAbiVersion) {
    return MakeError(Reason::kProtocolViolation,
                     absl::StrCat("a shared region has version ", version,
                                  " instead of ", kAbiVersion));
  }
  return region;
}

SharedRegion::~SharedRegion() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace ascend::ipc
