// Callbacks of the program at changes of the state of devices and streams.
#include "acl/acl.h"
#include "client/capi/edge.h"

using ascend::client::CheckNotNull;
using ascend::client::ClientRuntime;
using ascend::client::Report;

aclError aclrtRegDeviceStateCallback(const char* regName,
                                     aclrtDeviceStateCallback callback,
                                     void* args) {
  absl::Status status = CheckNotNull({{regName, "regName"}});
  if (status.ok()) {
    status = ClientRuntime::Get().device_callbacks().Register(regName, callback,
                                                              args);
  }
  return Report(__func__, status);
}

aclError aclrtRegStreamStateCallback(const char* regName,
                                     aclrtStreamStateCallback callback,
                                     void* args) {
  absl::Status status = CheckNotNull({{regName, "regName"}});
  if (status.ok()) {
    status = ClientRuntime::Get().stream_callbacks().Register(regName, callback,
                                                              args);
  }
  return Report(__func__, status);
}
