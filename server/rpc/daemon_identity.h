// DaemonIdentity: what a daemon says of itself to clients and operators.
//
// Threading: value type. Ownership: none.
#ifndef ASCEND_SERVER_RPC_DAEMON_IDENTITY_H_
#define ASCEND_SERVER_RPC_DAEMON_IDENTITY_H_

#include <string>

namespace ascend::server {

struct DaemonIdentity {
  std::string version;
  std::string daemon_id;  // differs from every other daemon's
  std::string clock_mode;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_DAEMON_IDENTITY_H_
