#include "server/session/command_decoder.h"

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ascend/rtd/v1/session.pb.h"
#include "core/base/error.h"
#include "gmock/gmock.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "gtest/gtest.h"
#include "proto/wire.h"

namespace ascend::server {
namespace {

namespace pb = ::ascend::rtd::v1;
using ::testing::HasSubstr;

constexpr uint64_t kHandle = uint64_t{3} << 32 | 7;

absl::StatusOr<ClientFrame> DecodeBytes(const std::string& bytes) {
  google::protobuf::io::ArrayInputStream input(bytes.data(),
                                               static_cast<int>(bytes.size()));
  return DecodeClientFrame(input, bytes.size());
}

// A batch of one command that `fill` completes; ticket 1, lane 2, stamp 3.
absl::StatusOr<core::Command> DecodeOne(
    const std::function<void(pb::Command*)>& fill) {
  pb::ClientFrame frame;
  pb::Command* command = frame.mutable_batch()->add_commands();
  command->set_ticket(1);
  command->set_lane(2);
  command->set_stamp(3);
  fill(command);
  absl::StatusOr<ClientFrame> decoded = DecodeBytes(frame.SerializeAsString());
  if (!decoded.ok()) return decoded.status();
  return std::move(std::get<std::vector<core::Command>>(*decoded)[0]);
}

void ExpectViolation(const std::function<void(pb::Command*)>& fill,
                     const std::string& says) {
  const absl::Status status = DecodeOne(fill).status();
  EXPECT_EQ(core::ReasonOf(status), core::Reason::kProtocolViolation) << says;
  EXPECT_THAT(std::string(status.message()), HasSubstr(says));
}

pb::Launch* FillLaunch(pb::Command* command) {
  pb::Launch* launch = command->mutable_launch();
  launch->set_stream(kHandle);
  launch->set_kernel(4);
  launch->set_num_blocks(8);
  return launch;
}

pb::Copy* FillCopy(pb::Command* command, pb::Copy::Kind kind, uint64_t bytes) {
  pb::Copy* copy = command->mutable_copy();
  copy->set_kind(kind);
  copy->set_bytes(bytes);
  return copy;
}

TEST(CommandDecoder, LeavesItToTheMachineHowFarAheadAStampMayBe) {
  const auto command = DecodeOne([](pb::Command* out) {
    out->mutable_mem_info();
    out->set_stamp(core::kTickMax);
  });
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->stamp, core::kTickMax);
}

TEST(CommandDecoder, RefusesATimeOutThatIsNegative) {
  ExpectViolation(
      [](pb::Command* out) {
        pb::WaitEvent* const wait = out->mutable_wait_event();
        wait->set_stream(kHandle);
        wait->set_event(kHandle);
        wait->set_timeout_ticks(-1);
      },
      "timeout_ticks is -1");
}

TEST(CommandDecoder, RefusesAResetOfNothing) {
  ExpectViolation(
      [](pb::Command* out) { out->mutable_reset_event()->set_stream(kHandle); },
      "event is 0");
  ExpectViolation(
      [](pb::Command* out) { out->mutable_reset_event()->set_event(kHandle); },
      "stream is 0");
}

TEST(CommandDecoder, TakesTheOrderOfACommand) {
  const auto command = DecodeOne(
      [](pb::Command* out) { out->mutable_mem_info()->set_device(5); });
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->ticket, core::Ticket(1));
  EXPECT_EQ(command->lane, core::LaneId(2));
  EXPECT_EQ(command->stamp, 3);
  EXPECT_EQ(std::get<core::MemInfo>(command->operation).device,
            core::DeviceId(5));
}

TEST(CommandDecoder, TakesALaunchWithItsArguments) {
  const auto command = DecodeOne([](pb::Command* out) {
    FillLaunch(out)->set_args(std::string(core::kLaunchArgsBytesMax, 'a'));
  });
  ASSERT_TRUE(command.ok()) << command.status();
  const auto& launch = std::get<core::Launch>(command->operation);
  EXPECT_EQ(launch.stream.index, 7u);
  EXPECT_EQ(launch.stream.generation, 3u);
  EXPECT_EQ(launch.kernel, 4u);
  EXPECT_EQ(launch.num_blocks, 8u);
  EXPECT_EQ(launch.args, std::string(core::kLaunchArgsBytesMax, 'a'));
}

TEST(CommandDecoder, TakesACopyWithBytesInline) {
  const std::string bytes(core::kInlineBytesMax, 'x');
  const auto command = DecodeOne([&](pb::Command* out) {
    pb::Copy* copy = FillCopy(out, pb::Copy::KIND_HOST_TO_DEVICE, bytes.size());
    copy->set_target(77);
    copy->set_inline_data(bytes);
    copy->set_wants_reply(true);
  });
  ASSERT_TRUE(command.ok()) << command.status();
  const auto& copy = std::get<core::Copy>(command->operation);
  EXPECT_TRUE(copy.stream.is_null());
  EXPECT_EQ(copy.kind, core::CopyKind::kHostToDevice);
  EXPECT_EQ(copy.target, 77u);
  EXPECT_EQ(copy.inline_data, bytes);
  EXPECT_TRUE(copy.wants_reply);
}

TEST(CommandDecoder, RefusesWhatNoCommandIs) {
  ExpectViolation([](pb::Command*) {}, "no operation");
  ExpectViolation(
      [](pb::Command* out) {
        out->mutable_free();
        out->set_ticket(0);
      },
      "ticket is 0");
  ExpectViolation(
      [](pb::Command* out) {
        out->mutable_free();
        out->set_lane(kLanesMax);
      },
      "lane is 1048576");
  ExpectViolation(
      [](pb::Command* out) {
        out->mutable_free();
        out->set_stamp(-1);
      },
      "stamp is -1");
}

TEST(CommandDecoder, RefusesHandlesThatCannotBe) {
  ExpectViolation([](pb::Command* out) { out->mutable_query_stream(); },
                  "stream is 0");
  // Generation 0 names nothing, whatever the index.
  ExpectViolation(
      [](pb::Command* out) { out->mutable_query_event()->set_event(9); },
      "event is 9");
  ExpectViolation(
      [](pb::Command* out) {
        FillCopy(out, pb::Copy::KIND_DEVICE_TO_DEVICE, 8)->set_stream(9);
      },
      "stream is 9");
  ExpectViolation(
      [](pb::Command* out) {
        out->mutable_synchronize()->set_target(pb::Synchronize::TARGET_CONTEXT);
      },
      "context is 0");
}

TEST(CommandDecoder, RefusesNumbersThatAreNoEnumerators) {
  ExpectViolation([](pb::Command* out) { out->mutable_synchronize(); },
                  "target is 0");
  ExpectViolation(
      [](pb::Command* out) {
        out->mutable_synchronize()->set_target(
            static_cast<pb::Synchronize::Target>(5));
      },
      "target is 5");
  ExpectViolation([](pb::Command* out) { out->mutable_copy(); }, "kind is 0");
  ExpectViolation(
      [](pb::Command* out) {
        FillCopy(out, static_cast<pb::Copy::Kind>(4), 1);
      },
      "kind is 4");
}

TEST(CommandDecoder, RefusesSizesAndValuesOutOfRange) {
  ExpectViolation(
      [](pb::Command* out) {
        pb::CreateStream* stream = out->mutable_create_stream();
        stream->set_stream(kHandle);
        stream->set_context(kHandle);
        stream->set_priority(8);
      },
      "priority is 8");
  ExpectViolation([](pb::Command* out) { out->mutable_fill()->set_value(256); },
                  "fill value is 256");
  ExpectViolation(
      [](pb::Command* out) {
        FillLaunch(out)->set_args(
            std::string(core::kLaunchArgsBytesMax + 1, 'a'));
      },
      "8193 bytes");
  ExpectViolation([](pb::Command* out) { FillLaunch(out)->set_args_bytes(8); },
                  "without args_address");
  ExpectViolation(
      [](pb::Command* out) {
        pb::Launch* launch = FillLaunch(out);
        launch->set_args("x");
        launch->set_args_address(1);
      },
      "arguments and args_address");
  ExpectViolation(
      [](pb::Command* out) {
        pb::Launch* launch = FillLaunch(out);
        launch->set_args_address(1);
        launch->set_args_bytes(core::kLaunchArgsBytesMax + 1);
      },
      "8193 bytes");
  ExpectViolation(
      [](pb::Command* out) {
        out->mutable_load_package()->set_name(
            std::string(kPackageNameBytesMax + 1, 'p'));
      },
      "package name has 4097 bytes");
  ExpectViolation([](pb::Command* out) { out->mutable_cancel_wait(); },
                  "ticket to cancel is 0");
  ExpectViolation([](pb::Command* out) { out->mutable_host_function_done(); },
                  "ticket of a host function is 0");
  ExpectViolation(
      [](pb::Command* out) {
        pb::SetStreamPriority* set = out->mutable_set_stream_priority();
        set->set_stream(kHandle);
        set->set_priority(8);
      },
      "priority is 8");
  ExpectViolation(
      [](pb::Command* out) {
        pb::WaitWord* wait = out->mutable_wait_word();
        wait->set_stream(kHandle);
        wait->set_address(12);
        wait->set_condition(pb::WaitWord::CONDITION_EQUAL);
      },
      "not aligned");
  ExpectViolation(
      [](pb::Command* out) { out->mutable_wait_word()->set_stream(kHandle); },
      "condition is 0");
  ExpectViolation(
      [](pb::Command* out) {
        pb::WaitNotify* wait = out->mutable_wait_notify();
        wait->set_stream(kHandle);
        wait->set_notify(kHandle);
        wait->set_timeout_ticks(-1);
      },
      "time does not go back");
}

TEST(CommandDecoder, TakesAParticipantOfARun) {
  for (const uint32_t participants : {1u, core::kParticipantsMax}) {
    const auto command = DecodeOne([&](pb::Command* out) {
      out->mutable_join_clock()->set_participants(participants);
      out->mutable_join_clock()->set_rank(participants - 1);
    });
    ASSERT_TRUE(command.ok()) << command.status();
    const auto& join = std::get<core::JoinClock>(command->operation);
    EXPECT_EQ(join.participants, participants);
    EXPECT_EQ(join.rank, participants - 1);
  }
}

TEST(CommandDecoder, RefusesParticipantsThatCannotBe) {
  const auto expect = [](uint32_t participants, uint32_t rank,
                         const std::string& says) {
    ExpectViolation(
        [&](pb::Command* out) {
          out->mutable_join_clock()->set_participants(participants);
          out->mutable_join_clock()->set_rank(rank);
        },
        says);
  };
  expect(0, 0, "rank is 0 of 0 participants");
  expect(1, 1, "rank is 1 of 1 participants");
  expect(8, 0xFFFFFFFF, "rank is 4294967295 of 8 participants");
  expect(core::kParticipantsMax + 1, 0, "rank is 0 of 4097 participants");
}

TEST(CommandDecoder, RefusesTimingOnlyWithArgumentsThatNothingComputes) {
  ExpectViolation(
      [](pb::Command* out) {
        pb::Launch* launch = FillLaunch(out);
        launch->set_args_address(64);
        launch->set_args_bytes(8);
        launch->set_timing_only(true);
      },
      "timing-only and has args_address");
}

TEST(CommandDecoder, RefusesACopyByTheCpuWithinTheDevice) {
  ExpectViolation(
      [](pb::Command* out) {
        FillCopy(out, pb::Copy::KIND_DEVICE_TO_DEVICE, 8)->set_is_by_cpu(true);
      },
      "within the device is by the host's CPU");
}

TEST(CommandDecoder, RefusesFillsThatCutTheirValues) {
  const auto expect = [](uint64_t address, uint64_t bytes, uint32_t value_bytes,
                         const std::string& says) {
    ExpectViolation(
        [&](pb::Command* out) {
          pb::Fill* fill = out->mutable_fill();
          fill->set_address(address);
          fill->set_bytes(bytes);
          fill->set_value_bytes(value_bytes);
        },
        says);
  };
  expect(8, 8, 2, "value has 2 bytes");
  expect(6, 8, 4, "cuts its values");
  expect(8, 6, 4, "cuts its values");
}

TEST(CommandDecoder, RefusesRowsThatCannotBe) {
  const auto expect = [](uint64_t bytes, uint64_t rows, uint64_t target_pitch,
                         uint64_t source_pitch, const std::string& says) {
    ExpectViolation(
        [&](pb::Command* out) {
          pb::Copy* copy =
              FillCopy(out, pb::Copy::KIND_DEVICE_TO_DEVICE, bytes);
          copy->set_rows(rows);
          copy->set_target_pitch(target_pitch);
          copy->set_source_pitch(source_pitch);
        },
        says);
  };
  expect(8, 2, 7, 8, "pitches of 7 and 8");
  expect(8, 2, 8, 7, "pitches of 8 and 7");
  expect(8, 2, uint64_t{1} << 41, 8, "pitches of 2199023255552 and 8");
  expect(core::kRowBytesMax + 1, 2, 1 << 30, 1 << 30, "rows of 5000001");
  expect(8, core::kRowCountMax + 1, 8, 8, "has 5242881 rows");
}

TEST(CommandDecoder, RefusesInlineDataThatDoesNotFitItsCopy) {
  ExpectViolation(
      [](pb::Command* out) {
        FillCopy(out, pb::Copy::KIND_HOST_TO_DEVICE, 4)->set_inline_data("abc");
      },
      "copy of 4 bytes carries 3 inline");
  ExpectViolation(
      [](pb::Command* out) {
        FillCopy(out, pb::Copy::KIND_DEVICE_TO_HOST, 3)->set_inline_data("abc");
      },
      "not host to device");
  ExpectViolation(
      [](pb::Command* out) {
        const uint64_t bytes = core::kInlineBytesMax + 1;
        FillCopy(out, pb::Copy::KIND_HOST_TO_DEVICE, bytes)
            ->set_inline_data(std::string(bytes, 'x'));
      },
      "65537 bytes inline");
}

TEST(CommandDecoder, NamesTheTicketOfTheBadCommand) {
  ExpectViolation([](pb::Command* out) { out->set_ticket(41); },
                  "command of ticket 41: ");
}

TEST(CommandDecoder, BoundsCommandsOfABatchAndBytesOfAFrame) {
  pb::ClientFrame frame;
  for (size_t i = 0; i < wire::kCommandsPerBatchMax; ++i) {
    pb::Command* command = frame.mutable_batch()->add_commands();
    command->set_ticket(i + 1);
    command->mutable_free();
  }
  EXPECT_TRUE(DecodeBytes(frame.SerializeAsString()).ok());
  *frame.mutable_batch()->add_commands() = frame.batch().commands(0);
  EXPECT_THAT(
      std::string(DecodeBytes(frame.SerializeAsString()).status().message()),
      HasSubstr("4097 commands"));

  const std::string large(wire::kClientFrameBytesMax + 1, '\0');
  EXPECT_THAT(std::string(DecodeBytes(large).status().message()),
              HasSubstr("524289 bytes"));
}

TEST(CommandDecoder, TellsTheKindsOfFramesApart) {
  pb::ClientFrame frame;
  EXPECT_THAT(std::string(DecodeBytes("").status().message()),
              HasSubstr("frame is empty"));
  EXPECT_FALSE(DecodeBytes("\xff\xff\xff").ok());

  frame.mutable_goodbye();
  EXPECT_TRUE(std::holds_alternative<GoodbyeFrame>(
      *DecodeBytes(frame.SerializeAsString())));

  frame.mutable_download_done()->set_ticket(6);
  frame.mutable_download_done()->mutable_error()->set_reason(
      static_cast<uint32_t>(core::Reason::kConnectionLost));
  const auto done = DecodeBytes(frame.SerializeAsString());
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(std::get<DownloadDoneFrame>(*done).ticket, core::Ticket(6));
  EXPECT_EQ(core::ReasonOf(std::get<DownloadDoneFrame>(*done).status),
            core::Reason::kConnectionLost);
  frame.mutable_download_done()->clear_ticket();
  EXPECT_FALSE(DecodeBytes(frame.SerializeAsString()).ok());
}

TEST(CommandDecoder, ShowsOperatorsNothingButPrintableText) {
  pb::ClientFrame frame;
  frame.mutable_hello()->set_program("a\x1b[2J\xff" + std::string(500, 'b'));
  const auto hello = DecodeBytes(frame.SerializeAsString());
  ASSERT_TRUE(hello.ok());
  const std::string& program = std::get<HelloFrame>(*hello).program;
  EXPECT_EQ(program.substr(0, 7), "a?[2J?b");
  EXPECT_EQ(program.size(), kProgramBytesMax);
}

}  // namespace
}  // namespace ascend::server
