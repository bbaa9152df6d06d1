#include "server/transfers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"

namespace ascend::server {
namespace {

using core::JobId;
using core::MakeError;
using core::MutexLock;
using core::Reason;
using core::SessionId;
using core::Ticket;

absl::Status SessionEnds() {
  return MakeError(Reason::kConnectionLost,
                   "the copy is given up, since its session ends");
}

absl::Status UnknownTicket(absl::string_view what, Ticket ticket) {
  return MakeError(Reason::kProtocolViolation,
                   absl::StrCat("the client sends ", what, " of ticket ",
                                ticket.value(), ", which names no such copy"));
}

// Has pages that are not there come into being here and not where they are
// sent.
void Touch(BulkBytes::Piece piece) {
  constexpr size_t kPageBytes = 4096;
  for (size_t at = 0; at < piece.size(); at += kPageBytes) {
    static_cast<void>(*static_cast<const volatile std::byte*>(&piece[at]));
  }
}

}  // namespace

Transfers::~Transfers() = default;

void Transfers::OpenSession(SessionId session) {
  MutexLock lock(mutex_);
  sessions_[session];
}

void Transfers::CancelSession(SessionId session) {
  std::vector<std::shared_ptr<Transfer>> ended;
  std::shared_ptr<BulkSink> bulk;  // let go of without the mutex
  {
    MutexLock lock(mutex_);
    const auto entry = sessions_.find(session);
    if (entry == sessions_.end()) return;
    entry->second.is_cancelled = true;
    entry->second.waiting.clear();
    bulk.swap(entry->second.bulk);
    std::vector<std::shared_ptr<Transfer>> all;
    for (auto& [ticket, upload] : entry->second.uploads) all.push_back(upload);
    for (auto& [ticket, load] : entry->second.downloads) all.push_back(load);
    for (std::shared_ptr<Transfer>& transfer : all) {
      transfer->is_over = true;
      transfer->status.Update(SessionEnds());
      if (TakeIfEnded(*transfer)) ended.push_back(std::move(transfer));
    }
    if (all.empty()) sessions_.erase(session);
  }
  for (const std::shared_ptr<Transfer>& transfer : ended) Report(*transfer);
}

void Transfers::StartUpload(SessionId session, Ticket ticket, JobId job,
                            SegmentStore::Lease target,
                            core::PitchedBytes rows) {
  auto upload = std::make_shared<Transfer>();
  upload->session = session;
  upload->ticket = ticket;
  upload->job = job;
  upload->memory = std::move(target);
  upload->rows = rows;
  {
    MutexLock lock(mutex_);
    if (Session* const open = FindListening(session)) {
      open->uploads[ticket] = std::move(upload);
      return;
    }
  }
  events_.OnJobEnded(job, {SessionEnds(), ""});
}

void Transfers::StartDownload(SessionId session, Ticket ticket, JobId job,
                              SegmentStore::Lease source,
                              core::PitchedBytes rows) {
  auto download = std::make_shared<Download>();
  download->session = session;
  download->ticket = ticket;
  download->job = job;
  download->kept = std::make_shared<const SegmentStore::Lease>(source);
  download->memory = std::move(source);
  download->rows = rows;
  {
    MutexLock lock(mutex_);
    if (Session* const open = FindListening(session)) {
      open->downloads[ticket] = download;
      ReadOn(download);
      return;
    }
  }
  events_.OnJobEnded(job, {SessionEnds(), ""});
}

void Transfers::AttachBulk(SessionId session, std::shared_ptr<BulkSink> sink) {
  MutexLock lock(mutex_);
  Session* const open = FindListening(session);
  if (open == nullptr) return;
  open->bulk.swap(sink);
  for (const auto& [ticket, download] : open->downloads) ReadOn(download);
}

void Transfers::ReceiveChunk(SessionId session, Ticket ticket, uint64_t offset,
                             BulkBytes bytes, std::function<void()> consumed) {
  absl::Status violation;
  std::shared_ptr<Transfer> upload;
  {
    MutexLock lock(mutex_);
    if (Session* const open = FindListening(session)) {
      const auto entry = open->uploads.find(ticket);
      if (entry == open->uploads.end()) {
        violation = UnknownTicket("bytes", ticket);
      } else if (entry->second->is_over || bytes.empty() ||
                 offset != entry->second->moved_bytes ||
                 bytes.size() > entry->second->rows.bytes() - offset) {
        violation = MakeError(
            Reason::kProtocolViolation,
            absl::StrCat("the client sends ", bytes.size(), " bytes at offset ",
                         offset, " of ticket ", ticket.value(), ", of which ",
                         entry->second->moved_bytes, " of ",
                         entry->second->rows.bytes(), " bytes are here"));
      } else {
        upload = entry->second;
        upload->moved_bytes += bytes.size();
        ++upload->busy_count;
        upload->is_over = upload->moved_bytes == upload->rows.bytes();
      }
    }
  }
  if (upload == nullptr) {
    consumed();
    if (!violation.ok()) events_.OnViolation(session, std::move(violation));
    return;
  }
  pool_.Submit(session,
               [this, upload = std::move(upload), offset,
                bytes = std::move(bytes), consumed = std::move(consumed)] {
                 upload->memory.Settle();
                 // At most wire::kChunkBytesMax, so it is one slice.
                 uint64_t at = offset;
                 for (const BulkBytes::Piece piece : bytes.pieces()) {
                   upload->rows.Write(at, piece.data(), piece.size());
                   at += piece.size();
                 }
                 consumed();
                 OnChunkWritten(*upload);
                 return false;
               });
}

void Transfers::OnChunkWritten(Transfer& upload) {
  bool is_ended = false;
  {
    MutexLock lock(mutex_);
    --upload.busy_count;
    is_ended = TakeIfEnded(upload);
  }
  if (is_ended) Report(upload);
}

void Transfers::FailUpload(SessionId session, Ticket ticket, absl::Status why) {
  std::shared_ptr<Transfer> upload;
  {
    MutexLock lock(mutex_);
    Session* const open = FindListening(session);
    if (open == nullptr) return;
    const auto entry = open->uploads.find(ticket);
    if (entry != open->uploads.end() && !entry->second->is_over) {
      upload = entry->second;
      upload->is_over = true;
      upload->status = std::move(why);
      if (!TakeIfEnded(*upload)) return;
    }
  }
  if (upload == nullptr) {
    events_.OnViolation(session, UnknownTicket("a failed upload", ticket));
  } else {
    Report(*upload);
  }
}

void Transfers::FinishDownload(SessionId session, Ticket ticket,
                               absl::Status status) {
  absl::Status violation;
  std::shared_ptr<Download> download;
  {
    MutexLock lock(mutex_);
    Session* const open = FindListening(session);
    if (open == nullptr) return;
    const auto entry = open->downloads.find(ticket);
    if (entry == open->downloads.end() || entry->second->is_over) {
      violation = UnknownTicket("an acknowledgement", ticket);
    } else if (status.ok() &&
               entry->second->moved_bytes < entry->second->rows.bytes()) {
      violation = MakeError(
          Reason::kProtocolViolation,
          absl::StrCat("the client acknowledges ticket ", ticket.value(),
                       " when ", entry->second->moved_bytes, " of its ",
                       entry->second->rows.bytes(), " bytes were sent"));
    } else {
      download = entry->second;
      download->is_over = true;
      download->status = std::move(status);
      if (!TakeIfEnded(*download)) return;
    }
  }
  if (download == nullptr) {
    events_.OnViolation(session, std::move(violation));
  } else {
    Report(*download);
  }
}

bool Transfers::HasMore(const Download& download) {
  return !download.is_over && download.moved_bytes < download.rows.bytes();
}

void Transfers::ReadOn(const std::shared_ptr<Download>& download) {
  // One reader at a time keeps the chunks in order.
  if (download->busy_count != 0 || !HasMore(*download)) return;
  const auto session = sessions_.find(download->session);
  if (session == sessions_.end() || session->second.bulk == nullptr) return;
  ++download->busy_count;
  pool_.Submit(download->session,
               [this, download] { return SendNextChunk(download); });
}

void Transfers::GoOnWaiting(Session& session) {
  uint32_t room = kChunksInFlightMax - session.in_flight_count;
  while (room > 0 && !session.waiting.empty()) {
    const std::shared_ptr<Download> next = std::move(session.waiting.front());
    session.waiting.pop_front();
    next->is_waiting = false;
    if (!HasMore(*next)) continue;  // ended while it waited
    ReadOn(next);
    --room;
  }
}

BulkBytes Transfers::ChunkOf(const Download& download, uint64_t offset,
                             uint64_t bytes) {
  // Rows are put together here, one row is sent from where it lies.
  if (download.rows.rows > 1) return download.rows.Read(offset, bytes);
  const BulkBytes::Piece piece(download.rows.data + offset, bytes);
  Touch(piece);
  BulkBytes chunk(download.kept);
  chunk.Append(piece);
  return chunk;
}

bool Transfers::SendNextChunk(const std::shared_ptr<Download>& download) {
  std::shared_ptr<BulkSink> bulk;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  bool is_ended = false;
  {
    MutexLock lock(mutex_);
    // There as long as the download is.
    Session& session = sessions_.find(download->session)->second;
    if (session.bulk == nullptr || !HasMore(*download)) {
      --download->busy_count;
      GoOnWaiting(session);
      is_ended = TakeIfEnded(*download);
    } else if (session.in_flight_count == kChunksInFlightMax) {
      --download->busy_count;
      if (!std::exchange(download->is_waiting, true)) {
        session.waiting.push_back(download);
      }
    } else {
      bulk = session.bulk;
      ++session.in_flight_count;
      offset = download->moved_bytes;
      bytes = std::min(kChunkBytes, download->rows.bytes() - offset);
      download->moved_bytes += bytes;
    }
  }
  if (bulk == nullptr) {
    if (is_ended) Report(*download);
    return false;
  }
  download->memory.Settle();
  bulk->SendChunk(
      download->ticket, offset, ChunkOf(*download, offset, bytes),
      [this, session = download->session] { OnChunkSent(session); });
  return true;
}

void Transfers::OnChunkSent(SessionId session) {
  MutexLock lock(mutex_);
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return;
  --entry->second.in_flight_count;
  GoOnWaiting(entry->second);
}

Transfers::Session* Transfers::FindListening(SessionId session) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end() || entry->second.is_cancelled) return nullptr;
  return &entry->second;
}

bool Transfers::TakeIfEnded(Transfer& transfer) {
  if (!transfer.is_over || transfer.busy_count != 0 || transfer.is_reported) {
    return false;
  }
  transfer.is_reported = true;
  transfer.memory = SegmentStore::Lease();
  const auto entry = sessions_.find(transfer.session);
  Session& session = entry->second;
  // A ticket is an upload or a download, never both.
  session.uploads.erase(transfer.ticket);
  session.downloads.erase(transfer.ticket);
  if (session.is_cancelled && session.uploads.empty() &&
      session.downloads.empty()) {
    sessions_.erase(entry);
  }
  return true;
}

void Transfers::Report(const Transfer& transfer) {
  events_.OnJobEnded(transfer.job, {transfer.status, ""});
}

}  // namespace ascend::server
