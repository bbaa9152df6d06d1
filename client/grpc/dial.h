// Dial: a connected socket to a daemon, or a sentence that says what to do.
//
// gRPC could connect by itself, but then nobody would learn why it failed, it
// would try again behind our back, and it would ask proxies and resolvers. A
// session never reconnects, so its socket is made here, once.
//
// Threading: any thread. Ownership: the caller owns the socket.
#ifndef ASCEND_CLIENT_GRPC_DIAL_H_
#define ASCEND_CLIENT_GRPC_DIAL_H_

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/unique_fd.h"

namespace ascend::client {

// How long connecting, and then the daemon's first answer, may take.
inline constexpr std::chrono::milliseconds kAttachTimeout{5000};

// `address` is "unix:PATH", "HOST:PORT" or "[IPV6]:PORT". Errors:
// kConnectionLost.
absl::StatusOr<core::UniqueFd> Dial(absl::string_view address);

// kConnectionLost: nothing that is an ascend-rtd answers at `address`, for the
// reason `detail`; with what to do about it.
absl::Status NoDaemonError(absl::string_view address, absl::string_view detail);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_GRPC_DIAL_H_
