// A gRPC call that nobody answers, a device, and the gRPC call again.
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <cstdio>

#include "acl/acl.h"

namespace {

bool CallFails() {
  grpc::GenericStub stub(grpc::CreateChannel(
      "unix:/nonexistent", grpc::InsecureChannelCredentials()));
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(20));
  const auto call = stub.PrepareUnaryCall(&context, "/none/Call",
                                          grpc::ByteBuffer(nullptr, 0), &queue);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  return queue.Next(&tag, &ok) &&
         status.error_code() == grpc::StatusCode::UNAVAILABLE;
}

}  // namespace

int main() {
  if (!CallFails()) return 1;
  void* memory = nullptr;
  if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
      aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
      aclrtFree(memory) != ACL_SUCCESS || aclrtResetDevice(0) != ACL_SUCCESS ||
      aclFinalize() != ACL_SUCCESS) {
    const char* const message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s\n", message == nullptr ? "" : message);
    return 1;
  }
  return CallFails() ? 0 : 1;
}
