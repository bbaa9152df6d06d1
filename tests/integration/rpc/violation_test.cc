// What no client of ours sends ends its session, is counted, and harms nobody
// else. One daemon takes all of it.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/command/command.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire.h"
#include "tests/integration/rpc/raw_session.h"
#include "tests/testing/daemon_process.h"
#include "tests/testing/operator_view.h"

namespace ascend {
namespace {

namespace pb = ::ascend::rtd::v1;
using core::Reason;
using testing::DaemonProcess;
using testing::HandleBits;
using ::testing::HasSubstr;
using testing::HelloFrame;
using testing::InfoOf;
using testing::RawCall;
using testing::RawSession;

constexpr uint64_t kMiB = 1 << 20;

std::string MessageOf(const absl::Status& status) {
  return std::string(status.message());
}

class ViolationBase {
 protected:
  static void StartDaemon() {
    daemon_ = new DaemonProcess(ASCEND_TEST_DAEMON);
    bystander_ = new RawSession(daemon_->unix_address());
    bystander_->Start("bystander");
  }
  static void EndDaemon() {
    EXPECT_TRUE(bystander_->IsAlive());
    delete bystander_;
    EXPECT_EQ(daemon_->Terminate(), 0) << daemon_->Log();
    delete daemon_;
  }

  // Exactly one more than `before` is counted, and the bystander goes on.
  static void ExpectOneCounted(uint64_t before) {
    EXPECT_EQ(Violations(), before + 1);
    EXPECT_TRUE(bystander_->IsAlive());
  }
  static uint64_t Violations() {
    return InfoOf(daemon_->unix_address()).protocol_violations();
  }
  static const std::string& address() { return daemon_->unix_address(); }

 private:
  static DaemonProcess* daemon_;
  static RawSession* bystander_;
};

DaemonProcess* ViolationBase::daemon_ = nullptr;
RawSession* ViolationBase::bystander_ = nullptr;

// --- On the session stream --------------------------------------------------

struct Case {
  std::string name;
  std::function<void(RawSession&)> send;
  std::string says;
};

class Violation : public ::testing::TestWithParam<Case>, public ViolationBase {
 protected:
  static void SetUpTestSuite() { StartDaemon(); }
  static void TearDownTestSuite() { EndDaemon(); }
};

TEST_P(Violation, EndsThatSessionAloneAndIsCounted) {
  const uint64_t before = Violations();
  RawSession session(address());
  session.Start();
  GetParam().send(session);
  const std::optional<absl::Status> ended = session.AwaitEnded();
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(core::ReasonOf(*ended), Reason::kProtocolViolation);
  EXPECT_THAT(MessageOf(*ended), HasSubstr(GetParam().says));
  const absl::Status status = session.call().Finish();
  EXPECT_EQ(core::ReasonOf(status), Reason::kProtocolViolation);
  ExpectOneCounted(before);
}

// A case that sends one command, filled in by `fill`.
Case Command(std::string name, std::function<void(pb::Command&)> fill,
             std::string says) {
  return Case{std::move(name),
              [fill = std::move(fill)](RawSession& session) {
                fill(*session.Next());
                session.Send();
              },
              std::move(says)};
}

std::vector<Case> TicketCases() {
  return {
      Command(
          "TicketRepeats",
          [](pb::Command& command) {
            command.set_ticket(command.ticket() - 1);
            command.mutable_mem_info();
          },
          "ticket 1 follows ticket 1"),
      Command(
          "TicketIsLeftOut",
          [](pb::Command& command) {
            command.set_ticket(command.ticket() + 1);
            command.mutable_mem_info();
          },
          "ticket 3 follows ticket 1"),
      Case{"TicketsChangePlaces",
           [](RawSession& session) {
             pb::Command* first = session.Next();
             pb::Command* second = session.Next();
             first->mutable_mem_info();
             second->mutable_mem_info();
             first->set_ticket(second->ticket());
             second->set_ticket(first->ticket() - 1);
             session.Send();
           },
           "ticket 3 follows ticket 1"},
      Command(
          "TicketIsZero",
          [](pb::Command& command) {
            command.set_ticket(0);
            command.mutable_mem_info();
          },
          "ticket is 0"),
      Command(
          "LaneIsTooHigh",
          [](pb::Command& command) {
            command.set_lane(1 << 20);
            command.mutable_mem_info();
          },
          "lane is 1048576"),
      Command(
          "StampIsNegative",
          [](pb::Command& command) {
            command.set_stamp(-1);
            command.mutable_mem_info();
          },
          "stamp is -1"),
  };
}

std::vector<Case> FrameCases() {
  return {
      Case{"BatchIsTooLong",
           [](RawSession& session) {
             for (size_t i = 0; i <= wire::kCommandsPerBatchMax; ++i) {
               session.Next()->mutable_mem_info();
             }
             session.Send();
           },
           "batch has 4097 commands"},
      Case{"FrameIsTooLarge",
           [](RawSession& session) {
             session.call().Send(
                 std::string(wire::kClientFrameBytesMax + 1, '\0'));
           },
           "frame has 524289 bytes"},
      Case{"Garbage",
           [](RawSession& session) { session.call().Send("\xff\xfe\xfd"); },
           "is no ClientFrame"},
      Case{"TruncatedFrame",
           [](RawSession& session) {
             pb::ClientFrame frame;
             frame.mutable_batch()->add_commands()->set_ticket(2);
             std::string bytes = frame.SerializeAsString();
             bytes.pop_back();
             session.call().Send(bytes);
           },
           "is no ClientFrame"},
      Case{"EmptyFrame", [](RawSession& session) { session.call().Send(""); },
           "frame is empty"},
      Case{"SecondHello",
           [](RawSession& session) { session.call().Send(HelloFrame("raw")); },
           "says Hello twice"},
      Case{"AcknowledgementOfNoCopy",
           [](RawSession& session) {
             pb::ClientFrame frame;
             frame.mutable_download_done()->set_ticket(1);
             session.call().Send(frame);
           },
           "an acknowledgement of ticket 1"},
  };
}

std::vector<Case> OperationCases() {
  return {
      // No bit of the message says what to do: of a newer client, or zeros.
      Command(
          "OperationIsUnknown", [](pb::Command&) {}, "no operation"),
      Command(
          "CopyKindIsUnknown",
          [](pb::Command& command) {
            command.mutable_copy()->set_kind(static_cast<pb::Copy::Kind>(77));
          },
          "kind is 77"),
      Command(
          "WaitTargetIsUnknown",
          [](pb::Command& command) {
            command.mutable_synchronize()->set_target(
                static_cast<pb::Synchronize::Target>(99));
          },
          "target is 99"),
      Command(
          "HandleIsNull",
          [](pb::Command& command) { command.mutable_launch(); },
          "stream is 0, which is no handle"),
      Command(
          "HandleIsNotLive",
          [](pb::Command& command) {
            command.mutable_launch()->set_stream(HandleBits(5));
          },
          "stream"),
      Command(
          "StreamIsMadeTwice",
          [](pb::Command& command) {
            command.mutable_create_stream()->set_stream(HandleBits(0));
            command.mutable_create_stream()->set_context(HandleBits(0));
          },
          "stream"),
      Command(
          "EventIsNotLive",
          [](pb::Command& command) {
            command.mutable_destroy_event()->set_event(HandleBits(9));
          },
          "event"),
      Command(
          "PriorityIsTooHigh",
          [](pb::Command& command) {
            command.mutable_create_stream()->set_stream(HandleBits(1));
            command.mutable_create_stream()->set_context(HandleBits(0));
            command.mutable_create_stream()->set_priority(8);
          },
          "priority is 8"),
      Command(
          "FreeOfNothing",
          [](pb::Command& command) {
            command.mutable_free()->set_address(4096);
          },
          "free"),
      Command(
          "ArgumentsAreTooLong",
          [](pb::Command& command) {
            command.mutable_launch()->set_stream(HandleBits(0));
            command.mutable_launch()->set_args(
                std::string(core::kLaunchArgsBytesMax + 1, 'x'));
          },
          "arguments have 8193 bytes"),
      Command(
          "InlineBytesAreTooFew",
          [](pb::Command& command) {
            command.mutable_copy()->set_kind(pb::Copy::KIND_HOST_TO_DEVICE);
            command.mutable_copy()->set_bytes(3);
            command.mutable_copy()->set_inline_data("ab");
          },
          "copy of 3 bytes carries 2 inline"),
      Command(
          "DeviceIsNotThere",
          [](pb::Command& command) {
            command.mutable_create_event()->set_event(HandleBits(0));
            command.mutable_create_event()->set_device(9);
          },
          "device 9"),
      Command(
          "KernelIsNotThere",
          [](pb::Command& command) {
            command.mutable_launch()->set_stream(HandleBits(0));
            command.mutable_launch()->set_kernel(12345);
            command.mutable_launch()->set_num_blocks(1);
          },
          "kernel"),
  };
}

std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Ticket, Violation, ::testing::ValuesIn(TicketCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Frame, Violation, ::testing::ValuesIn(FrameCases()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Operation, Violation,
                         ::testing::ValuesIn(OperationCases()), NameOf);

class HugeFrame : public ::testing::Test, public ViolationBase {
 protected:
  static void SetUpTestSuite() { StartDaemon(); }
  static void TearDownTestSuite() { EndDaemon(); }
};

// More than gRPC takes in: it ends the call itself, and nobody can tell that
// from a client that is gone, so it is not counted.
TEST_F(HugeFrame, EndsThatSessionAlone) {
  RawSession session(address());
  session.Start();
  session.call().Send(std::string(2 * wire::kMessageBytesMax, '\0'));
  EXPECT_FALSE(session.AwaitEnded().has_value());
  EXPECT_EQ(session.call().Finish().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(testing::AwaitOperator<pb::GetInfoReply>(
      InfoOf, address(),
      [](const pb::GetInfoReply& info) { return info.session_count() == 1; }));
}

// --- Before there is a session ----------------------------------------------

class BeforeHello : public ::testing::Test, public ViolationBase {
 protected:
  static void SetUpTestSuite() { StartDaemon(); }
  static void TearDownTestSuite() { EndDaemon(); }

  static void ExpectRefused(const std::string& first_frame,
                            const std::string& says) {
    const uint64_t before = Violations();
    RawCall call(address(), testing::kSessionMethod);
    ASSERT_TRUE(call.Send(first_frame));
    const absl::Status status = call.Finish();
    EXPECT_EQ(core::ReasonOf(status), Reason::kProtocolViolation);
    EXPECT_THAT(MessageOf(status), HasSubstr(says));
    ExpectOneCounted(before);
  }
};

TEST_F(BeforeHello, CommandsAreRefused) {
  pb::ClientFrame frame;
  pb::Command* command = frame.mutable_batch()->add_commands();
  command->set_ticket(1);
  command->mutable_mem_info();
  ExpectRefused(frame.SerializeAsString(), "is not Hello");
}

TEST_F(BeforeHello, GoodbyeIsRefused) {
  pb::ClientFrame frame;
  frame.mutable_goodbye();
  ExpectRefused(frame.SerializeAsString(), "is not Hello");
}

TEST_F(BeforeHello, GarbageIsRefused) {
  ExpectRefused("\xff\xff", "is no ClientFrame");
}

TEST_F(BeforeHello, ACallThatSaysNothingIsNoViolation) {
  const uint64_t before = Violations();
  RawCall call(address(), testing::kSessionMethod);
  call.SendNoMore();
  EXPECT_TRUE(call.Finish().ok());
  EXPECT_EQ(Violations(), before);
}

// A program and a daemon of different releases: nobody's fault.
TEST_F(BeforeHello, AnotherProtocolVersionIsToldWhatToDo) {
  const uint64_t before = Violations();
  pb::ClientFrame hello = HelloFrame("old");
  hello.mutable_hello()->set_protocol_version(wire::kProtocolVersion + 1);
  RawCall call(address(), testing::kSessionMethod);
  ASSERT_TRUE(call.Send(hello));
  const absl::Status status = call.Finish();
  EXPECT_EQ(core::ReasonOf(status), Reason::kConnectionLost);
  EXPECT_THAT(MessageOf(status),
              HasSubstr(absl::StrCat("client test speaks protocol version ",
                                     wire::kProtocolVersion + 1)));
  EXPECT_THAT(MessageOf(status), HasSubstr("install both from one release"));
  EXPECT_EQ(Violations(), before);
}

// --- On the transfer stream -------------------------------------------------

class TransferViolation : public ::testing::Test, public ViolationBase {
 protected:
  static void SetUpTestSuite() { StartDaemon(); }
  static void TearDownTestSuite() { EndDaemon(); }

  static pb::TransferFrame Chunk(uint64_t ticket, uint64_t offset,
                                 size_t bytes) {
    pb::TransferFrame frame;
    frame.mutable_chunk()->set_ticket(ticket);
    frame.mutable_chunk()->set_offset(offset);
    frame.mutable_chunk()->set_data(std::string(bytes, 'x'));
    return frame;
  }

  // In the middle of an upload of 3 MiB, of which the first has been sent, the
  // client sends what `frame_of` makes of the upload's ticket.
  static void ExpectEnds(
      const std::function<std::string(uint64_t ticket)>& frame_of,
      const std::string& says) {
    const uint64_t before = Violations();
    RawSession session(address());
    session.Start();
    const auto transfer = session.OpenTransfer();
    const uint64_t ticket =
        session.BeginUpload(session.Malloc(3 * kMiB), 3 * kMiB);
    ASSERT_TRUE(transfer->Send(Chunk(ticket, 0, kMiB)));
    transfer->Send(frame_of(ticket));
    const std::optional<absl::Status> ended = session.AwaitEnded();
    ASSERT_TRUE(ended.has_value());
    EXPECT_EQ(core::ReasonOf(*ended), Reason::kProtocolViolation);
    EXPECT_THAT(MessageOf(*ended), HasSubstr(says));
    (void)transfer->Finish();  // it ends too
    ExpectOneCounted(before);
  }
  static void ExpectEnds(pb::TransferFrame (*frame_of)(uint64_t ticket),
                         const std::string& says) {
    ExpectEnds(
        [frame_of](uint64_t ticket) {
          return frame_of(ticket).SerializeAsString();
        },
        says);
  }
};

TEST_F(TransferViolation, AChunkOutOfOrder) {
  ExpectEnds([](uint64_t ticket) { return Chunk(ticket, 2 * kMiB, kMiB); },
             "at offset 2097152");
}

TEST_F(TransferViolation, AChunkThatRepeats) {
  ExpectEnds([](uint64_t ticket) { return Chunk(ticket, 0, kMiB); },
             "at offset 0");
}

TEST_F(TransferViolation, AChunkPastTheEnd) {
  ExpectEnds(
      [](uint64_t ticket) {
        pb::TransferFrame frame = Chunk(ticket, kMiB, kMiB);
        frame.mutable_chunk()->set_offset(~uint64_t{0});
        return frame;
      },
      "ends past 2^64");
}

TEST_F(TransferViolation, AChunkOfNoCopy) {
  ExpectEnds([](uint64_t ticket) { return Chunk(ticket + 7, 0, 1); },
             "names no such copy");
}

TEST_F(TransferViolation, AChunkOfNothing) {
  ExpectEnds([](uint64_t ticket) { return Chunk(ticket, kMiB, 0); },
             "has 0 bytes");
}

TEST_F(TransferViolation, AChunkThatIsTooLarge) {
  ExpectEnds([](uint64_t ticket) { return Chunk(ticket, kMiB, kMiB + 1); },
             "has 1048577 bytes");
}

TEST_F(TransferViolation, AFailureOfNoCopy) {
  ExpectEnds(
      [](uint64_t ticket) {
        pb::TransferFrame frame;
        frame.mutable_failed()->set_ticket(ticket + 7);
        return frame;
      },
      "names no such copy");
}

TEST_F(TransferViolation, ASecondOpen) {
  ExpectEnds(
      [](uint64_t) {
        pb::TransferFrame frame;
        frame.mutable_open()->set_session(1);
        return frame;
      },
      "opened twice");
}

TEST_F(TransferViolation, Garbage) {
  ExpectEnds([](uint64_t) { return std::string("\xff\xff"); },
             "is no TransferFrame");
}

TEST_F(TransferViolation, BytesBeforeTheOpen) {
  const uint64_t before = Violations();
  RawCall call(address(), testing::kTransferMethod);
  ASSERT_TRUE(call.Send(Chunk(1, 0, 1)));
  EXPECT_THAT(MessageOf(call.Finish()), HasSubstr("is not an open"));
  ExpectOneCounted(before);
}

TEST_F(TransferViolation, AWrongTokenOpensNothing) {
  RawSession session(address());
  session.Start();
  for (const uint64_t number : {session.hello().session(), uint64_t{4711}}) {
    RawCall call(address(), testing::kTransferMethod);
    pb::TransferFrame frame;
    frame.mutable_open()->set_session(number);
    frame.mutable_open()->set_token(std::string(16, '\0'));
    ASSERT_TRUE(call.Send(frame));
    const absl::Status status = call.Finish();
    EXPECT_EQ(core::ReasonOf(status), Reason::kInvalidArgument);
    EXPECT_THAT(MessageOf(status), HasSubstr("with this token"));
  }
  EXPECT_TRUE(session.IsAlive());
}

TEST_F(TransferViolation, ASecondStreamIsRefusedAndTheFirstGoesOn) {
  RawSession session(address());
  session.Start();
  const auto transfer = session.OpenTransfer();
  RawCall second(address(), testing::kTransferMethod);
  pb::TransferFrame frame;
  frame.mutable_open()->set_session(session.hello().session());
  frame.mutable_open()->set_token(session.hello().token());
  ASSERT_TRUE(second.Send(frame));
  EXPECT_THAT(MessageOf(second.Finish()),
              HasSubstr("has a transfer stream already"));
  const uint64_t ticket = session.BeginUpload(session.Malloc(kMiB), kMiB);
  ASSERT_TRUE(transfer->Send(Chunk(ticket, 0, kMiB)));
  const pb::ServerEvent event = session.Await([ticket](const auto& candidate) {
    return candidate.reply().ticket() == ticket;
  });
  EXPECT_FALSE(event.reply().has_error()) << event.reply().error().message();
}

}  // namespace
}  // namespace ascend
