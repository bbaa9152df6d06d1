#include "server/session/transfer_decoder.h"

#include <limits>
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
  google::protobuf::io::ArrayInputStream input(bytes.data(),
                                               static_cast<int>(bytes.size()));
  return DecodeTransferFrame(input, bytes.size());
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
    EXPECT_EQ(chunk.data, data);
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
