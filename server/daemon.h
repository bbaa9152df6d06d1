// Daemon: ascend-rtd put together: options, log, signals, host, gRPC.
//
// Life: parse; take hold of signals before any thread is there; raise limits;
// make the host; listen; say ready; wait for a signal or the end of the
// lifeline; stop accepting; let the host drain; stop.
//
// Threading: RunDaemon belongs to the main thread, before it has started any
// other. Ownership: owns the host that `make_host` makes.
#ifndef ASCEND_SERVER_DAEMON_H_
#define ASCEND_SERVER_DAEMON_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "server/machine_host.h"
#include "server/options.h"

namespace ascend::server {

using HostFactory = std::function<absl::StatusOr<std::unique_ptr<MachineHost>>(
    MachineHostOptions)>;

// The whole program. The exit code: 0 ended on request, 1 cannot run, 2 bad
// usage.
int RunDaemon(int argc, const char* const* argv, const HostFactory& make_host);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_DAEMON_H_
