#include "tests/integration/rpc/raw_session.h"

#include <unistd.h>

#include "client/grpc/reply_decoder.h"
#include "core/base/check.h"
#include "proto/wire.h"

namespace ascend::testing {

namespace pb = ::ascend::rtd::v1;

const char kSessionMethod[] = "/ascend.rtd.v1.Runtime/OpenSession";
const char kTransferMethod[] = "/ascend.rtd.v1.Transfer/Transfer";

pb::ClientFrame HelloFrame(const std::string& program) {
  pb::ClientFrame frame;
  frame.mutable_hello()->set_protocol_version(wire::kProtocolVersion);
  frame.mutable_hello()->set_client_version("test");
  frame.mutable_hello()->set_pid(::getpid());
  frame.mutable_hello()->set_program(program);
  return frame;
}

RawSession::RawSession(const std::string& address)
    : address_(address), call_(address, kSessionMethod) {}

void RawSession::Start(const std::string& program) {
  ASCEND_CHECK(call_.Send(HelloFrame(program)));
  hello_ = Await([](const auto& event) { return event.has_hello(); }).hello();
  pb::CreateContext* context = Next()->mutable_create_context();
  context->set_context(HandleBits(0));
  context->set_default_stream(HandleBits(0));
  ASCEND_CHECK(!Ask().has_error());
}

pb::Command* RawSession::Next() {
  pb::Command* command = frame_.mutable_batch()->add_commands();
  command->set_ticket(++last_ticket_);
  return command;
}

bool RawSession::Send() {
  const bool is_sent = call_.Send(frame_);
  frame_.Clear();
  return is_sent;
}

pb::Reply RawSession::Ask() {
  Send();
  return Await([this](const auto& event) {
           return event.reply().ticket() == last_ticket_;
         })
      .reply();
}

pb::ServerEvent RawSession::Await(
    const std::function<bool(const pb::ServerEvent&)>& is_it) {
  for (;;) {
    const std::optional<pb::ServerEvent> event = NextEvent();
    ASCEND_CHECK(event.has_value() && !event->has_ended())
        << "the session ends: "
        << (event.has_value() ? event->ended().error().message()
                              : call_.Finish().ToString());
    if (is_it(*event)) return *event;
  }
}

std::optional<pb::ServerEvent> RawSession::NextEvent() {
  while (next_event_ == incoming_.events_size()) {
    const std::optional<std::string> bytes = call_.Receive();
    if (!bytes.has_value()) return std::nullopt;
    ASCEND_CHECK(incoming_.ParseFromString(*bytes));
    next_event_ = 0;
  }
  return incoming_.events(next_event_++);
}

uint64_t RawSession::Malloc(uint64_t bytes) {
  Next()->mutable_malloc()->set_bytes(bytes);
  const pb::Reply reply = Ask();
  ASCEND_CHECK(!reply.has_error()) << reply.error().message();
  return reply.malloc().address();
}

bool RawSession::IsAlive() {
  Next()->mutable_mem_info();
  return Ask().mem_info().total_bytes() > 0;
}

std::optional<absl::Status> RawSession::AwaitEnded() {
  while (const std::optional<pb::ServerEvent> event = NextEvent()) {
    if (event->has_ended()) return client::DecodeError(event->ended().error());
  }
  return std::nullopt;
}

std::unique_ptr<RawCall> RawSession::OpenTransfer() {
  auto transfer = std::make_unique<RawCall>(address_, kTransferMethod);
  pb::TransferFrame frame;
  frame.mutable_open()->set_session(hello_.session());
  frame.mutable_open()->set_token(hello_.token());
  ASCEND_CHECK(transfer->Send(frame));
  ASCEND_CHECK(transfer->HasInitialMetadata(wire::kAcceptedMetadataKey));
  return transfer;
}

uint64_t RawSession::BeginUpload(uint64_t address, uint64_t bytes) {
  pb::Copy* copy = Next()->mutable_copy();
  copy->set_kind(pb::Copy::KIND_HOST_TO_DEVICE);
  copy->set_target(address);
  copy->set_bytes(bytes);
  copy->set_wants_reply(true);
  const uint64_t ticket = last_ticket_;
  Send();
  Await([ticket](const auto& event) {
    return event.transfer_due().ticket() == ticket;
  });
  return ticket;
}

}  // namespace ascend::testing
