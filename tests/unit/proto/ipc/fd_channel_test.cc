#include "proto/ipc/fd_channel.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/ipc/shared_region.h"
#include "tests/unit/proto/ipc/forked.h"

namespace ascend::ipc {
namespace {

using core::Reason;
using core::ReasonOf;
using core::UniqueFd;

constexpr Deadline kNow = Deadline::min();

// When a test that waits fails.
Deadline Soon() {
  return std::chrono::steady_clock::now() + std::chrono::minutes(1);
}

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

int CountDescriptors() {
  int count = 0;
  DIR* const directory = ::opendir("/proc/self/fd");
  while (::readdir(directory) != nullptr) ++count;
  ::closedir(directory);
  return count;
}

// What a peer that does not use FdChannel can send.
void SendRaw(int socket, std::string_view text, const std::vector<int>& fds) {
  iovec piece = {const_cast<char*>(text.data()), text.size()};
  std::vector<char> control(CMSG_SPACE(fds.size() * sizeof(int)));
  msghdr message = {.msg_iov = &piece,
                    .msg_iovlen = 1,
                    .msg_control = control.data(),
                    .msg_controllen = control.size()};
  cmsghdr* const part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  std::memcpy(CMSG_DATA(part), fds.data(), fds.size() * sizeof(int));
  ASSERT_EQ(::sendmsg(socket, &message, 0), std::ssize(text));
}

class FdChannelTest : public ::testing::Test {
 protected:
  FdChannelTest() : FdChannelTest(*FdChannel::CreatePair()) {}
  explicit FdChannelTest(std::pair<FdChannel, FdChannel> ends)
      : left_(std::move(ends.first)), right_(std::move(ends.second)) {}

  // The text of the next message at the right, which has no descriptors.
  std::string Next(size_t buffer_bytes = kMessageBytesMax) {
    std::vector<std::byte> buffer(buffer_bytes);
    const auto message = right_.Receive(buffer, kNow);
    if (!message.ok()) return message.status().ToString();
    EXPECT_TRUE(message->descriptors.empty());
    return {reinterpret_cast<const char*>(buffer.data()), message->bytes};
  }
  Reason NextError(size_t buffer_bytes = kMessageBytesMax) {
    std::vector<std::byte> buffer(buffer_bytes);
    return ReasonOf(right_.Receive(buffer, kNow).status());
  }

  FdChannel left_;
  FdChannel right_;
  std::array<std::byte, kMessageBytesMax> buffer_;
};

TEST_F(FdChannelTest, MessagesKeepTheirOrderAndTheirEnds) {
  const std::string largest(kMessageBytesMax, 'x');
  for (const std::string& text :
       {std::string("a"), largest, std::string("b")}) {
    EXPECT_TRUE(left_.Send(Bytes(text), {}).ok());
  }
  EXPECT_EQ(Next(), "a");
  EXPECT_EQ(Next(), largest);
  EXPECT_EQ(Next(1), "b");
}

TEST_F(FdChannelTest, DescriptorsPassBetweenProcesses) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  UniqueFd reader(ends[0]), writer(ends[1]);
  Forked child([&] {
    writer.Reset();
    const auto message = right_.Receive(buffer_, Soon());
    if (!message.ok() || message->bytes != 4) return false;
    if (message->descriptors.size() != 2) return false;
    const int fd = message->descriptors[1].get();
    return ::fcntl(fd, F_GETFD) == FD_CLOEXEC && ::write(fd, "hello", 5) == 5 &&
           right_.Send(Bytes("done"), {}).ok();
  });
  const int descriptors[] = {reader.get(), writer.get()};
  EXPECT_TRUE(left_.Send(Bytes("pipe"), descriptors).ok());
  writer.Reset();
  EXPECT_TRUE(left_.Receive(buffer_, Soon()).ok());
  ASSERT_TRUE(child.Succeeds());
  char text[6] = {};
  EXPECT_EQ(::read(reader.get(), text, 5), 5);
  EXPECT_STREQ(text, "hello");
}

TEST_F(FdChannelTest, AMessageHasAsManyDescriptorsAsItMay) {
  const int before = CountDescriptors();
  const std::vector<int> most(kDescriptorsMax, left_.fd());
  ASSERT_TRUE(left_.Send(Bytes("a"), most).ok());
  {
    const auto message = right_.Receive(buffer_, kNow);
    ASSERT_TRUE(message.ok()) << message.status();
    EXPECT_EQ(message->descriptors.size(), kDescriptorsMax);
    EXPECT_EQ(CountDescriptors(), before + static_cast<int>(kDescriptorsMax));
  }
  EXPECT_EQ(CountDescriptors(), before);
}

TEST_F(FdChannelTest, RefusesToSendWhatNobodyMayReceive) {
  const std::vector<int> too_many(kDescriptorsMax + 1, left_.fd());
  const std::string too_long(kMessageBytesMax + 1, 'x');
  EXPECT_EQ(ReasonOf(left_.Send(Bytes("a"), too_many)),
            Reason::kInvalidArgument);
  EXPECT_EQ(ReasonOf(left_.Send(Bytes(too_long), {})),
            Reason::kInvalidArgument);
  EXPECT_EQ(ReasonOf(left_.Send({}, {})), Reason::kInvalidArgument);
  EXPECT_EQ(NextError(), Reason::kSessionHung);
}

TEST_F(FdChannelTest, ATruncatedMessageIsRefusedWithItsDescriptors) {
  const int before = CountDescriptors();
  const int descriptors[] = {left_.fd(), right_.fd()};
  ASSERT_TRUE(left_.Send(Bytes("12345"), descriptors).ok());
  ASSERT_TRUE(left_.Send(Bytes("next"), {}).ok());
  EXPECT_EQ(NextError(4), Reason::kProtocolViolation);
  EXPECT_EQ(CountDescriptors(), before);
  EXPECT_EQ(Next(4), "next");
}

TEST_F(FdChannelTest, TooManyDescriptorsAreRefusedAndClosed) {
  const int before = CountDescriptors();
  SendRaw(left_.fd(), "a", std::vector<int>(kDescriptorsMax + 1, left_.fd()));
  SendRaw(left_.fd(), "b", std::vector<int>(253, left_.fd()));
  EXPECT_EQ(NextError(), Reason::kProtocolViolation);
  EXPECT_EQ(NextError(), Reason::kProtocolViolation);
  EXPECT_EQ(CountDescriptors(), before);
}

TEST_F(FdChannelTest, AnEmptyMessageLeaksNothing) {
  const int before = CountDescriptors();
  SendRaw(left_.fd(), "", {left_.fd(), left_.fd()});
  EXPECT_EQ(NextError(), Reason::kConnectionLost);
  EXPECT_EQ(CountDescriptors(), before);
}

TEST_F(FdChannelTest, OurOwnLackOfDescriptorsIsNotThePeersFault) {
  Forked child([&] {
    const std::vector<int> several(8, left_.fd());
    if (!left_.Send(Bytes("a"), several).ok()) return false;
    const rlimit few = {static_cast<rlim_t>(CountDescriptors()),
                        static_cast<rlim_t>(CountDescriptors())};
    return ::setrlimit(RLIMIT_NOFILE, &few) == 0 &&
           NextError() == Reason::kInternal;
  });
  EXPECT_TRUE(child.Succeeds());
}

TEST_F(FdChannelTest, TheEndOfThePeerIsAnErrorOfItsOwn) {
  ASSERT_TRUE(left_.Send(Bytes("last"), {}).ok());
  { FdChannel gone = std::move(left_); }
  EXPECT_EQ(Next(), "last");
  EXPECT_EQ(NextError(), Reason::kConnectionLost);
  EXPECT_EQ(ReasonOf(right_.Receive(buffer_, kNoDeadline).status()),
            Reason::kConnectionLost);
  EXPECT_EQ(ReasonOf(right_.Send(Bytes("a"), {})), Reason::kConnectionLost);
}

TEST_F(FdChannelTest, APeerThatEndsUnreadIsGoneToo) {
  ASSERT_TRUE(right_.Send(Bytes("unread"), {}).ok());
  { FdChannel gone = std::move(left_); }
  EXPECT_EQ(NextError(), Reason::kConnectionLost);
}

TEST_F(FdChannelTest, AWaitEndsWhenThePeerDoes) {
  std::thread waiter([&] {
    EXPECT_EQ(ReasonOf(right_.Receive(buffer_).status()),
              Reason::kConnectionLost);
  });
  ASSERT_EQ(::shutdown(left_.fd(), SHUT_RDWR), 0);
  waiter.join();
}

TEST_F(FdChannelTest, DeadlinesEndWaits) {
  EXPECT_EQ(NextError(), Reason::kSessionHung);
  const auto soon = [] {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
  };
  EXPECT_EQ(ReasonOf(right_.Receive(buffer_, soon()).status()),
            Reason::kSessionHung);
  // A peer that reads nothing holds nobody up for ever.
  const std::string text(kMessageBytesMax, 'x');
  int sent = 0;
  absl::Status status;
  while ((status = left_.Send(Bytes(text), {}, soon())).ok()) ++sent;
  EXPECT_EQ(ReasonOf(status), Reason::kSessionHung);
  EXPECT_GT(sent, 0);
  for (; sent > 0; --sent) EXPECT_EQ(Next(), text);
  EXPECT_TRUE(left_.Send(Bytes(text), {}, kNow).ok());
}

TEST_F(FdChannelTest, ASendWaitsForRoom) {
  constexpr int kCount = 2000;  // more than a socket holds
  const std::string text(kMessageBytesMax, 'x');
  std::thread sender([&] {
    for (int i = 0; i < kCount; ++i) {
      ASSERT_TRUE(left_.Send(Bytes(text), {}, Soon()).ok());
    }
  });
  int received = 0;
  while (received < kCount && right_.Receive(buffer_, Soon()).ok()) ++received;
  EXPECT_EQ(received, kCount);
  sender.join();
}

std::atomic<int>* alarms = nullptr;

TEST_F(FdChannelTest, ASignalDoesNotEndAWait) {
  const auto region = SharedRegion::Create("alarms", 4096);
  ASSERT_TRUE(region.ok());
  alarms = reinterpret_cast<std::atomic<int>*>(region->bytes().data() + 64);
  Forked child([&] {
    while (*alarms < 3) std::this_thread::yield();
    return left_.Send(Bytes("a"), {}).ok();
  });
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) { ++*alarms; };  // no SA_RESTART
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
  const itimerval often = {{0, 2000}, {0, 2000}}, never = {};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &often, nullptr), 0);
  EXPECT_TRUE(right_.Receive(buffer_, Soon()).ok());
  ASSERT_EQ(::setitimer(ITIMER_REAL, &never, nullptr), 0);
  ASSERT_EQ(::sigaction(SIGALRM, &before, nullptr), 0);
  ASSERT_GE(*alarms, 3);
  EXPECT_TRUE(child.Succeeds());
}

TEST_F(FdChannelTest, PollTellsWhenAMessageIsThere) {
  pollfd waiting = {.fd = right_.fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&waiting, 1, 0), 0);
  ASSERT_TRUE(left_.Send(Bytes("a"), {}).ok());
  EXPECT_EQ(::poll(&waiting, 1, 0), 1);
}

TEST_F(FdChannelTest, BothEndsEndAtExec) {
  EXPECT_EQ(::fcntl(left_.fd(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(::fcntl(right_.fd(), F_GETFD), FD_CLOEXEC);
}

}  // namespace
}  // namespace ascend::ipc
