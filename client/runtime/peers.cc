// Access of devices to each other's memory.
#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

absl::Status CheckApart(core::DeviceId device, core::DeviceId peer,
                        int64_t number) {
  if (device != peer) return absl::OkStatus();
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("device ", number,
                                " is its own peer, but access is between two "
                                "devices"));
}

}  // namespace

absl::Status ClientRuntime::CheckPeers(int32_t device, int32_t peer) {
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId from, ConnectTo(device));
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId to, ConnectTo(peer));
  return CheckApart(from, to, device);
}

absl::StatusOr<bool> ClientRuntime::IsPeerAccessEnabled(int32_t device,
                                                        int32_t peer) {
  ASCEND_RETURN_IF_ERROR(CheckPeers(device, peer));
  core::MutexLock lock(order_mutex_);
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId from, FindDevice(device));
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId to, FindDevice(peer));
  return devices_[from].peers.contains(to);
}

absl::Status ClientRuntime::EnablePeerAccess(int32_t peer, bool is_enabled) {
  ASCEND_RETURN_IF_ERROR(Enter());
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  ASCEND_ASSIGN_OR_RETURN(const Context* const context, FindCurrentContext());
  ASCEND_ASSIGN_OR_RETURN(const core::DeviceId to, FindDevice(peer));
  ASCEND_RETURN_IF_ERROR(CheckApart(context->device, to, peer));
  DeviceState& state = devices_[context->device];
  if (is_enabled) {
    state.peers.insert(to);
  } else if (state.peers.erase(to) == 0) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("access from the current device to device ",
                                  peer, " is not enabled"));
  }
  return absl::OkStatus();
}

}  // namespace ascend::client
