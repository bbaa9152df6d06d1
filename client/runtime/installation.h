// Where the other parts of the installation are.
//
// $ASCEND_RTD_HOME, or, when it is not set, the tree that this library lies in:
// lib64/libascendcl.so has its plug-in beside it and the daemon in ../bin.
//
// Threading: any thread.
#ifndef ASCEND_CLIENT_RUNTIME_INSTALLATION_H_
#define ASCEND_CLIENT_RUNTIME_INSTALLATION_H_

#include <string>

namespace ascend::client {

// The transport plug-in.
std::string PluginPath();

// The daemon's program.
std::string DaemonPath();

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_INSTALLATION_H_
