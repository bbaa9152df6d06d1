#include "tests/integration/rpc/raw_call.h"

#include <grpcpp/impl/codegen/rpc_method.h>

#include <chrono>
#include <vector>

#include "absl/strings/numbers.h"
#include "client/grpc/channel.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "proto/wire.h"

namespace ascend::testing {
namespace {

constexpr std::chrono::seconds kDeadline{30};

std::string TextOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  ASCEND_CHECK(buffer.Dump(&slices).ok());
  std::string text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

}  // namespace

RawCall::RawCall(const std::string& address, const std::string& method) {
  auto dialed = client::DialChannel(address);
  ASCEND_CHECK(dialed.ok()) << dialed.status().ToString();
  channel_ = dialed->channel;
  context_.set_deadline(std::chrono::system_clock::now() + kDeadline);
  stream_.reset(
      grpc::internal::
          ClientReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>::Create(
              channel_.get(),
              grpc::internal::RpcMethod(
                  method.c_str(), grpc::internal::RpcMethod::BIDI_STREAMING),
              &context_));
}

bool RawCall::Send(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return stream_->Write(grpc::ByteBuffer(&slice, 1));
}

bool RawCall::Send(const google::protobuf::MessageLite& message) {
  return Send(message.SerializeAsString());
}

void RawCall::SendNoMore() { stream_->WritesDone(); }

std::optional<std::string> RawCall::Receive() {
  grpc::ByteBuffer buffer;
  if (!stream_->Read(&buffer)) return std::nullopt;
  return TextOf(buffer);
}

absl::Status RawCall::Finish() {
  while (Receive().has_value()) {
  }
  const grpc::Status status = stream_->Finish();
  const auto& trailers = context_.GetServerTrailingMetadata();
  const auto reason = trailers.find(wire::kReasonMetadataKey);
  int number = 0;
  if (reason != trailers.end() &&
      absl::SimpleAtoi(
          absl::string_view(reason->second.data(), reason->second.size()),
          &number)) {
    return core::MakeError(static_cast<core::Reason>(number),
                           status.error_message());
  }
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      status.error_message());
}

bool RawCall::HasInitialMetadata(const std::string& key) {
  stream_->WaitForInitialMetadata();
  return context_.GetServerInitialMetadata().count(key) > 0;
}

}  // namespace ascend::testing
