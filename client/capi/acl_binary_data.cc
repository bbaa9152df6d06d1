// Kernel binaries in memory of the program. Nothing runs them yet: they are
// taken, checked as far as they can be, and refused where they would be loaded.
#include <memory>

#include "acl/acl.h"
#include "client/capi/binary_options.h"
#include "client/capi/edge.h"
#include "client/capi/object_registry.h"
#include "core/base/error.h"

using ascend::client::CheckBinaryOptions;
using ascend::client::CheckNotNull;
using ascend::client::Report;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

// What aclrtBinary names; the bytes are the program's.
struct BinaryData {
  const void* data = nullptr;
  size_t bytes = 0;
};

using Binaries = ascend::client::ObjectRegistry<BinaryData>;

absl::Status CheckData(const char* name, const void* data, size_t bytes) {
  const absl::Status status = CheckNotNull({{data, name}});
  if (!status.ok() || bytes > 0) return status;
  return MakeError(Reason::kInvalidArgument, "the binary has 0 bytes");
}

absl::Status NotYet() {
  return MakeError(Reason::kUnsupported,
                   "kernel binaries of the program's own are not supported "
                   "yet: this release runs the built-in kernels of "
                   "'builtin:ops' only (aclrtBinaryLoadFromFile)");
}

absl::Status NoBinary() {
  return MakeError(Reason::kStaleHandle,
                   "the binary was destroyed or never given out");
}

}  // namespace

aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen) {
  const absl::Status status = CheckData("data", data, dataLen);
  if (!status.ok()) {
    Report(__func__, status);
    return nullptr;
  }
  return Binaries::Get().Add(
      std::make_unique<BinaryData>(BinaryData{data, dataLen}));
}

aclError aclrtDestroyBinary(aclrtBinary binary) {
  absl::Status status = CheckNotNull({{binary, "binary"}});
  if (status.ok() && Binaries::Get().Remove(static_cast<BinaryData*>(binary)) !=
                         Binaries::Removal::kDone) {
    status = NoBinary();
  }
  return Report(__func__, status);
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle* binHandle) {
  const absl::Status status =
      CheckNotNull({{binary, "binary"}, {binHandle, "binHandle"}});
  if (!status.ok()) return Report(__func__, status);
  const bool is_alive = Binaries::Get().Visit(
      static_cast<const BinaryData*>(binary), [](const BinaryData&) {});
  return Report(__func__, is_alive ? NotYet() : NoBinary());
}

aclError aclrtBinaryLoadFromData(const void* data, size_t length,
                                 const aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* binHandle) {
  absl::Status status = CheckNotNull({{binHandle, "binHandle"}});
  if (status.ok()) status = CheckData("data", data, length);
  if (status.ok()) status = CheckBinaryOptions(options);
  return Report(__func__, status.ok() ? NotYet() : status);
}
