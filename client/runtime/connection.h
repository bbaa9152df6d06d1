// Connection: which daemon this process talks to, and by which transport.
//
// ASCEND_RTD_ADDRESS decides: "unix:PATH" or "HOST:PORT" name a daemon,
// "embedded" asks for a private one. Unset: the daemon at the default socket if
// one answers there, else a private one.
//
// The transport is a plug-in, libascendcl_grpc.so, beside this library or in
// $ASCEND_RTD_HOME/lib64. Its symbols are kept apart from the program's, which
// may have a gRPC or a protobuf of its own.
//
// Threading: functions may be called on any thread. Ownership: the caller gets
// the transport; the plug-in stays loaded for ever.
#ifndef ASCEND_CLIENT_RUNTIME_CONNECTION_H_
#define ASCEND_CLIENT_RUNTIME_CONNECTION_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "client/runtime/private_daemon.h"
#include "client/runtime/transport.h"

namespace ascend::client {

struct Connection {
  std::unique_ptr<PrivateDaemon> daemon;  // null: somebody else's
  std::unique_ptr<Transport> transport;   // not open yet
};

using ConnectionMaker =
    std::function<absl::StatusOr<Connection>(TransportSink* sink)>;

// As described above. Errors: kConnectionLost with what to do.
absl::StatusOr<Connection> MakeDefaultConnection(TransportSink* sink);

// What MakeDefaultConnection makes from now on, e.g. a transport to a machine
// in this process; null restores the default. For tests, before any call.
void SetTransportFactoryForTest(ConnectionMaker maker);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_CONNECTION_H_
