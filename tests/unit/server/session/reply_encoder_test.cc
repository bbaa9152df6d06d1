#include "server/session/reply_encoder.h"

#include <memory>
#include <string>
#include <utility>

#include "ascend/rtd/v1/session.pb.h"
#include "core/base/error.h"
#include "gtest/gtest.h"

namespace ascend::server {
namespace {

// What bounds the daemon's memory must not be less than what it bounds.
void ExpectCounted(const EventFrame& frame) {
  EXPECT_GE(frame.memory_bytes(), frame.message().ByteSizeLong());
}

core::Reply ReplyWith(core::ReplyPayload payload) {
  core::Reply reply;
  reply.ticket = core::Ticket(~uint64_t{0});
  reply.tick = core::kTickMax;
  reply.payload = std::move(payload);
  return reply;
}

TEST(EventFrameTest, APackageCountsWithItsKernels) {
  core::PackageReply package;
  for (uint32_t i = 0; i < 100; ++i) {
    package.kernels.push_back({i, std::string(i, 'k'), uint64_t{1} << 40});
  }
  EventFrame frame;
  frame.AddReply(ReplyWith(std::move(package)));
  ExpectCounted(frame);
}

TEST(EventFrameTest, SentencesCount) {
  const absl::Status status =
      core::MakeError(core::Reason::kInternal, std::string(5000, 's'));
  core::Reply failed;
  failed.status = status;
  EventFrame frame;
  frame.AddReply(failed);
  ExpectCounted(frame);
  EventFrame last;
  last.AddEnded(status);
  ExpectCounted(last);
}

TEST(EventFrameTest, BytesCount) {
  EventFrame frame;
  frame.AddHostData(core::Ticket(1), std::string(70'000, 'b'));
  ExpectCounted(frame);
}

TEST(EventFrameTest, AHelloCountsWithItsDevices) {
  auto hello = std::make_unique<rtd::v1::HelloReply>();
  core::MachineOptions machine;
  machine.spec = core::Ascend910Spec();
  machine.device_count = 64;
  EncodeMachine(machine, hello.get());
  EventFrame frame;
  frame.AddHello(std::move(hello));
  ExpectCounted(frame);
}

TEST(EventFrameTest, ManySmallEventsCount) {
  EventFrame frame;
  for (uint64_t i = 0; i < 100; ++i) {
    frame.AddReply(ReplyWith(core::EventReply{true, true, core::kTickMax}));
    frame.AddReply(ReplyWith(core::MemInfoReply{~uint64_t{0}, ~uint64_t{0}}));
    frame.AddReply(ReplyWith(
        core::ClockReply{~0u, ~0u, core::kTickMax, ~uint64_t{0}, ~uint64_t{0},
                         ~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0}}));
    frame.AddTransferDue(core::Ticket(~i));
    frame.AddHostFunctionDue(core::Ticket(~i), core::kTickMax);
    frame.AddProgress(core::StreamHandle{1, 1}, ~i);
    frame.AddProgress(core::StreamHandle{2, 1}, ~i);
  }
  ExpectCounted(frame);
}

TEST(EventFrameTest, ALaterCountOfAStreamTakesThePlaceOfTheLast) {
  EventFrame frame;
  frame.AddProgress(core::StreamHandle{1, 1}, 1);
  frame.AddProgress(core::StreamHandle{1, 1}, 2);
  ASSERT_EQ(frame.message().events_size(), 1);
  EXPECT_EQ(frame.message().events(0).progress().retired(), 2u);
}

}  // namespace
}  // namespace ascend::server
