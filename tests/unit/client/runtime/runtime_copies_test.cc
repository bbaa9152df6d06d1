// Copies: what is sent when, and where received bytes go.
#include <cstring>
#include <thread>

#include "tests/unit/client/runtime/runtime_fixture.h"

namespace ascend::client {
namespace {

using core::Reason;
using CopiesTest = RuntimeTest;

constexpr uint64_t kLargeBytes = core::kInlineBytesMax + 1;

const core::Copy& CopyOf(const core::Command& command) {
  return *testing::As<core::Copy>(command);
}

std::span<const std::byte> Bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST_F(CopiesTest, SmallUploadsTravelInTheCommand) {
  void* const memory = Allocate(core::kInlineBytesMax);
  const std::string source(core::kInlineBytesMax, 'x');
  EXPECT_TRUE(runtime_.Copy({memory, source.data(), source.size()}).ok());
  EXPECT_EQ(CopyOf(Posted<core::Copy>()[0]).inline_data, source);
}

TEST_F(CopiesTest, LargeUploadsAreSentByTheirCallerWhenTheyAreDue) {
  daemon_.HoldBack(testing::Is<core::Copy>);
  void* const memory = Allocate(kLargeBytes);
  const std::string source(kLargeBytes, 'y');
  std::thread copier([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    EXPECT_TRUE(runtime_.Copy({memory, source.data(), source.size()}).ok());
  });
  const core::Command command = daemon_.Await(testing::Is<core::Copy>);
  EXPECT_TRUE(CopyOf(command).inline_data.empty());
  daemon_.Run([&](TransportSink& sink) { sink.OnTransferDue(command.ticket); });
  EXPECT_EQ(daemon_.AwaitUpload(command.ticket), source);
  daemon_.Release();
  copier.join();
}

TEST_F(CopiesTest, DownloadsLandAndLargeOnesAreAcknowledged) {
  daemon_.HoldBack(testing::Is<core::Copy>);
  void* const memory = Allocate(kLargeBytes);
  std::string target(kLargeBytes, '?');
  std::thread copier([&] {
    ASSERT_TRUE(runtime_.SetDevice(0).ok());
    EXPECT_TRUE(runtime_.Copy({target.data(), memory, target.size()}).ok());
  });
  const core::Command command = daemon_.Await(testing::Is<core::Copy>);
  const std::string bytes(kLargeBytes, 'd');
  daemon_.Run([&](TransportSink& sink) {
    sink.OnHostData(command.ticket, 0, Bytes(bytes).first(1000));
    sink.OnHostData(command.ticket, 1000, Bytes(bytes).subspan(1000));
    // Of no copy, and past the end: nowhere to go.
    sink.OnHostData(core::Ticket(12345), 0, Bytes(bytes));
    sink.OnHostData(command.ticket, kLargeBytes, Bytes(bytes));
  });
  daemon_.Release();
  copier.join();
  EXPECT_EQ(target, bytes);
  EXPECT_EQ(daemon_.finished_downloads(),
            std::vector<uint64_t>{command.ticket.value()});
}

TEST_F(CopiesTest, QueuedUploadsOfPinnedMemoryAreReadWhenTheyRun) {
  daemon_.RetireByHand();
  void* const memory = Allocate(kLargeBytes);
  char* const pinned = static_cast<char*>(Pinned(kLargeBytes));
  std::memset(pinned, 'a', kLargeBytes);
  ASSERT_TRUE(runtime_
                  .CopyAsync({memory, pinned, kLargeBytes},
                             StatedKind::kHostToDevice, nullptr)
                  .ok());
  std::memset(pinned, 'b', kLargeBytes);
  // Freed while queued: the copy still has it.
  ASSERT_TRUE(runtime_.host_memory().Free(pinned).ok());
  const core::Ticket ticket = Posted<core::Copy>()[0].ticket;
  daemon_.Run([&](TransportSink& sink) { sink.OnTransferDue(ticket); });
  EXPECT_EQ(daemon_.AwaitUpload(ticket), std::string(kLargeBytes, 'b'));
}

TEST_F(CopiesTest, ASmallPinnedSourceWaitsForAQueuedDownload) {
  daemon_.RetireByHand();
  void* const memory = Allocate(64);
  char* const pinned = static_cast<char*>(Pinned(64));
  std::memset(pinned, 'a', 64);
  const auto upload = [&] {
    return runtime_.CopyAsync({memory, pinned, 64}, StatedKind::kHostToDevice,
                              nullptr);
  };
  ASSERT_TRUE(upload().ok());
  EXPECT_EQ(CopyOf(Posted<core::Copy>()[0]).inline_data, std::string(64, 'a'));
  ASSERT_TRUE(
      runtime_
          .CopyAsync({pinned, memory, 64}, StatedKind::kDeviceToHost, nullptr)
          .ok());
  ASSERT_TRUE(upload().ok());
  const auto copies = Posted<core::Copy>();
  EXPECT_TRUE(CopyOf(copies[2]).inline_data.empty());
  // Once the download's task has retired, copies are read early again.
  daemon_.Retire(CopyOf(copies[0]).stream, 3);
  ASSERT_TRUE(runtime_.MemoryInfo().ok());  // after the progress
  ASSERT_TRUE(upload().ok());
  EXPECT_FALSE(CopyOf(Posted<core::Copy>()[3]).inline_data.empty());
}

TEST_F(CopiesTest, ThePrivateCopyIsMadeBeforeTheCallReturns) {
  daemon_.RetireByHand();
  void* const memory = Allocate(kLargeBytes);
  std::string stack(kLargeBytes, 'p');
  ASSERT_TRUE(runtime_
                  .CopyAsync({memory, stack.data(), stack.size()},
                             StatedKind::kHostToBufferToDevice, nullptr)
                  .ok());
  stack.assign(stack.size(), '!');
  const core::Ticket ticket = Posted<core::Copy>()[0].ticket;
  daemon_.Run([&](TransportSink& sink) { sink.OnTransferDue(ticket); });
  EXPECT_EQ(daemon_.AwaitUpload(ticket), std::string(kLargeBytes, 'p'));
}

TEST_F(CopiesTest, PageableMemoryMakesTheCallWaitForItsStream) {
  void* const memory = Allocate(64);
  std::string host(64, 'h');
  ASSERT_TRUE(runtime_
                  .CopyAsync({memory, host.data(), host.size()},
                             StatedKind::kHostToDevice, nullptr)
                  .ok());
  const core::Command sync = Posted<core::Synchronize>()[0];
  const core::Command copy = Posted<core::Copy>()[0];
  EXPECT_LT(sync.ticket, copy.ticket);
  EXPECT_TRUE(CopyOf(copy).wants_reply);
  EXPECT_TRUE(CopyOf(copy).stream.is_null());
}

TEST_F(CopiesTest, DirectionsAreCheckedWhereTheKindCounts) {
  void* const memory = Allocate(64);
  void* const pinned = Pinned(64);
  char pageable[64] = {};
  const auto copy = [&](void* target, const void* source, StatedKind kind) {
    return ReasonOf(runtime_.CopyAsync({target, source, 64}, kind, nullptr));
  };
  EXPECT_EQ(copy(memory, pageable, StatedKind::kDeviceToHost),
            Reason::kInvalidArgument);
  EXPECT_EQ(copy(memory, pageable, StatedKind::kDeviceToDevice),
            Reason::kInvalidArgument);
  EXPECT_EQ(copy(pageable, memory, StatedKind::kHostToDevice),
            Reason::kInvalidArgument);
  EXPECT_EQ(copy(memory, pageable, StatedKind::kInfer), Reason::kNone);
  // Of known memory the real direction counts.
  EXPECT_EQ(copy(memory, pinned, StatedKind::kDeviceToHost), Reason::kNone);
  EXPECT_EQ(copy(pinned, pinned, StatedKind::kInfer), Reason::kNone);
  EXPECT_EQ(
      copy(static_cast<char*>(pageable) + 1, pageable, StatedKind::kInfer),
      Reason::kUnsupportedCombination);
  void* const other = Pinned(64);
  EXPECT_EQ(copy(other, pinned, StatedKind::kHostToDevice),
            Reason::kUnsupportedCombination);
  EXPECT_EQ(copy(pageable, pinned, StatedKind::kHostToDevice),
            Reason::kInvalidArgument);
}

TEST_F(CopiesTest, RangesOutsideAllocationsAreRefusedBeforeAnythingIsPosted) {
  char* const memory = static_cast<char*>(Allocate(64));
  char host[128] = {};
  EXPECT_EQ(ReasonOf(runtime_.Copy({memory, host, 65})),
            Reason::kInvalidArgument);
  EXPECT_EQ(ReasonOf(runtime_.Copy({host, memory + 1, 64})),
            Reason::kInvalidArgument);
  EXPECT_EQ(ReasonOf(runtime_.FillAsync(host, 64, {0}, nullptr)),
            Reason::kInvalidArgument);
  ASSERT_TRUE(runtime_.Free(memory).ok());
  EXPECT_EQ(ReasonOf(runtime_.Copy({host, memory, 1})),
            Reason::kInvalidArgument);
  EXPECT_EQ(ReasonOf(runtime_.Fill(memory, 1, {0})), Reason::kInvalidArgument);
  EXPECT_TRUE(Posted<core::Copy>().empty());
  EXPECT_TRUE(Posted<core::Fill>().empty());
}

TEST_F(CopiesTest, DevicesDoNotReachEachOther) {
  void* const first = Allocate(64);
  ASSERT_TRUE(runtime_.SetDevice(1).ok());
  void* const second = Allocate(64);
  EXPECT_EQ(ReasonOf(runtime_.Copy({second, first, 64})),
            Reason::kInvalidArgument);
}

TEST_F(CopiesTest, HostToHostIsDoneByTheCaller) {
  char source[] = "0123456789";
  ASSERT_TRUE(runtime_.Copy({source + 1, source, 9}).ok());
  EXPECT_STREQ(source, "0012345678");
  ASSERT_TRUE(runtime_.Fill(source, 3, {'z'}).ok());
  EXPECT_STREQ(source, "zzz2345678");
  EXPECT_TRUE(Posted<core::Copy>().empty());
}

TEST_F(CopiesTest, PlaceHoldersGetTheDeviceAddressOfTheirData) {
  void* const function = AddFunction();
  LaunchRequest request;
  request.function = function;
  request.num_blocks = 1;
  request.host_args.assign(32, '\0');
  request.host_args[0] = 32;
  request.place_holders = {{8, 24}};
  ASSERT_TRUE(runtime_.Launch(request).ok());
  const core::Launch launch =
      *testing::As<core::Launch>(Posted<core::Launch>()[0]);
  uint64_t address = 0;
  std::memcpy(&address, launch.args.data() + 8, sizeof(address));
  const core::Copy copy = CopyOf(Posted<core::Copy>()[0]);
  EXPECT_EQ(address, copy.target + 24);
  EXPECT_EQ(copy.inline_data, launch.args);
  EXPECT_EQ(testing::As<core::Free>(Posted<core::Free>()[0])->address,
            copy.target);
  request.place_holders = {{25, 0}};
  EXPECT_EQ(ReasonOf(runtime_.Launch(request)), Reason::kInvalidArgument);
  request.place_holders = {{8, 32}};
  EXPECT_EQ(ReasonOf(runtime_.Launch(request)), Reason::kInvalidArgument);
}

}  // namespace
}  // namespace ascend::client
