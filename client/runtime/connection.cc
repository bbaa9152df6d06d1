#include "client/runtime/connection.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/runtime/installation.h"
#include "client/runtime/log.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/base/unique_fd.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

constexpr char kDefaultSocket[] = "/run/ascend-rtd/ascend-rtd.sock";

ConnectionMaker& MakerForTest() {
  static ConnectionMaker* const maker = new ConnectionMaker();
  return *maker;
}

// Whether a daemon listens at the default socket. An error when one is there
// that this user must not use: a private daemon would hide that.
absl::StatusOr<bool> ProbeDefaultSocket() {
  const core::UniqueFd probe(
      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, kDefaultSocket, sizeof(kDefaultSocket));
  if (connect(probe.get(), reinterpret_cast<sockaddr*>(&address),
              sizeof(address)) == 0) {
    return true;
  }
  // EAGAIN: it is there, and its queue is full.
  if (errno == EAGAIN) return true;
  if (errno == EACCES || errno == EPERM) {
    return MakeError(
        Reason::kConnectionLost,
        absl::StrCat("the daemon's socket ", kDefaultSocket,
                     " refuses this user: ask for access to it, or set "
                     "ASCEND_RTD_ADDRESS=embedded for a private daemon"));
  }
  return false;
}

#ifndef ASCEND_RTD_SANITIZE_BUILD
// Whether the program is linked with the very gRPC library that the plug-in
// needs. Then both must use the program's variables of it: an executable may
// have copies of them, of which the library's own code uses the copies.
bool ProgramHasSameGrpc() {
#ifdef ASCEND_RTD_GRPC_SONAME
  void* const loaded = dlopen(ASCEND_RTD_GRPC_SONAME, RTLD_LAZY | RTLD_NOLOAD);
  if (loaded != nullptr) dlclose(loaded);
  return loaded != nullptr;
#else
  return false;
#endif
}
#endif

absl::StatusOr<void*> LoadPlugin(const std::string& path) {
  int flags = RTLD_NOW | RTLD_LOCAL;
#ifndef ASCEND_RTD_SANITIZE_BUILD  // the sanitizers' run-time refuses the flag
  // The plug-in's gRPC before another that the program may bring along.
  if (!ProgramHasSameGrpc()) flags |= RTLD_DEEPBIND;
#endif
  void* const plugin = dlopen(path.c_str(), flags);
  if (plugin == nullptr) {
    return MakeError(
        Reason::kConnectionLost,
        absl::StrCat("the transport plug-in cannot be loaded: ", dlerror(),
                     "; install it beside libascendcl.so, or set "
                     "ASCEND_RTD_HOME to the directory of the installation"));
  }
  return plugin;
}

absl::StatusOr<std::unique_ptr<Transport>> MakePluginTransport(
    const std::string& address, TransportSink* sink) {
  const std::string path = PluginPath();
  ASCEND_ASSIGN_OR_RETURN(void* const plugin, LoadPlugin(path));
  const auto make = reinterpret_cast<TransportFactory>(
      dlsym(plugin, kTransportFactorySymbol));
  TransportOptions options;
  options.address = address;
  options.client_version = ASCEND_RTD_VERSION;
  options.program = program_invocation_short_name;
  std::unique_ptr<Transport> transport;
  if (make != nullptr) transport.reset(make(kTransportAbi, &options, sink));
  if (transport == nullptr) {
    return MakeError(Reason::kConnectionLost,
                     absl::StrCat("the transport plug-in ", path,
                                  " is not of version ", ASCEND_RTD_VERSION,
                                  " as libascendcl.so is: install both "
                                  "from one build"));
  }
  return transport;
}

}  // namespace

void SetTransportFactoryForTest(ConnectionMaker maker) {
  MakerForTest() = std::move(maker);
}

absl::StatusOr<Connection> MakeDefaultConnection(TransportSink* sink) {
  if (MakerForTest()) return MakerForTest()(sink);
  const char* const variable = std::getenv("ASCEND_RTD_ADDRESS");
  std::string address = variable == nullptr ? "" : variable;
  bool is_private = address == "embedded";
  if (address.empty()) {
    ASCEND_ASSIGN_OR_RETURN(const bool is_served, ProbeDefaultSocket());
    is_private = !is_served;
    address = absl::StrCat("unix:", kDefaultSocket);
  }
  Connection connection;
  if (is_private) {
    ASCEND_ASSIGN_OR_RETURN(connection.daemon, PrivateDaemon::Start());
    address = connection.daemon->address();
  }
  Log(LogLevel::kInfo, absl::StrCat("connecting to ", address));
  ASCEND_ASSIGN_OR_RETURN(connection.transport,
                          MakePluginTransport(address, sink));
  return connection;
}

}  // namespace ascend::client
