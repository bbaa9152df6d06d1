// Random damage to valid frames. A decoder must answer each with either legal
// content or a protocol violation, and must not crash; the sanitizer build
// watches it.
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "ascend/rtd/v1/session.pb.h"
#include "ascend/rtd/v1/transfer.pb.h"
#include "client/grpc/command_encoder.h"
#include "core/base/error.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "gtest/gtest.h"
#include "proto/wire.h"
#include "server/session/command_decoder.h"
#include "server/session/transfer_decoder.h"
#include "tests/testing/random_command.h"

namespace ascend::server {
namespace {

constexpr uint64_t kSeed = 424242;
constexpr int kRounds = 60'000;

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  uint64_t Below(uint64_t bound) { return random_() % bound; }

  void Damage(std::string* bytes) {
    for (uint64_t n = 1 + Below(4); n > 0; --n) DamageOnce(bytes);
  }

 private:
  void DamageOnce(std::string* bytes) {
    const size_t at = Below(bytes->size() + 1);
    switch (Below(5)) {
      case 0:  // flip a bit
        if (at < bytes->size()) {
          (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << Below(8)));
        }
        break;
      case 1:  // any byte
        if (at < bytes->size()) (*bytes)[at] = static_cast<char>(random_());
        break;
      case 2:  // cut the end off
        bytes->resize(at);
        break;
      case 3:  // put something in
        bytes->insert(at, Below(12), static_cast<char>(random_()));
        break;
      default:  // say a part twice
        bytes->insert(at, bytes->substr(Below(bytes->size() + 1), Below(40)));
    }
  }

  std::mt19937_64 random_;
};

// What the machine may rely on, checked apart from the decoder.
void ExpectLegal(const core::Command& command) {
  EXPECT_GE(command.ticket.value(), 1u);
  EXPECT_GE(command.stamp, 0);
  EXPECT_LT(command.lane.value(), kLanesMax);
  if (const auto* copy = std::get_if<core::Copy>(&command.operation)) {
    EXPECT_LE(copy->inline_data.size(), core::kInlineBytesMax);
    EXPECT_TRUE(copy->inline_data.empty() ||
                copy->inline_data.size() == copy->bytes);
    EXPECT_LE(static_cast<int>(copy->kind), 2);
  } else if (const auto* launch =
                 std::get_if<core::Launch>(&command.operation)) {
    EXPECT_LE(launch->args.size(), core::kLaunchArgsBytesMax);
    EXPECT_LE(launch->args_bytes, core::kLaunchArgsBytesMax);
    EXPECT_FALSE(launch->stream.is_null());
  } else if (const auto* stream =
                 std::get_if<core::CreateStream>(&command.operation)) {
    EXPECT_LE(stream->priority, 7u);
  }
}

TEST(FrameDecoderFuzz, DamagedSessionFramesAreLegalOrViolations) {
  std::cout << "seed " << kSeed << "\n";
  testing::RandomCommand commands(kSeed);
  Mutator mutator(kSeed);
  int legal = 0;
  int violations = 0;
  for (int round = 0; round < kRounds; ++round) {
    client::CommandBatch batch;
    for (uint64_t n = mutator.Below(4); n > 0; --n) {
      batch.Append(commands.Next());
    }
    std::string bytes = batch.frame().SerializeAsString();
    mutator.Damage(&bytes);
    google::protobuf::io::ArrayInputStream input(
        bytes.data(), static_cast<int>(bytes.size()));
    const auto frame = DecodeClientFrame(input, bytes.size());
    if (!frame.ok()) {
      ++violations;
      ASSERT_EQ(core::ReasonOf(frame.status()),
                core::Reason::kProtocolViolation);
      ASSERT_FALSE(frame.status().message().empty());
    } else if (const auto* decoded =
                   std::get_if<std::vector<core::Command>>(&*frame)) {
      ++legal;
      for (const core::Command& command : *decoded) ExpectLegal(command);
      ASSERT_FALSE(HasFailure()) << "round " << round;
    }
  }
  // Both ends of the range are really visited.
  EXPECT_GT(legal, kRounds / 20);
  EXPECT_GT(violations, kRounds / 20);
}

TEST(FrameDecoderFuzz, DamagedTransferFramesAreLegalOrViolations) {
  std::cout << "seed " << kSeed << "\n";
  Mutator mutator(kSeed + 1);
  int legal = 0;
  int violations = 0;
  for (int round = 0; round < kRounds; ++round) {
    const size_t size = 1 + mutator.Below(200);
    std::string bytes =
        wire::TransferChunkHeader(mutator.Below(1 << 20),
                                  mutator.Below(~uint64_t{0}), size) +
        std::string(size, 'd');
    mutator.Damage(&bytes);
    google::protobuf::io::ArrayInputStream input(
        bytes.data(), static_cast<int>(bytes.size()));
    const auto frame =
        DecodeTransferFrame(input, bytes.size(), /*owner=*/nullptr);
    if (!frame.ok()) {
      ++violations;
      ASSERT_EQ(core::ReasonOf(frame.status()),
                core::Reason::kProtocolViolation);
    } else if (const auto* chunk = std::get_if<TransferChunkFrame>(&*frame)) {
      ++legal;
      ASSERT_GE(chunk->data.size(), 1u);
      ASSERT_LE(chunk->data.size(), wire::kChunkBytesMax);
      ASSERT_LE(chunk->offset, ~uint64_t{0} - chunk->data.size());
    }
  }
  EXPECT_GT(legal, kRounds / 20);
  EXPECT_GT(violations, kRounds / 20);
}

}  // namespace
}  // namespace ascend::server
