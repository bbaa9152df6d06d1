#include "client/runtime/transfer_table.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"

namespace ascend::client {

using core::MakeError;
using core::Reason;

absl::Status SendUpload(Transport& transport, core::Ticket ticket,
                        const core::PitchedBytes& host) {
  if (host.rows == 1) {
    return transport.SendUpload(ticket, std::span(host.data, host.row_bytes));
  }
  const std::string packed = host.Read(0, host.bytes());
  return transport.SendUpload(ticket, std::as_bytes(std::span(packed)));
}

TransferTable::~TransferTable() { Stop(); }

void TransferTable::Bind(Transport* transport) { transport_ = transport; }

void TransferTable::AddDownload(core::Ticket ticket, core::PitchedBytes target,
                                std::shared_ptr<HostBlock> block,
                                TaskPosition position) {
  auto transfer = std::make_shared<Transfer>();
  transfer->is_download = true;
  transfer->host = target;
  transfer->block = std::move(block);
  Insert(ticket, std::move(transfer), position);
}

void TransferTable::AddUpload(core::Ticket ticket, core::PitchedBytes source,
                              std::shared_ptr<HostBlock> block,
                              TaskPosition position) {
  auto transfer = std::make_shared<Transfer>();
  transfer->host = source;
  transfer->block = std::move(block);
  Insert(ticket, std::move(transfer), position);
}

void TransferTable::AddUpload(core::Ticket ticket, std::string copy,
                              TaskPosition position) {
  auto transfer = std::make_shared<Transfer>();
  transfer->copy = std::move(copy);
  transfer->host =
      core::PitchedBytes::OneRow(transfer->copy.data(), transfer->copy.size());
  Insert(ticket, std::move(transfer), position);
}

void TransferTable::Insert(core::Ticket ticket,
                           std::shared_ptr<Transfer> transfer,
                           TaskPosition position) {
  core::MutexLock lock(mutex_);
  transfer->is_queued = !position.stream.is_null();
  if (transfer->is_queued) {
    queues_[position.stream].push_back({position.number, ticket});
    if (transfer->is_download) ++queued_download_count_;
  }
  transfers_[ticket] = std::move(transfer);
}

void TransferTable::Erase(core::Ticket ticket) {
  const auto found = transfers_.find(ticket);
  if (found == transfers_.end()) return;
  const Transfer& transfer = *found->second;
  if (transfer.is_queued && transfer.is_download) {
    --queued_download_count_;
  }
  transfers_.erase(found);
}

void TransferTable::Remove(core::Ticket ticket) {
  core::MutexLock lock(mutex_);
  const auto found = transfers_.find(ticket);
  if (found == transfers_.end()) return;
  const std::shared_ptr<Transfer> transfer = found->second;
  while (transfer->is_being_written) written_.Wait(mutex_);
  Erase(ticket);
}

bool TransferTable::has_queued_downloads() const {
  core::MutexLock lock(mutex_);
  return queued_download_count_ > 0;
}

void TransferTable::OnHostData(core::Ticket ticket, uint64_t offset,
                               std::span<const std::byte> bytes) {
  std::shared_ptr<Transfer> transfer;
  {
    core::MutexLock lock(mutex_);
    const auto found = transfers_.find(ticket);
    // The daemon sends only what was asked for; anything else has no place
    // to go.
    if (found == transfers_.end() || !found->second->is_download) return;
    transfer = found->second;
    if (offset != transfer->received_bytes ||
        bytes.size() > transfer->host.bytes() - offset) {
      return;
    }
    transfer->is_being_written = true;
  }
  // Outside the mutex: a chunk may be a mebibyte.
  transfer->host.Write(offset, bytes.data(), bytes.size());
  core::MutexLock lock(mutex_);
  transfer->is_being_written = false;
  written_.NotifyAll();
  transfer->received_bytes += bytes.size();
  if (transfer->received_bytes < transfer->host.bytes()) return;
  if (transfer->host.bytes() > core::kInlineBytesMax) {
    transport_->FinishDownload(ticket, absl::OkStatus());
  }
}

void TransferTable::OnHostDataFailed(core::Ticket ticket,
                                     const absl::Status& why) {
  transport_->FinishDownload(ticket, why);
}

void TransferTable::OnTransferDue(core::Ticket ticket) {
  core::MutexLock lock(mutex_);
  if (is_stopped_) return;
  due_.push_back(ticket);
  if (!copy_thread_.joinable()) {
    copy_thread_ = std::thread([this] { RunCopyThread(); });
  }
  work_.NotifyOne();
}

void TransferTable::OnRetired(core::StreamHandle stream, uint64_t retired) {
  core::MutexLock lock(mutex_);
  const auto found = queues_.find(stream);
  if (found == queues_.end()) return;
  std::deque<QueuedTransfer>& queue = found->second;
  while (!queue.empty() && queue.front().number <= retired) {
    Erase(queue.front().ticket);
    queue.pop_front();
  }
  if (queue.empty()) queues_.erase(found);
}

void TransferTable::RunCopyThread() {
  for (;;) {
    core::Ticket ticket;
    std::shared_ptr<Transfer> transfer;
    {
      core::MutexLock lock(mutex_);
      while (due_.empty() && !is_stopped_) work_.Wait(mutex_);
      if (is_stopped_) return;
      ticket = due_.front();
      due_.pop_front();
      const auto found = transfers_.find(ticket);
      if (found != transfers_.end()) transfer = found->second;
    }
    if (transfer == nullptr) {
      transport_->FailUpload(
          ticket, MakeError(Reason::kInternal,
                            absl::StrCat("no bytes are kept for the copy with "
                                         "ticket ",
                                         ticket.value())));
      continue;
    }
    // A failure means that the connection is lost, which the sink hears too.
    SendUpload(*transport_, ticket, transfer->host).IgnoreError();
  }
}

void TransferTable::Stop() {
  std::thread copy_thread;
  {
    core::MutexLock lock(mutex_);
    is_stopped_ = true;
    work_.NotifyAll();
    copy_thread.swap(copy_thread_);
  }
  if (copy_thread.joinable()) copy_thread.join();
}

}  // namespace ascend::client
