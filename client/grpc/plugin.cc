// The one symbol of libascendcl_grpc.so (client/runtime/transport.h).
#include "client/grpc/grpc_transport.h"
#include "client/runtime/transport.h"
#include "proto/malloc_policy.h"

extern "C" __attribute__((visibility("default"))) ascend::client::Transport*
ascend_rtd_create_transport(uint32_t abi,
                            const ascend::client::TransportOptions* options,
                            ascend::client::TransportSink* sink) {
  if (abi != ascend::client::kTransportAbi) return nullptr;
  ascend::wire::KeepFreedMemory();
  return new ascend::client::GrpcTransport(*options, *sink);
}
