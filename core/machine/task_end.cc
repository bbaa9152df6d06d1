// A task's end: its units go back at the modelled tick, it retires when its job
// is done as well.

#include <utility>

#include "core/machine/machine_impl.h"
#include "core/machine/violation.h"
#include "core/sched/claim.h"

namespace ascend::core {
namespace {

// Device memory, as far as anybody may wait for a word of it.
bool MayHaveWritten(const TaskRecord& record) {
  const TaskWork& work = record.what.work;
  if (const auto* copy = std::get_if<CopyWork>(&work)) {
    return copy->kind != CopyKind::kDeviceToHost;
  }
  return std::holds_alternative<KernelWork>(work) ||
         std::holds_alternative<FillWork>(work);
}

}  // namespace

void Machine::Impl::EndTask(TaskRecord& record) {
  record.is.end_tick = now_;
  if (!IsEmpty(record.what.claim)) {
    if (!IsEmpty(record.held)) GiveUnits(NpuOf(record.what.device), record);
    if (record.stream != nullptr) record.stream->queue.NoteDeviceWorkEnd(now_);
    Account(record);
  }
  if (record.is_job_running) {
    record.is.state = TaskState::kLate;
    ++record.session->late_count;
    return;
  }
  Retire(record);
}

void Machine::Impl::GiveUnits(Npu& npu, TaskRecord& record) {
  const Tick ticks = now_ - record.hold_start_tick;
  npu.units.Give(record.held, now_);
  npu.scheduler.EndWhole(record.session->options.tenant, record.held, ticks);
  record.session->unit_ticks.Add(record.held, ticks);
  record.held = {};
  ScheduleDispatch(npu);
}

void Machine::Impl::Account(TaskRecord& record) {
  SessionState& session = *record.session;
  const Tick ticks = record.is.end_tick - record.is.start_tick;
  if (record.what.is_kernel()) {
    ++session.kernel_count;
    session.kernel_ticks += ticks;
    return;
  }
  if (const auto* copy = std::get_if<CopyWork>(&record.what.work)) {
    ++session.copy_count;
    session.copied_bytes += copy->bytes * copy->rows;
    session.copy_ticks += ticks;
  }
}

void Machine::Impl::Retire(TaskRecord& record) {
  SessionState& session = *record.session;
  StreamState* stream = record.stream;
  --session.in_flight_count;
  NoteInTrace(record);
  if (options_.reports_trace) ReportSpan(record);
  if (record.is.state == TaskState::kLate) --session.late_count;
  if (!session.is_closing) {
    const bool is_news = stream != nullptr && !record.wants_reply &&
                         !record.result.ok() && stream->first_error.status.ok();
    SettleResult(record);
    if (is_news) NoteFailure(record);
    if (MayHaveWritten(record)) NoteWrite(session);
  }
  if (stream != nullptr) stream->queue.RetireHead();
  ReleaseTask(record);
  if (session.is_closing) return FinishCloseIfIdle(session);
  RetireMemory(session);
  if (stream == nullptr) return;
  ReportProgress(session, *stream);
  PumpStream(*stream);
  RaiseFence(*stream);
}

void Machine::Impl::ReportSpan(const TaskRecord& record) {
  const TaskInstance& is = record.is;
  observer_.OnTaskSpan({.session = record.session->id,
                        .rank = record.session->options.rank,
                        .device = record.what.device,
                        .what = &record.what,
                        .stream = record.stream == nullptr
                                      ? StreamHandle()
                                      : record.stream->handle,
                        .value = is.value,
                        .admit_tick = is.admit_tick,
                        .ready_tick = is.ready_tick,
                        .start_tick = is.start_tick,
                        .end_tick = is.end_tick == 0 ? now_ : is.end_tick});
}

void Machine::Impl::SettleResult(TaskRecord& record) {
  SessionState& session = *record.session;
  SettleEvent(record);
  SettleNotify(record);
  if (record.result.ok() && !record.payload.empty()) {
    observer_.OnHostData(session.id, record.is.ticket,
                         std::move(record.payload));
  }
  if (record.wants_reply) {
    return AnswerPending(session, record.is.ticket, std::move(record.result));
  }
  if (record.result.ok()) return;
  StreamState& stream = *record.stream;
  stream.last_error = {.status = std::move(record.result),
                       .value = record.is.value,
                       .number = ++session.error_count};
  if (stream.first_error.status.ok()) stream.first_error = stream.last_error;
}

void Machine::Impl::SettleEvent(TaskRecord& record) {
  const auto find = [&](EventHandle handle) {
    return record.session->events.Find(handle);
  };
  // The event may have been destroyed, recorded anew or reset anew.
  if (const auto* work = std::get_if<RecordWork>(&record.what.work)) {
    EventState* const event = find(work->event);
    if (event == nullptr || event->stream != record.stream->handle ||
        event->value != record.is.value) {
      return;
    }
    event->is_complete = true;
    event->record_tick = now_;
  } else if (const auto* reset = std::get_if<ResetWork>(&record.what.work)) {
    EventState* const event = find(reset->event);
    if (event == nullptr || !event->is_reset ||
        event->reset_stream != record.stream->handle ||
        event->reset_value != record.is.value) {
      return;
    }
    event->is_reset = false;
    event->is_recorded = false;
    event->is_complete = false;
  } else if (const auto* wait = std::get_if<WaitWork>(&record.what.work)) {
    EventState* const event = find(wait->event);
    if (event != nullptr) --event->wait_count;
  }
}

void Machine::Impl::SettleNotify(TaskRecord& record) {
  const auto* const work = std::get_if<NotifyWork>(&record.what.work);
  if (work == nullptr) return;
  if (work->is_record && record.result.ok()) SetNotify(record);
  LeaveNotify(record);
}

void Machine::Impl::ReportProgress(SessionState& session, StreamState& stream) {
  const uint64_t retired = stream.queue.retired();
  if (stream.queue.pending() > 0 &&
      retired - stream.reported_retired < kProgressInterval) {
    return;
  }
  stream.reported_retired = retired;
  observer_.OnStreamProgress(session.id, stream.handle, retired);
}

void Machine::Impl::ReleaseTask(TaskRecord& record) {
  SessionState& session = *record.session;
  if (record.stream == nullptr) session.loose_tasks.erase(record.id);
  session.tasks.Retire(record.is.number);
  --session.tasks_pending;
  session.held_bytes -= record.held_bytes;
  tasks_.Release(record);
}

}  // namespace ascend::core
