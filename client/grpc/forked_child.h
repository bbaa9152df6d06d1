// What a child of fork must not keep: the sockets of its parent's session.
//
// A session ends when its connection does, and a connection lasts until every
// copy of its socket is closed. A child that outlives its parent would keep
// the parent's memory, streams and events alive on the device, though it can
// use none of it.
//
// Threading: any thread. Ownership: the socket stays the caller's; gRPC may
// close it at any time.
#ifndef ASCEND_CLIENT_GRPC_FORKED_CHILD_H_
#define ASCEND_CLIENT_GRPC_FORKED_CHILD_H_

namespace ascend::client {

// Children that are forked from now on close `socket` first of all.
void CloseInForkedChild(int socket);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_GRPC_FORKED_CHILD_H_
