// Commands that become tasks. What can be refused is refused here, but a task
// of a stream keeps its place there and fails when its turn comes.

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/machine/machine_impl.h"
#include "core/machine/violation.h"
#include "core/mem/device_window.h"
#include "core/sched/claim.h"

namespace ascend::core {
namespace {

constexpr Claim kOneDma = {.cube = 0, .aiv = 0, .dma = 1};

uint64_t DeviceAddress(const Copy& copy) {
  return copy.kind == CopyKind::kDeviceToHost ? copy.source : copy.target;
}

// From the first byte of the first row to the last of the last.
uint64_t FootprintBytes(const CopyWork& copy, uint64_t pitch) {
  return copy.rows == 1 ? copy.bytes : pitch * (copy.rows - 1) + copy.bytes;
}

// The error of a transfer whose device memory is not what it should be.
absl::Status RefuseTransfer(absl::string_view what, uint64_t bytes,
                            absl::string_view preposition, uint64_t address,
                            const absl::Status& why) {
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat(what, " of ", bytes, " bytes ", preposition,
                                " device address 0x", absl::Hex(address),
                                " is refused: ", why.message()));
}

// A kernel that touches what it must not fails as its body would on the chip.
absl::Status KernelFault(const KernelDescriptor& kernel,
                         absl::string_view what) {
  const Reason reason = kernel.core_kind == CoreKind::kVector
                            ? Reason::kVectorFault
                            : Reason::kCubeFault;
  return MakeError(reason,
                   absl::StrCat("kernel '", kernel.name, "' fails: ", what));
}

// It would wait for ever.
absl::Status TooLarge(const KernelDescriptor& kernel, const Claim& claim,
                      const Claim& device) {
  const auto text = [](const Claim& units) {
    return absl::StrCat(units.cube, " CUBE, ", units.aiv, " AIV and ",
                        units.dma, " DMA units");
  };
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat("kernel '", kernel.name, "' claims ", text(claim),
                   ", but the device has ", text(device)));
}

}  // namespace

TaskRecord& Machine::Impl::NewTask(SessionState& session,
                                   const Command& command, StreamState* stream,
                                   TaskTemplate&& what) {
  TaskRecord& record = tasks_.Acquire();
  record.what = std::move(what);
  record.is.ticket = command.ticket;
  record.is.lane = command.lane;
  record.is.admit_tick = now_;
  record.is.number = session.tasks.Submit();
  record.session = &session;
  record.stream = stream;
  if (const auto* copy = std::get_if<CopyWork>(&record.what.work)) {
    record.held_bytes = copy->inline_data.size();
  } else if (const auto* kernel = std::get_if<KernelWork>(&record.what.work)) {
    record.held_bytes = kernel->args.size();
  }
  session.held_bytes += record.held_bytes;
  ++session.tasks_pending;
  return record;
}

absl::Status Machine::Impl::AddToStream(SessionState& session,
                                        const Command& command,
                                        StreamHandle handle,
                                        TaskTemplate&& what) {
  StreamState* stream = session.FindStream(handle);
  ASCEND_CHECK(stream != nullptr) << "the caller looked the stream up";
  if (stream->queue.pending() >= options_.spec.stream_depth) {
    return Violation(absl::StrCat("stream 0x", absl::Hex(handle.ToBits()),
                                  " has ", stream->queue.pending(),
                                  " tasks in flight and gets one more"));
  }
  what.device = stream->device;
  TaskRecord& record = NewTask(session, command, stream, std::move(what));
  record.wants_reply = IsRequest(command.operation);
  record.is.value = stream->queue.Append(record.id);
  if (stream->queue.head() == record.id) PumpStream(*stream);
  return absl::OkStatus();
}

absl::Status Machine::Impl::AddTransfer(SessionState& session,
                                        const Command& command,
                                        StreamHandle stream,
                                        uint64_t device_address,
                                        bool wants_reply, TaskTemplate&& what) {
  if (stream.is_null() && !wants_reply) {
    return Violation(absl::StrCat(OperationName(command.operation),
                                  " has neither stream nor reply, so nobody "
                                  "could learn of its end"));
  }
  if (stream.is_null() && !what.refusal.ok()) {
    Answer(session, command, what.refusal);
    return absl::OkStatus();
  }
  if (wants_reply) {
    PendingRequest& pending = session.pending[command.ticket];
    pending.kind = PendingRequest::Kind::kCopy;
    pending.lane = command.lane;
  }
  const auto* const copy = std::get_if<CopyWork>(&what.work);
  const bool is_by_cpu = copy != nullptr && copy->is_by_cpu;
  if (what.refusal.ok() && !is_by_cpu) what.claim = kOneDma;
  if (!stream.is_null()) {
    return AddToStream(session, command, stream, std::move(what));
  }
  const auto device = DeviceOfVa(device_address, options_.device_count);
  ASCEND_CHECK(device.has_value()) << "the range was found to be allocated";
  what.device = *device;
  TaskRecord& record = NewTask(session, command, nullptr, std::move(what));
  record.wants_reply = true;
  session.loose_tasks.insert(record.id);
  if (is_by_cpu) {
    Start(record);
  } else {
    RequestUnits(record);
  }
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               Copy& copy) {
  if (!copy.stream.is_null() && session.FindStream(copy.stream) == nullptr) {
    return HandleViolation("Copy", "stream", copy.stream.ToBits());
  }
  if (!HasLegalRows(copy)) {
    return Violation(absl::StrCat("Copy has ", copy.rows, " rows of ",
                                  copy.bytes, " bytes with pitches of ",
                                  copy.target_pitch, " and ",
                                  copy.source_pitch));
  }
  const uint64_t bytes = copy.bytes * copy.rows;
  const bool takes_bytes = copy.kind == CopyKind::kHostToDevice;
  if (!copy.inline_data.empty() &&
      (!takes_bytes || copy.inline_data.size() != bytes ||
       bytes > kInlineBytesMax)) {
    return Violation(absl::StrCat("Copy of ", bytes, " bytes carries ",
                                  copy.inline_data.size(), " inline"));
  }
  CopyWork work{.kind = copy.kind,
                .target = copy.target,
                .source = copy.source,
                .bytes = copy.bytes,
                .rows = copy.rows,
                .target_pitch = copy.target_pitch,
                .source_pitch = copy.source_pitch,
                .is_by_cpu = copy.is_by_cpu,
                .inline_data = std::move(copy.inline_data)};
  TaskTemplate what;
  what.refusal = PrepareCopy(session, work);
  what.work = std::move(work);
  return AddTransfer(session, command, copy.stream, DeviceAddress(copy),
                     copy.wants_reply, std::move(what));
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const Fill& fill) {
  if (!fill.stream.is_null() && session.FindStream(fill.stream) == nullptr) {
    return HandleViolation("Fill", "stream", fill.stream.ToBits());
  }
  if ((fill.value_bytes != 1 && fill.value_bytes != 4) ||
      fill.address % fill.value_bytes != 0 ||
      fill.bytes % fill.value_bytes != 0) {
    return Violation(absl::StrCat("Fill of ", fill.bytes, " bytes at 0x",
                                  absl::Hex(fill.address), " has values of ",
                                  fill.value_bytes));
  }
  FillWork work{.address = fill.address,
                .bytes = fill.bytes,
                .value = fill.value,
                .value_bytes = fill.value_bytes,
                .is_timing_only = fill.is_timing_only};
  TaskTemplate what;
  what.refusal = PrepareFill(session, work);
  what.work = work;
  return AddTransfer(session, command, fill.stream, fill.address,
                     fill.wants_reply, std::move(what));
}

absl::Status Machine::Impl::CheckRange(const SessionState& session,
                                       uint64_t address, uint64_t bytes,
                                       Reach reach) const {
  if (bytes == 0) {
    return MakeError(Reason::kInvalidArgument, "the range has 0 bytes");
  }
  return memory_.Locate(session.id, address, bytes, reach).status();
}

absl::Status Machine::Impl::PrepareCopy(const SessionState& session,
                                        CopyWork& copy) const {
  ASCEND_CHECK(!copy.is_by_cpu || copy.kind != CopyKind::kDeviceToDevice)
      << "the decoder refuses it";
  const bool writes_device = copy.kind != CopyKind::kDeviceToHost;
  const bool reads_device = copy.kind != CopyKind::kHostToDevice;
  const uint64_t target_bytes = FootprintBytes(copy, copy.target_pitch);
  const uint64_t source_bytes = FootprintBytes(copy, copy.source_pitch);
  if (writes_device) {
    const absl::Status found =
        CheckRange(session, copy.target, target_bytes, Reach::kLive);
    if (!found.ok()) {
      return RefuseTransfer("copy", target_bytes, "to", copy.target, found);
    }
  }
  if (reads_device) {
    const absl::Status found =
        CheckRange(session, copy.source, source_bytes, Reach::kLive);
    if (!found.ok()) {
      return RefuseTransfer("copy", source_bytes, "from", copy.source, found);
    }
  }
  // All devices are of one kind, so any of them prices the copy.
  const DmaEngine& dma = npus_.front()->dma;
  if (!writes_device || !reads_device) {
    const uint64_t bytes = copy.bytes * copy.rows;
    copy.duration_ticks =
        copy.is_by_cpu ? dma.CpuCopyTicks(bytes) : dma.HostCopyTicks(bytes);
    return absl::OkStatus();
  }
  ASCEND_ASSIGN_OR_RETURN(
      const std::vector<PhysicalExtent> source,
      memory_.Translate(session.id, copy.source, source_bytes, Reach::kLive));
  ASCEND_ASSIGN_OR_RETURN(
      const std::vector<PhysicalExtent> target,
      memory_.Translate(session.id, copy.target, target_bytes, Reach::kLive));
  copy.duration_ticks =
      dma.DeviceCopyTicks(source, target, copy.bytes * copy.rows, copy.rows);
  return absl::OkStatus();
}

absl::Status Machine::Impl::PrepareFill(const SessionState& session,
                                        FillWork& fill) const {
  const absl::Status found =
      CheckRange(session, fill.address, fill.bytes, Reach::kLive);
  if (!found.ok()) {
    return RefuseTransfer("fill", fill.bytes, "at", fill.address, found);
  }
  ASCEND_ASSIGN_OR_RETURN(
      const std::vector<PhysicalExtent> extents,
      memory_.Translate(session.id, fill.address, fill.bytes, Reach::kLive));
  fill.duration_ticks = npus_.front()->dma.FillTicks(extents);
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               Launch& launch) {
  const StreamState* stream = session.FindStream(launch.stream);
  if (stream == nullptr) {
    return HandleViolation("Launch", "stream", launch.stream.ToBits());
  }
  const KernelDescriptor* kernel =
      options_.catalog->Get(KernelId(launch.kernel));
  if (kernel == nullptr) {
    return Violation(absl::StrCat("Launch names kernel ", launch.kernel, " of ",
                                  options_.catalog->descriptors().size()));
  }
  if (launch.num_blocks == 0) {
    return Violation(
        absl::StrCat("Launch of '", kernel->name, "' has 0 blocks"));
  }
  const bool is_fetched = launch.args_address != 0;
  if (is_fetched && launch.is_timing_only) {
    return Violation(absl::StrCat("Launch of '", kernel->name,
                                  "' is timing-only and has its arguments in "
                                  "device memory"));
  }
  const uint64_t args_bytes =
      is_fetched ? launch.args_bytes : launch.args.size();
  if (args_bytes == 0 || args_bytes > kLaunchArgsBytesMax ||
      (is_fetched && !launch.args.empty())) {
    return Violation(
        absl::StrCat("Launch of '", kernel->name, "' has ", launch.args.size(),
                     " argument bytes inline and ", launch.args_bytes,
                     " in device memory, of at most ", kLaunchArgsBytesMax));
  }
  TaskTemplate what;
  what.device = stream->device;  // whose hold mode counts
  what.work = KernelWork{.kernel = kernel,
                         .num_blocks = launch.num_blocks,
                         .args = std::move(launch.args),
                         .args_address = launch.args_address,
                         .args_bytes = launch.args_bytes,
                         .is_timing_only = launch.is_timing_only};
  if (!is_fetched) {
    what.refusal = PrepareLaunch(session, what);
  } else if (const absl::Status found = CheckRange(
                 session, launch.args_address, launch.args_bytes, Reach::kLive);
             !found.ok()) {
    what.refusal = KernelFault(
        *kernel,
        absl::StrCat("its argument block at 0x", absl::Hex(launch.args_address),
                     ", of ", launch.args_bytes,
                     " bytes, cannot be read: ", found.message()));
  }
  return AddToStream(session, command, launch.stream, std::move(what));
}

absl::Status Machine::Impl::PrepareLaunch(SessionState& session,
                                          TaskTemplate& what) const {
  auto& work = std::get<KernelWork>(what.work);
  const LaunchKey key{.kernel = work.kernel->id,
                      .num_blocks = work.num_blocks,
                      .device = what.device,
                      .args = work.args};
  if (const LaunchFacts* const known =
          session.launches.Find(memory_.FreeCount(session.id), key)) {
    what.claim = known->claim;
    if (!work.is_timing_only) work.ranges = known->ranges;
    work.cost = known->cost;
    work.plan = known->plan;
    return absl::OkStatus();
  }
  ASCEND_RETURN_IF_ERROR(PrepareKernel(session, what, Reach::kLive));
  LaunchFacts facts{.claim = what.claim, .cost = work.cost, .plan = work.plan};
  if (work.is_timing_only) {
    facts.ranges = std::move(work.ranges);
    work.ranges.clear();
  } else {
    facts.ranges = work.ranges;
  }
  session.launches.Keep(key, std::move(facts));
  return absl::OkStatus();
}

absl::Status Machine::Impl::PrepareKernel(const SessionState& session,
                                          TaskTemplate& what,
                                          Reach reach) const {
  auto& work = std::get<KernelWork>(what.work);
  const KernelDescriptor& kernel = *work.kernel;
  const std::span<const std::byte> args =
      std::as_bytes(std::span(work.args.data(), work.args.size()));
  if (const absl::Status legal = kernel.check(args); !legal.ok()) {
    return KernelFault(kernel, legal.message());
  }
  work.ranges = kernel.ranges(args);
  const Npu& npu = *npus_[what.device.value()];
  const ComputeArray& compute = npu.compute;
  // What moving the ranges takes, in bytes of contiguous memory.
  double bytes = 0;
  double weighted_bytes = 0;
  for (const DeviceRange& range : work.ranges) {
    const absl::StatusOr<uint64_t> extent_bytes =
        memory_.MeanExtentBytes(session.id, range.address, range.bytes, reach);
    if (!extent_bytes.ok()) {
      return KernelFault(
          kernel,
          absl::StrCat("argument '", range.argument, "' names ", range.bytes,
                       " bytes at 0x", absl::Hex(range.address), ": ",
                       extent_bytes.status().message()));
    }
    bytes += static_cast<double>(range.bytes);
    weighted_bytes +=
        static_cast<double>(range.bytes) / compute.FlowShare(*extent_bytes);
  }
  if (bytes > 0) work.plan.flow_share = bytes / weighted_bytes;
  const Claim blocks =
      kernel.claim == Claim{}
          ? ClaimOfBlocks(kernel.core_kind, work.num_blocks, options_.spec)
          : kernel.claim;
  if (!Fits(blocks, npu.units.capacity())) {
    return TooLarge(kernel, blocks, npu.units.capacity());
  }
  work.cost = kernel.cost(args, blocks, options_.spec);
  compute.Plan(blocks, what);
  return absl::OkStatus();
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const RecordEvent& record) {
  EventState* event = session.events.Find(record.event);
  if (event == nullptr) {
    return HandleViolation("RecordEvent", "event", record.event.ToBits());
  }
  const StreamState* stream = session.FindStream(record.stream);
  if (stream == nullptr) {
    return HandleViolation("RecordEvent", "stream", record.stream.ToBits());
  }
  event->is_recorded = true;
  event->is_reset = false;
  event->is_complete = false;
  event->fence = stream->queue.fence();
  event->value = stream->queue.submitted() + 1;
  event->stream = record.stream;
  TaskTemplate what;
  what.work = RecordWork{.event = record.event};
  return AddToStream(session, command, record.stream, std::move(what));
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const ResetEvent& reset) {
  EventState* event = session.events.Find(reset.event);
  if (event == nullptr) {
    return HandleViolation("ResetEvent", "event", reset.event.ToBits());
  }
  const StreamState* stream = session.FindStream(reset.stream);
  if (stream == nullptr) {
    return HandleViolation("ResetEvent", "stream", reset.stream.ToBits());
  }
  event->is_reset = true;
  event->reset_stream = reset.stream;
  event->reset_value = stream->queue.submitted() + 1;
  TaskTemplate what;
  what.work = ResetWork{.event = reset.event};
  return AddToStream(session, command, reset.stream, std::move(what));
}

absl::Status Machine::Impl::Do(SessionState& session, const Command& command,
                               const WaitEvent& wait) {
  EventState* event = session.events.Find(wait.event);
  if (event == nullptr) {
    return HandleViolation("WaitEvent", "event", wait.event.ToBits());
  }
  if (session.FindStream(wait.stream) == nullptr) {
    return HandleViolation("WaitEvent", "stream", wait.stream.ToBits());
  }
  if (wait.timeout_ticks < 0) {
    return Violation(
        absl::StrCat("WaitEvent has a time-out of ", wait.timeout_ticks));
  }
  TaskTemplate what;
  what.work = WaitWork{.event = wait.event};
  if (event->is_recorded && !event->is_reset) {
    what.work = WaitWork{.event = wait.event, .recorded_in = event->stream};
    what.condition = {.kind = WaitCondition::Kind::kFence,
                      .fence = event->fence,
                      .value = event->value,
                      .timeout_ticks = wait.timeout_ticks};
  }
  ++event->wait_count;
  return AddToStream(session, command, wait.stream, std::move(what));
}

}  // namespace ascend::core
