#include "server/transfers.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "gtest/gtest.h"
#include "tests/unit/server/latch.h"
#include "tests/unit/server/recorded_job_events.h"

namespace ascend::server {
namespace {

using core::JobId;
using core::Reason;
using core::SessionId;
using core::Ticket;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kRegion = 0x120000000000;
constexpr uint64_t kBytes = 8 * kMiB;
constexpr SessionId kA{1};
constexpr SessionId kB{2};
constexpr Ticket kTicket{10};
constexpr JobId kJob{100};

std::string Pattern(uint64_t bytes) {
  std::string pattern(bytes, '\0');
  for (uint64_t i = 0; i < bytes; ++i) {
    pattern[i] = static_cast<char>(i * 31 + i / 4096);
  }
  return pattern;
}

// Keeps chunks, and says that they are sent when the test says so.
class RecordedBulk final : public BulkSink {
 public:
  struct Chunk {
    Ticket ticket;
    uint64_t offset;
    std::string bytes;
  };

  void SendChunk(Ticket ticket, uint64_t offset, BulkBytes bytes,
                 std::function<void()> sent) override {
    bool is_sent_at_once = false;
    {
      core::MutexLock lock(mutex_);
      chunks_.push_back(Chunk{ticket, offset, bytes.ToString()});
      is_sent_at_once = sends_at_once_;
      if (!is_sent_at_once) unsent_.push_back(sent);
      changed_.NotifyAll();
    }
    if (is_sent_at_once) sent();
  }

  void SendAtOnce() {
    core::MutexLock lock(mutex_);
    sends_at_once_ = true;
  }

  bool WaitForChunks(size_t count) {
    const auto deadline = HostClock::Now() + std::chrono::seconds(30);
    core::MutexLock lock(mutex_);
    while (chunks_.size() < count) {
      if (!changed_.WaitUntil(mutex_, deadline)) return false;
    }
    return true;
  }

  void SayOneSent() {
    std::function<void()> sent;
    {
      core::MutexLock lock(mutex_);
      sent = unsent_.front();
      unsent_.pop_front();
    }
    sent();
  }

  std::vector<Chunk> chunks() {
    core::MutexLock lock(mutex_);
    return chunks_;
  }

 private:
  core::Mutex mutex_;
  core::CondVar changed_;
  std::vector<Chunk> chunks_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::function<void()>> unsent_ ABSL_GUARDED_BY(mutex_);
  bool sends_at_once_ ABSL_GUARDED_BY(mutex_) = false;
};

class TransfersTest : public testing::Test {
 protected:
  TransfersTest() {
    for (const SessionId session : {kA, kB}) {
      const core::SegmentWindow window{kRegion, kBytes, kRegion, kBytes};
      EXPECT_TRUE(
          store_.CreateSegment({session, core::DeviceId(0), 1}, window).ok());
      transfers_.OpenSession(session);
    }
  }

  // As MachineHost does: no job of the pool may outlive what it works for.
  ~TransfersTest() override { pool_.Stop(); }

  SegmentStore::Lease Memory(SessionId session, uint64_t bytes) {
    return *store_.Map(session, kRegion, bytes);
  }
  std::string Contents(SessionId session, uint64_t bytes) {
    return std::string(
        reinterpret_cast<const char*>(Memory(session, bytes).data()), bytes);
  }
  void StartUpload(Ticket ticket, JobId job, uint64_t bytes,
                   uint64_t offset = 0) {
    SegmentStore::Lease memory = *store_.Map(kA, kRegion + offset, bytes);
    const core::PitchedBytes rows{.data = memory.data(), .row_bytes = bytes};
    transfers_.StartUpload(kA, ticket, job, std::move(memory), rows);
  }
  void StartDownload(Ticket ticket, JobId job, uint64_t bytes,
                     uint64_t offset = 0) {
    SegmentStore::Lease memory = *store_.Map(kA, kRegion + offset, bytes);
    const core::PitchedBytes rows{.data = memory.data(), .row_bytes = bytes};
    transfers_.StartDownload(kA, ticket, job, std::move(memory), rows);
  }
  void StartUpload(uint64_t bytes) { StartUpload(kTicket, kJob, bytes); }
  void StartDownload(uint64_t bytes) { StartDownload(kTicket, kJob, bytes); }
  void Send(SessionId session, Ticket ticket, uint64_t offset,
            std::string bytes) {
    ++sent_count_;
    transfers_.ReceiveChunk(session, ticket, offset, std::move(bytes),
                            [this] { ++consumed_count_; });
  }
  std::shared_ptr<RecordedBulk> AttachBulk() {
    auto bulk = std::make_shared<RecordedBulk>();
    transfers_.AttachBulk(kA, bulk);
    return bulk;
  }
  // The job runs on, and the client's fault was noted.
  void ExpectViolation() {
    ASSERT_EQ(events_.violations().size(), 1u);
    EXPECT_EQ(events_.violations()[0].first, kA);
    EXPECT_EQ(core::ReasonOf(events_.violations()[0].second),
              Reason::kProtocolViolation);
    EXPECT_EQ(events_.EndCount(kJob), 0u);
    pool_.Stop();
    EXPECT_EQ(consumed_count_, sent_count_);
  }

  RecordedJobEvents events_;
  std::atomic<int> consumed_count_{0};
  int sent_count_ = 0;
  CopyPool pool_{2};
  SegmentStore store_{pool_};
  Transfers transfers_{pool_, events_};
};

TEST_F(TransfersTest, AnUploadEndsWithItsLastByte) {
  const std::string bytes = Pattern(3 * kMiB + 5);
  StartUpload(bytes.size());
  for (uint64_t at = 0; at < bytes.size(); at += kMiB) {
    EXPECT_EQ(events_.EndCount(kJob), 0u);
    Send(kA, kTicket, at, bytes.substr(at, kMiB));
  }
  const auto result = events_.WaitFor(kJob);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->status.ok()) << result->status;
  EXPECT_EQ(Contents(kA, bytes.size()), bytes);
  EXPECT_EQ(Contents(kB, bytes.size()), std::string(bytes.size(), '\0'));
  EXPECT_EQ(consumed_count_, 4);
  EXPECT_TRUE(events_.violations().empty());
}

TEST_F(TransfersTest, AChunkLargerThanASliceArrivesWhole) {
  const std::string bytes = Pattern(3 * kMiB + 5);
  StartUpload(bytes.size());
  Send(kA, kTicket, 0, bytes);
  ASSERT_TRUE(events_.WaitFor(kJob).has_value());
  EXPECT_EQ(Contents(kA, bytes.size()), bytes);
}

TEST_F(TransfersTest, AChunkOutOfOrderIsAViolation) {
  StartUpload(4 * kMiB);
  Send(kA, kTicket, kMiB, Pattern(kMiB));
  ExpectViolation();
}

TEST_F(TransfersTest, ARepeatedChunkIsAViolation) {
  StartUpload(4 * kMiB);
  Send(kA, kTicket, 0, Pattern(kMiB));
  Send(kA, kTicket, 0, Pattern(kMiB));
  ExpectViolation();
}

TEST_F(TransfersTest, AChunkOutOfBoundsIsAViolationAndWritesNothing) {
  StartUpload(kMiB);
  Send(kA, kTicket, 0, Pattern(kMiB + 1));
  ExpectViolation();
  EXPECT_EQ(Contents(kA, 2 * kMiB), std::string(2 * kMiB, '\0'));
}

TEST_F(TransfersTest, AnOffsetThatOverflowsIsAViolation) {
  StartUpload(kMiB);
  Send(kA, kTicket, ~uint64_t{0}, Pattern(2));
  ExpectViolation();
}

TEST_F(TransfersTest, AnEmptyChunkIsAViolation) {
  StartUpload(kMiB);
  Send(kA, kTicket, 0, "");
  ExpectViolation();
}

TEST_F(TransfersTest, AChunkOfAnUnknownTicketIsAViolation) {
  StartUpload(kMiB);
  Send(kA, Ticket(11), 0, Pattern(5));
  ExpectViolation();
}

TEST_F(TransfersTest, AChunkOfADownloadIsAViolation) {
  StartDownload(kMiB);
  Send(kA, kTicket, 0, Pattern(5));
  ExpectViolation();
}

TEST_F(TransfersTest, AnotherSessionsTicketIsUnknown) {
  StartUpload(kMiB);
  Send(kB, kTicket, 0, Pattern(5));
  ASSERT_EQ(events_.violations().size(), 1u);
  EXPECT_EQ(events_.violations()[0].first, kB);
}

TEST_F(TransfersTest, ChunksAfterTheEndAreAViolation) {
  StartUpload(5);
  Send(kA, kTicket, 0, "12345");
  ASSERT_TRUE(events_.WaitFor(kJob).has_value());
  Send(kA, kTicket, 5, "6");
  EXPECT_EQ(events_.violations().size(), 1u);
  EXPECT_EQ(events_.EndCount(kJob), 1u);
}

TEST_F(TransfersTest, AnUploadThatTheClientFailsEndsWithItsReason) {
  StartUpload(2 * kMiB);
  Send(kA, kTicket, 0, Pattern(kMiB));
  transfers_.FailUpload(
      kA, kTicket, core::MakeError(Reason::kInvalidArgument, "page is gone"));
  const auto result = events_.WaitFor(kJob);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(core::ReasonOf(result->status), Reason::kInvalidArgument);
  pool_.Stop();
  EXPECT_EQ(consumed_count_, 1);
  EXPECT_EQ(events_.EndCount(kJob), 1u);
}

TEST_F(TransfersTest, FailingAnUnknownUploadIsAViolation) {
  transfers_.FailUpload(kA, kTicket, absl::AbortedError("x"));
  ExpectViolation();
}

TEST_F(TransfersTest, ADownloadArrivesInOrderAndEndsWithItsAcknowledgement) {
  const std::string bytes = Pattern(6 * kMiB + 7);
  std::memcpy(Memory(kA, bytes.size()).data(), bytes.data(), bytes.size());
  const std::shared_ptr<RecordedBulk> bulk = AttachBulk();
  bulk->SendAtOnce();
  StartDownload(bytes.size());
  ASSERT_TRUE(bulk->WaitForChunks(7));
  std::string got;
  for (const RecordedBulk::Chunk& chunk : bulk->chunks()) {
    EXPECT_EQ(chunk.ticket, kTicket);
    EXPECT_EQ(chunk.offset, got.size());
    got += chunk.bytes;
  }
  EXPECT_TRUE(got == bytes);
  EXPECT_EQ(events_.EndCount(kJob), 0u);
  transfers_.FinishDownload(kA, kTicket, absl::OkStatus());
  const auto result = events_.WaitFor(kJob);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->status.ok());
}

TEST_F(TransfersTest, AFewChunksAreInFlightAtMost) {
  const std::shared_ptr<RecordedBulk> bulk = AttachBulk();
  StartDownload(8 * kMiB);
  ASSERT_TRUE(bulk->WaitForChunks(Transfers::kChunksInFlightMax));
  bulk->SayOneSent();
  ASSERT_TRUE(bulk->WaitForChunks(Transfers::kChunksInFlightMax + 1));
  pool_.Stop();
  EXPECT_EQ(bulk->chunks().size(), Transfers::kChunksInFlightMax + 1);
}

TEST_F(TransfersTest, DownloadsOfASessionShareWhatMayBeInFlight) {
  const std::shared_ptr<RecordedBulk> bulk = AttachBulk();
  for (uint64_t i = 0; i < 3; ++i) {
    StartDownload(Ticket(i), JobId(i), 8 * kMiB);
  }
  ASSERT_TRUE(bulk->WaitForChunks(Transfers::kChunksInFlightMax));
  pool_.Stop();
  EXPECT_EQ(bulk->chunks().size(), Transfers::kChunksInFlightMax);
}

TEST_F(TransfersTest, DownloadsThatWaitForRoomTakeTurns) {
  constexpr uint64_t kCount = 3;
  constexpr uint64_t kChunks = 4;
  const std::shared_ptr<RecordedBulk> bulk = AttachBulk();
  for (uint64_t i = 0; i < kCount; ++i) {
    StartDownload(Ticket(i), JobId(i), kChunks * kMiB);
  }
  for (uint64_t i = 0; i < kCount * kChunks; ++i) {
    ASSERT_TRUE(bulk->WaitForChunks(i + 1));
    bulk->SayOneSent();
  }
  std::map<Ticket, uint64_t> received_bytes;
  for (const RecordedBulk::Chunk& chunk : bulk->chunks()) {
    EXPECT_EQ(chunk.offset, received_bytes[chunk.ticket]);
    received_bytes[chunk.ticket] += chunk.bytes.size();
  }
  for (uint64_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(received_bytes[Ticket(i)], kChunks * kMiB);
  }
}

TEST_F(TransfersTest, DownloadsThatEndWhileTheyWaitDelayNoOther) {
  constexpr uint64_t kLast = 8 * Transfers::kChunksInFlightMax;
  const std::shared_ptr<RecordedBulk> bulk = AttachBulk();
  for (uint64_t i = 0; i <= kLast; ++i) {
    StartDownload(Ticket(i), JobId(i), 8 * kMiB);
  }
  ASSERT_TRUE(bulk->WaitForChunks(Transfers::kChunksInFlightMax));
  for (uint64_t i = 0; i < kLast; ++i) {
    transfers_.FinishDownload(kA, Ticket(i),
                              absl::ResourceExhaustedError("full"));
    ASSERT_TRUE(events_.WaitFor(JobId(i)).has_value());
  }
  const auto chunks_of_last = [&] {
    uint64_t count = 0;
    for (const RecordedBulk::Chunk& chunk : bulk->chunks()) {
      if (chunk.ticket == Ticket(kLast)) ++count;
    }
    return count;
  };
  for (size_t sent = 0; chunks_of_last() < 8; ++sent) {
    ASSERT_TRUE(bulk->WaitForChunks(sent + 1));
    bulk->SayOneSent();
  }
}

TEST_F(TransfersTest, ADownloadWaitsForItsBulkStream) {
  StartDownload(kMiB);
  const std::shared_ptr<RecordedBulk> bulk = AttachBulk();
  EXPECT_TRUE(bulk->WaitForChunks(1));
}

TEST_F(TransfersTest, AcknowledgingWhatWasNotSentIsAViolation) {
  const std::shared_ptr<RecordedBulk> bulk = AttachBulk();
  StartDownload(8 * kMiB);
  ASSERT_TRUE(bulk->WaitForChunks(Transfers::kChunksInFlightMax));
  transfers_.FinishDownload(kA, kTicket, absl::OkStatus());
  ExpectViolation();
}

TEST_F(TransfersTest, AcknowledgingAnUnknownTicketIsAViolation) {
  transfers_.FinishDownload(kA, kTicket, absl::OkStatus());
  ExpectViolation();
}

TEST_F(TransfersTest, ADownloadThatTheClientRefusesEndsEarly) {
  const std::shared_ptr<RecordedBulk> bulk = AttachBulk();
  StartDownload(8 * kMiB);
  ASSERT_TRUE(bulk->WaitForChunks(1));
  transfers_.FinishDownload(kA, kTicket, absl::ResourceExhaustedError("full"));
  const auto result = events_.WaitFor(kJob);
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->status.ok());
  bulk->SayOneSent();
  pool_.Stop();
  EXPECT_LE(bulk->chunks().size(), Transfers::kChunksInFlightMax);
}

TEST_F(TransfersTest, CancellingEndsWhatWaitsForTheClient) {
  StartUpload(2 * kMiB);
  Send(kA, kTicket, 0, Pattern(kMiB));
  StartDownload(Ticket(11), JobId(101), kMiB);
  transfers_.CancelSession(kA);
  for (const JobId job : {kJob, JobId(101)}) {
    const auto result = events_.WaitFor(job);
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(core::ReasonOf(result->status), Reason::kConnectionLost);
  }
  // What still comes from it is dropped, and no more jobs of it run.
  Send(kA, kTicket, kMiB, Pattern(kMiB));
  transfers_.FinishDownload(kA, Ticket(11), absl::OkStatus());
  StartUpload(Ticket(12), JobId(102), kMiB);
  EXPECT_TRUE(events_.WaitFor(JobId(102)).has_value());
  EXPECT_TRUE(events_.violations().empty());
  transfers_.CancelSession(kA);
  pool_.Stop();
  EXPECT_EQ(consumed_count_, sent_count_);
}

TEST_F(TransfersTest, ManyTransfersAtOnceAllArrive) {
  constexpr uint64_t kCount = 64;
  const std::string bytes = Pattern(kBytes / kCount);
  const std::shared_ptr<RecordedBulk> bulk = AttachBulk();
  bulk->SendAtOnce();
  for (uint64_t i = 0; i < kCount; ++i) {
    StartUpload(Ticket(i), JobId(i), bytes.size(), i * bytes.size());
  }
  for (uint64_t i = 0; i < kCount; ++i) Send(kA, Ticket(i), 0, bytes);
  for (uint64_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(events_.WaitFor(JobId(i)).has_value());
    StartDownload(Ticket(1000 + i), JobId(1000 + i), bytes.size(),
                  i * bytes.size());
  }
  ASSERT_TRUE(bulk->WaitForChunks(kCount));
  for (const RecordedBulk::Chunk& chunk : bulk->chunks()) {
    EXPECT_TRUE(chunk.bytes == bytes);
    transfers_.FinishDownload(kA, chunk.ticket, absl::OkStatus());
    EXPECT_TRUE(events_.WaitFor(JobId(chunk.ticket.value())).has_value());
  }
  EXPECT_TRUE(events_.violations().empty());
}

}  // namespace
}  // namespace ascend::server
