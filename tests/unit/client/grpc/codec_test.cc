// Both ends of the wire against each other: what the client's encoder writes,
// the daemon's decoder reads, and back.
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ascend/rtd/v1/session.pb.h"
#include "client/grpc/command_encoder.h"
#include "client/grpc/reply_decoder.h"
#include "core/base/error.h"
#include "gmock/gmock.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "gtest/gtest.h"
#include "proto/wire.h"
#include "server/session/command_decoder.h"
#include "server/session/reply_encoder.h"
#include "server/session/status_codec.h"
#include "tests/testing/random_command.h"

namespace ascend {
namespace {

using ::testing::ElementsAre;

std::string Encode(const core::Command& command) {
  client::CommandBatch batch;
  batch.Append(command);
  return batch.frame().SerializeAsString();
}

absl::StatusOr<server::ClientFrame> Decode(const std::string& bytes) {
  google::protobuf::io::ArrayInputStream input(bytes.data(),
                                               static_cast<int>(bytes.size()));
  return server::DecodeClientFrame(input, bytes.size());
}

TEST(Codec, EveryCommandArrivesAsItWasSent) {
  constexpr uint64_t kSeed = 20240607;
  SCOPED_TRACE(kSeed);
  testing::RandomCommand random(kSeed);
  size_t kinds_seen = 0;
  for (int i = 0; i < 5000; ++i) {
    const core::Command sent = random.Next();
    kinds_seen |= size_t{1} << sent.operation.index();
    const std::string bytes = Encode(sent);
    auto frame = Decode(bytes);
    ASSERT_TRUE(frame.ok())
        << core::OperationName(sent.operation) << ": " << frame.status();
    const auto& arrived = std::get<std::vector<core::Command>>(*frame);
    ASSERT_EQ(arrived.size(), 1u);
    ASSERT_EQ(arrived[0].operation.index(), sent.operation.index());
    // The encoding is a function of the command, so equal bytes are equal
    // commands.
    ASSERT_EQ(Encode(arrived[0]), bytes) << core::OperationName(sent.operation);
  }
  EXPECT_EQ(kinds_seen, (size_t{1} << std::variant_size_v<core::Operation>)-1);
}

TEST(Codec, AFullBatchIsLegal) {
  client::CommandBatch batch;
  uint64_t ticket = 0;
  while (!batch.is_full()) {
    batch.Append(core::Command{
        .ticket = core::Ticket(++ticket),
        .operation = core::Copy{
            .bytes = core::kInlineBytesMax,
            .inline_data = std::string(core::kInlineBytesMax, 'x')}});
  }
  EXPECT_TRUE(Decode(batch.frame().SerializeAsString()).ok());
  batch.Clear();
  EXPECT_TRUE(batch.empty());
  while (!batch.is_full()) {
    batch.Append(core::Command{.ticket = core::Ticket(++ticket),
                               .operation = core::Free{.address = 1}});
  }
  EXPECT_TRUE(Decode(batch.frame().SerializeAsString()).ok());
}

// Writes down what it is told.
class Recorder final : public client::TransportSink {
 public:
  bool IsAwaited() override { return true; }
  void OnReply(core::Reply reply) override {
    log.push_back("reply " + std::to_string(reply.ticket.value()));
    replies.push_back(std::move(reply));
  }
  void OnHostData(core::Ticket ticket, uint64_t offset,
                  std::span<const std::byte> bytes) override {
    log.push_back(
        "data " + std::to_string(ticket.value()) + " at " +
        std::to_string(offset) + ": " +
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  void OnHostDataFailed(core::Ticket ticket, absl::Status why) override {
    log.push_back("failed " + std::to_string(ticket.value()) + ": " +
                  std::string(why.message()));
  }
  void OnTransferDue(core::Ticket ticket) override {
    log.push_back("due " + std::to_string(ticket.value()));
  }
  void OnStreamProgress(core::StreamHandle stream, uint64_t retired) override {
    log.push_back("progress " + std::to_string(stream.index) + " " +
                  std::to_string(retired));
  }
  void OnHostFunctionDue(core::Ticket ticket, core::Tick tick) override {
    log.push_back("function " + std::to_string(ticket.value()) + " at " +
                  std::to_string(tick));
  }
  void OnTaskFailed(core::TaskFailure failure) override {
    log.push_back("failed " + std::to_string(failure.stream.index) + " " +
                  std::to_string(failure.lane.value()) + " " +
                  std::to_string(failure.task) + " " +
                  std::string(failure.status.message()) +
                  (failure.stops_context ? " stops" : ""));
  }
  void OnLost(absl::Status) override {}

  std::vector<std::string> log;
  std::vector<core::Reply> replies;
};

TEST(Codec, EventsArriveInOrderAndProgressOfOneStreamMerges) {
  server::EventFrame frame;
  EXPECT_TRUE(frame.empty());
  const core::StreamHandle a{.index = 1, .generation = 1};
  const core::StreamHandle b{.index = 2, .generation = 1};
  frame.AddProgress(a, 1);
  frame.AddProgress(a, 2);
  frame.AddProgress(b, 1);
  frame.AddProgress(a, 3);
  frame.AddHostData(core::Ticket(5), "hi");
  frame.AddReply(core::Reply{.ticket = core::Ticket(5)});
  frame.AddTransferDue(core::Ticket(6));
  frame.AddHostFunctionDue(core::Ticket(9), 70);
  frame.AddTaskFailed(
      {.stream = b,
       .lane = core::LaneId(4),
       .task = 12,
       .status = core::MakeError(core::Reason::kVectorFault, "bad"),
       .stops_context = true});
  rtd::v1::ServerFrame message = frame.message();
  Recorder recorder;
  EXPECT_TRUE(client::DeliverEvents(message, recorder).ok());
  EXPECT_THAT(recorder.log,
              ElementsAre("progress 1 2", "progress 2 1", "progress 1 3",
                          "data 5 at 0: hi", "reply 5", "due 6",
                          "function 9 at 70", "failed 2 4 12 bad stops"));
}

TEST(Codec, RepliesCarryPayloadOrError) {
  server::EventFrame frame;
  frame.AddReply(core::Reply{.ticket = core::Ticket(1),
                             .lane = core::LaneId(8),
                             .tick = 99,
                             .payload = core::MallocReply{.address = 7}});
  frame.AddReply(core::Reply{
      .payload = core::MemInfoReply{.free_bytes = 1, .total_bytes = 2}});
  frame.AddReply(core::Reply{.payload = core::QueryReply{.complete = true}});
  frame.AddReply(core::Reply{
      .payload = core::EventReply{.recorded = true, .record_tick = 5}});
  frame.AddReply(core::Reply{
      .payload = core::PackageReply{
          .kernels = {{.id = 3, .name = "add", .args_bytes = 40}}}});
  frame.AddReply(core::Reply{
      .status = core::MakeError(core::Reason::kOutOfDeviceMemory, "full")});
  frame.AddReply(core::Reply{
      .payload = core::UtilizationReply{.cube_percent = 3, .aiv_percent = 4}});
  rtd::v1::ServerFrame message = frame.message();
  Recorder recorder;
  ASSERT_TRUE(client::DeliverEvents(message, recorder).ok());
  const std::vector<core::Reply>& replies = recorder.replies;
  ASSERT_EQ(replies.size(), 7u);
  const auto& busy = std::get<core::UtilizationReply>(replies[6].payload);
  EXPECT_EQ(busy.cube_percent, 3u);
  EXPECT_EQ(busy.aiv_percent, 4u);
  EXPECT_EQ(replies[0].lane, core::LaneId(8));
  EXPECT_EQ(replies[0].tick, 99);
  EXPECT_EQ(std::get<core::MallocReply>(replies[0].payload).address, 7u);
  EXPECT_EQ(std::get<core::MemInfoReply>(replies[1].payload).total_bytes, 2u);
  EXPECT_TRUE(std::get<core::QueryReply>(replies[2].payload).complete);
  EXPECT_EQ(std::get<core::EventReply>(replies[3].payload).record_tick, 5);
  EXPECT_EQ(std::get<core::PackageReply>(replies[4].payload).kernels[0].name,
            "add");
  EXPECT_EQ(core::ReasonOf(replies[5].status),
            core::Reason::kOutOfDeviceMemory);
  EXPECT_EQ(replies[5].status.message(), "full");
}

TEST(Codec, AClockReplyArrivesWhole) {
  const core::ClockReply sent{.participants = 1,
                              .left_count = 2,
                              .begin_tick = core::kTickMax,
                              .trace_hash = ~uint64_t{0} - 1,
                              .task_count = 3,
                              .late_count = 4,
                              .demoted_count = 5,
                              .evicted_count = 6};
  server::EventFrame frame;
  frame.AddReply(core::Reply{.payload = sent});
  frame.AddReply(core::Reply{.payload = core::ClockReply{}});
  rtd::v1::ServerFrame message = frame.message();
  Recorder recorder;
  ASSERT_TRUE(client::DeliverEvents(message, recorder).ok());
  ASSERT_EQ(recorder.replies.size(), 2u);
  const auto& arrived = std::get<core::ClockReply>(recorder.replies[0].payload);
  EXPECT_EQ(arrived.participants, sent.participants);
  EXPECT_EQ(arrived.left_count, sent.left_count);
  EXPECT_EQ(arrived.begin_tick, sent.begin_tick);
  EXPECT_EQ(arrived.trace_hash, sent.trace_hash);
  EXPECT_EQ(arrived.task_count, sent.task_count);
  EXPECT_EQ(arrived.late_count, sent.late_count);
  EXPECT_EQ(arrived.demoted_count, sent.demoted_count);
  EXPECT_EQ(arrived.evicted_count, sent.evicted_count);
  // None but zeros is a payload all the same.
  EXPECT_EQ(
      std::get<core::ClockReply>(recorder.replies[1].payload).participants, 0u);
}

template <typename Operation>
Operation Arrival(const Operation& sent) {
  const auto frame = Decode(
      Encode(core::Command{.ticket = core::Ticket(1), .operation = sent}));
  EXPECT_TRUE(frame.ok()) << frame.status();
  return std::get<Operation>(
      std::get<std::vector<core::Command>>(*frame)[0].operation);
}

// Both ends agree on bytes alone if both forget a field.
TEST(Codec, CommandsOfSimulatedTimeKeepTheirFields) {
  const core::JoinClock join =
      Arrival(core::JoinClock{.participants = 7, .rank = 6});
  EXPECT_EQ(join.participants, 7u);
  EXPECT_EQ(join.rank, 6u);
  EXPECT_TRUE(Arrival(core::LeaveClock{.is_for_good = true}).is_for_good);
  EXPECT_FALSE(Arrival(core::LeaveClock{.is_for_good = false}).is_for_good);
  Arrival(core::QueryClock{});
  for (const bool is_on : {false, true}) {
    EXPECT_EQ(
        Arrival(core::Fill{.bytes = 1, .is_timing_only = is_on}).is_timing_only,
        is_on);
    EXPECT_EQ(Arrival(core::Launch{.stream = {.index = 1, .generation = 1},
                                   .num_blocks = 1,
                                   .args = "x",
                                   .is_timing_only = is_on})
                  .is_timing_only,
              is_on);
    EXPECT_EQ(Arrival(core::Copy{.kind = core::CopyKind::kDeviceToHost,
                                 .bytes = 1,
                                 .is_by_cpu = is_on})
                  .is_by_cpu,
              is_on);
  }
}

TEST(Codec, NothingFollowsTheEndOfASession) {
  server::EventFrame frame;
  frame.AddTransferDue(core::Ticket(1));
  frame.AddEnded(core::MakeError(core::Reason::kProtocolViolation, "bad"));
  frame.AddTransferDue(core::Ticket(2));
  rtd::v1::ServerFrame message = frame.message();
  Recorder recorder;
  const absl::Status why = client::DeliverEvents(message, recorder);
  EXPECT_EQ(core::ReasonOf(why), core::Reason::kProtocolViolation);
  EXPECT_THAT(recorder.log, ElementsAre("due 1"));
}

TEST(Codec, ChunksArriveWithoutBeingCopied) {
  const std::string bytes =
      wire::TransferChunkHeader(300, 1 << 20, 6) + "abcdef";
  // Blocks of 7 bytes: the data come in pieces.
  google::protobuf::io::ArrayInputStream input(
      bytes.data(), static_cast<int>(bytes.size()), 7);
  Recorder recorder;
  ASSERT_TRUE(client::DeliverTransferFrame(input, recorder).ok());
  EXPECT_THAT(recorder.log, ElementsAre("data 300 at 1048576: abc",
                                        "data 300 at 1048579: def"));
  google::protobuf::io::ArrayInputStream cut(
      bytes.data(), static_cast<int>(bytes.size()) - 1);
  EXPECT_FALSE(client::DeliverTransferFrame(cut, recorder).ok());
}

TEST(Codec, AChunkMayBeCutAnywhere) {
  const std::string bytes =
      wire::TransferChunkHeader(300, 1 << 20, 6) + "abcdef";
  const auto size = static_cast<int>(bytes.size());
  for (int block = 1; block <= size; ++block) {
    google::protobuf::io::ArrayInputStream input(bytes.data(), size, block);
    Recorder recorder;
    EXPECT_TRUE(client::DeliverTransferFrame(input, recorder).ok()) << block;
    std::string data;
    for (const std::string& entry : recorder.log) {
      data += entry.substr(entry.find(": ") + 2);
    }
    EXPECT_EQ(data, "abcdef") << block;
  }
}

TEST(Codec, ErrorsKeepReasonAndSentenceBothWays) {
  const absl::Status sent =
      core::MakeError(core::Reason::kStreamsExhausted, "no stream is left");
  rtd::v1::Error error;
  server::EncodeError(sent, &error);
  EXPECT_EQ(client::DecodeError(error), sent);
  error.Clear();
  client::EncodeError(sent, &error);
  EXPECT_EQ(server::DecodeError(error), sent);
  // Reasons that only the other end knows, and none at all.
  for (const uint32_t reason : {0u, 9999u, 65536u + 10}) {
    error.set_reason(reason);
    EXPECT_EQ(core::ReasonOf(client::DecodeError(error)),
              core::Reason::kInternal);
    EXPECT_EQ(core::ReasonOf(server::DecodeError(error)),
              core::Reason::kInternal);
  }
}

}  // namespace
}  // namespace ascend
