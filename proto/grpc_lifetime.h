// How long gRPC lives in a process: until the process ends.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_PROTO_GRPC_LIFETIME_H_
#define ASCEND_PROTO_GRPC_LIFETIME_H_

#include <grpc/grpc.h>

namespace ascend::wire {

// Call before gRPC is used. The last user of gRPC would otherwise shut it down,
// which joins a thread that may sit in a poll of ten seconds (gRPC 1.51).
inline void KeepGrpcRunning() {
  static const bool kept = (grpc_init(), true);
  (void)kept;
}

}  // namespace ascend::wire

#endif  // ASCEND_PROTO_GRPC_LIFETIME_H_
