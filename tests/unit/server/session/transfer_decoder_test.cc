#include "server/session/transfer_decoder.h"

#include <limits>
#include <memory>
#include <string>
#include <variant>

#include "ascend/rtd/v1/transfer.pb.h"
#include "core/base/error.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "gtest/gtest.h"
#include "proto/wire.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;

absl::StatusOr<TransferFrame> DecodeBytes(const std::string& bytes) {
  // In blocks of 11 bytes, as gRPC hands frames out in pieces.
  auto kept = std::make_shared<std::string>(bytes);
  google::protobuf::io::ArrayInputStream input(
      kept->data(), static_cast<int>(kept->size()), /*block_size=*/11);
  return DecodeTransferFrame(input, kept->size(), kept);
}

TEST(TransferDecoder, TakesWhatTheChunkHeaderAnnounces) {
  const uint64_t offset = uint64_t{5} << 32;
  for (const size_t size : {size_t{1}, size_t{200}, wire::kChunkBytesMax}) {
    const std::string data(size, 'd');
    const auto frame =
        DecodeBytes(wire::TransferChunkHeader(300, offset, size) + data);
    ASSERT_TRUE(frame.ok()) << frame.status();
    const auto& chunk = std::get<TransferChunkFrame>(*frame);
    EXPECT_EQ(chunk.ticket, core::Ticket(300));
    EXPECT_EQ(chunk.offset, offset);
    EXPECT_EQ(chunk.data.ToString(), data);
  }
}

TEST(TransferDecoder, RefusesChunksOutOfRange) {
  EXPECT_FALSE(DecodeBytes(wire::TransferChunkHeader(1, 0, 0)).ok());
  const size_t large = wire::kChunkBytesMax + 1;
  EXPECT_FALSE(DecodeBytes(wire::TransferChunkHeader(1, 0, large) +
                           std::string(large, 'd'))
                   .ok());
  const uint64_t end = std::numeric_limits<uint64_t>::max();
  EXPECT_FALSE(DecodeBytes(wire::TransferChunkHeader(1, end, 1) + "d").ok());
  EXPECT_TRUE(DecodeBytes(wire::TransferChunkHeader(1, end - 1, 1) + "d").ok());
}

// Zeros need not be said, as protobuf has it.
TEST(TransferDecoder, TakesChunksOfOtherEncoders) {
  pb::TransferFrame frame;
  frame.mutable_chunk()->set_ticket(1);
  frame.mutable_chunk()->set_data("data");
  const auto decoded = DecodeBytes(frame.SerializeAsString());
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  const auto& chunk = std::get<TransferChunkFrame>(*decoded);
  EXPECT_EQ(chunk.offset, 0u);
  EXPECT_EQ(chunk.data.ToString(), "data");
}

// What says more or less than its lengths.
TEST(TransferDecoder, RefusesChunksThatAreEncodedOtherwise) {
  const std::string good = wire::TransferChunkHeader(1, 0, 4) + "data";
  ASSERT_TRUE(DecodeBytes(good).ok());
  for (size_t cut = 1; cut < good.size(); ++cut) {
    EXPECT_FALSE(DecodeBytes(good.substr(0, cut)).ok()) << cut;
  }
  EXPECT_FALSE(DecodeBytes(good + "x").ok());
  EXPECT_FALSE(DecodeBytes(good + good).ok());
  // A field that nobody knows, behind the bytes.
  std::string longer = good + "\x20\x01";
  longer[1] = static_cast<char>(longer[1] + 2);
  EXPECT_FALSE(DecodeBytes(longer).ok());
  // A chunk behind another frame.
  pb::TransferFrame failed;
  failed.mutable_failed()->set_ticket(4);
  EXPECT_FALSE(DecodeBytes(failed.SerializeAsString() + good).ok());
}

TEST(TransferDecoder, RefusesWhatIsNoFrame) {
  EXPECT_FALSE(DecodeBytes("").ok());
  EXPECT_FALSE(DecodeBytes("\x12").ok());
  EXPECT_EQ(core::ReasonOf(
                DecodeBytes(std::string(wire::kTransferFrameBytesMax + 1, 'x'))
                    .status()),
            core::Reason::kProtocolViolation);
}

TEST(TransferDecoder, TakesOpenAndFailed) {
  pb::TransferFrame frame;
  frame.mutable_open()->set_session(9);
  frame.mutable_open()->set_token("secret");
  const auto open = DecodeBytes(frame.SerializeAsString());
  ASSERT_TRUE(open.ok());
  EXPECT_EQ(std::get<TransferOpenFrame>(*open).session, core::SessionId(9));
  EXPECT_EQ(std::get<TransferOpenFrame>(*open).token, "secret");

  frame.mutable_failed()->set_ticket(4);
  const auto failed = DecodeBytes(frame.SerializeAsString());
  ASSERT_TRUE(failed.ok());
  EXPECT_EQ(std::get<TransferFailedFrame>(*failed).ticket, core::Ticket(4));
  EXPECT_FALSE(std::get<TransferFailedFrame>(*failed).why.ok());
}

}  // namespace
}  // namespace ascend::server
