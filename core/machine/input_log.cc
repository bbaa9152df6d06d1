#include "core/machine/input_log.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/command/command_codec.h"
#include "core/spec/spec_fields.h"

namespace ascend::core {

enum class InputLogWriter::Kind : uint8_t {
  kEnd,
  kAdvance,
  kOpenSession,
  kCloseSession,
  kSubmit,
  kJobDone,
  kTimer,
};

namespace {

constexpr char kName[] = "ascend-rtd input log\n";

void WriteDouble(double value, ByteWriter& out) {
  out.Unsigned(std::bit_cast<uint64_t>(value));
}

double ReadDouble(ByteReader& in) {
  return std::bit_cast<double>(in.Unsigned());
}

void WriteOptions(const MachineOptions& options, ByteWriter& out) {
  const DeviceSpec& spec = options.spec;
  out.String(spec.profile);
  out.String(spec.soc_name);
  out.Unsigned(static_cast<uint64_t>(spec.hold));
  out.Unsigned(SpecFields().size());
  for (const SpecField& field : SpecFields()) {
    out.String(field.name);
    WriteDouble(ValueOf(spec, field), out);
  }
  out.Unsigned(options.device_count);
  out.Unsigned(options.scheduling.size());
  for (const DeviceScheduling& scheduling : options.scheduling) {
    out.String(scheduling.policy);
    out.Unsigned(scheduling.hold.has_value());
    out.Unsigned(static_cast<uint64_t>(scheduling.hold.value_or(spec.hold)));
  }
  out.Signed(options.policy_options.reserve_after_ticks);
  out.Signed(options.policy_options.ageing_ticks);
  out.Unsigned(options.policy_options.preempts);
  out.Unsigned(options.seed);
  out.Unsigned(options.rank_weights.size());
  for (const uint32_t weight : options.rank_weights) out.Unsigned(weight);
  out.Unsigned(options.waits_for_jobs);
  const SessionLimits& limits = options.limits;
  out.Unsigned(limits.held_commands_max);
  out.Unsigned(limits.held_bytes_max);
  out.Unsigned(limits.requests_max);
  out.Unsigned(limits.waits_max);
  out.Unsigned(limits.allocations_max);
}

HoldMode ReadHold(ByteReader& in) {
  return static_cast<HoldMode>(std::min<uint64_t>(in.Unsigned(), 2));
}

void ReadScheduling(ByteReader& in, std::vector<DeviceScheduling>* out) {
  const uint64_t count = in.Unsigned();
  out->clear();
  for (uint64_t i = 0; i < count && in.ok(); ++i) {
    DeviceScheduling& scheduling = out->emplace_back();
    scheduling.policy = in.String();
    const bool has_hold = in.Unsigned() != 0;
    const HoldMode hold = ReadHold(in);
    if (has_hold) scheduling.hold = hold;
  }
}

absl::Status ReadSpec(ByteReader& in, DeviceSpec* spec) {
  spec->profile = in.String();
  spec->soc_name = in.String();
  spec->hold = ReadHold(in);
  if (in.Unsigned() != SpecFields().size()) in.Fail();
  for (const SpecField& field : SpecFields()) {
    if (in.String() != field.name) in.Fail();
    const double value = ReadDouble(in);
    if (!in.ok()) break;
    if (const auto why = WhyOutOfRange(field, value)) {
      return MakeError(Reason::kInvalidArgument, *why);
    }
    SetValue(field, value, spec);
  }
  if (!in.ok()) {
    return MakeError(Reason::kInvalidArgument,
                     "the log describes no device of this version");
  }
  return ValidateSpec(*spec);
}

absl::Status ReadOptions(ByteReader& in, MachineOptions* options) {
  ASCEND_RETURN_IF_ERROR(ReadSpec(in, &options->spec));
  options->device_count = static_cast<uint32_t>(in.Unsigned());
  ReadScheduling(in, &options->scheduling);
  options->policy_options.reserve_after_ticks = in.Signed();
  options->policy_options.ageing_ticks = in.Signed();
  options->policy_options.preempts = in.Unsigned() != 0;
  options->seed = in.Unsigned();
  const uint64_t weight_count = in.Unsigned();
  for (uint64_t i = 0; i < weight_count && in.ok(); ++i) {
    options->rank_weights.push_back(static_cast<uint32_t>(in.Unsigned()));
  }
  options->waits_for_jobs = in.Unsigned() != 0;
  SessionLimits& limits = options->limits;
  limits.held_commands_max = in.Unsigned();
  limits.held_bytes_max = in.Unsigned();
  limits.requests_max = in.Unsigned();
  limits.waits_max = in.Unsigned();
  limits.allocations_max = in.Unsigned();
  constexpr uint32_t kDevicesMax = 64;
  const auto& weights = options->rank_weights;
  const auto& scheduling = options->scheduling;
  if (in.ok() && options->device_count >= 1 &&
      options->device_count <= kDevicesMax &&
      (scheduling.size() == 1 || scheduling.size() == options->device_count) &&
      std::all_of(scheduling.begin(), scheduling.end(),
                  [](const DeviceScheduling& one) {
                    return MakePolicy(one.policy) != nullptr;
                  }) &&
      options->policy_options.reserve_after_ticks >= 0 &&
      options->policy_options.ageing_ticks >= 0 &&
      std::count(weights.begin(), weights.end(), 0u) == 0) {
    return absl::OkStatus();
  }
  return MakeError(Reason::kInvalidArgument,
                   "the log describes no machine that can be made");
}

}  // namespace

InputLogWriter::InputLogWriter(const MachineOptions& options, Sink sink)
    : sink_(std::move(sink)) {
  sink_(kName);
  record_.Unsigned(kInputLogVersion);
  WriteOptions(options, record_);
  sink_(record_.Take());
}

InputLogWriter::~InputLogWriter() {
  Begin(Kind::kEnd);
  record_.Unsigned(record_count_);
  sink_(record_.Take());
}

void InputLogWriter::Begin(Kind kind) {
  record_.Unsigned(static_cast<uint64_t>(kind));
  record_.Signed(horizon_ - written_horizon_);
  written_horizon_ = horizon_;
}

void InputLogWriter::End() {
  ++record_count_;
  sink_(record_.Take());
}

void InputLogWriter::OnOpenSession(SessionId session,
                                   const SessionOptions& options) {
  Begin(Kind::kOpenSession);
  record_.Unsigned(session.value());
  record_.Unsigned(options.rank);
  record_.Unsigned(options.hbm_quota_bytes);
  record_.Unsigned(options.tenant.value());
  record_.Unsigned(options.weight);
  End();
}

void InputLogWriter::OnCloseSession(SessionId session) {
  Begin(Kind::kCloseSession);
  record_.Unsigned(session.value());
  End();
}

void InputLogWriter::OnSubmit(SessionId session, const Command& command) {
  Begin(Kind::kSubmit);
  record_.Unsigned(session.value());
  WriteCommand(command, record_);
  End();
}

void InputLogWriter::OnJobDone(JobId job, const JobResult& result) {
  Begin(Kind::kJobDone);
  record_.Unsigned(job.value());
  record_.Unsigned(static_cast<uint64_t>(ReasonOf(result.status)));
  record_.Unsigned(result.status.ok());
  record_.String(result.status.ok() ? "" : result.status.message());
  record_.String(result.payload);
  End();
}

void InputLogWriter::OnTimer(TimerId timer) {
  Begin(Kind::kTimer);
  record_.Unsigned(timer.value());
  End();
}

absl::StatusOr<InputLogReader> InputLogReader::Open(absl::string_view log) {
  if (!absl::ConsumePrefix(&log, kName)) {
    return MakeError(Reason::kInvalidArgument, "this is no input log");
  }
  InputLogReader reader(log);
  const uint64_t version = reader.in_.Unsigned();
  if (reader.in_.ok() && version != kInputLogVersion) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("the log is of version ", version,
                     ", but this program replays version ", kInputLogVersion));
  }
  ASCEND_RETURN_IF_ERROR(ReadOptions(reader.in_, &reader.options_));
  return reader;
}

absl::StatusOr<bool> InputLogReader::Play(Machine& machine,
                                          uint64_t record_count) {
  using Kind = InputLogWriter::Kind;
  for (; record_count > 0; --record_count) {
    if (in_.at_end()) return Broken("is cut short");
    const uint64_t kind = in_.Unsigned();
    const Tick step = in_.Signed();
    if (!in_.ok() || step < 0) return Broken("is broken");
    horizon_ = SaturatingAdd(horizon_, step);
    machine.AdvanceTo(horizon_);
    if (kind == static_cast<uint64_t>(Kind::kEnd)) {
      if (in_.Unsigned() != record_count_ || !in_.ok() || !in_.at_end()) {
        return Broken("has another number of records than it says");
      }
      return false;
    }
    ASCEND_RETURN_IF_ERROR(PlayOne(machine, kind));
    ++record_count_;
  }
  return true;
}

absl::Status InputLogReader::PlayOne(Machine& machine, uint64_t kind) {
  using Kind = InputLogWriter::Kind;
  const uint64_t target = in_.Unsigned();  // a session, a job or a timer
  switch (static_cast<Kind>(kind)) {
    case Kind::kOpenSession: {
      SessionOptions options;
      options.rank = in_.Unsigned();
      options.hbm_quota_bytes = in_.Unsigned();
      options.tenant = TenantId(in_.Unsigned());
      options.weight = static_cast<uint32_t>(in_.Unsigned());
      if (!in_.ok() || options.weight == 0 ||
          machine.HasSession(SessionId(target))) {
        return Broken("opens a session that cannot be");
      }
      machine.OpenSession(SessionId(target), options);
      return absl::OkStatus();
    }
    case Kind::kCloseSession:
      machine.CloseSession(SessionId(target));
      break;
    case Kind::kSubmit: {
      Command command = ReadCommand(in_);
      if (in_.ok()) machine.Submit(SessionId(target), std::move(command));
      break;
    }
    case Kind::kJobDone: {
      const auto reason = static_cast<Reason>(in_.Unsigned());
      const bool is_ok = in_.Unsigned() != 0;
      const std::string message = in_.String();
      JobResult result;
      if (!is_ok) result.status = MakeError(reason, message);
      result.payload = in_.String();
      if (!in_.ok() || !machine.HasJob(JobId(target))) {
        return Broken("ends a job that does not run");
      }
      machine.OnJobDone(JobId(target), std::move(result));
      return absl::OkStatus();
    }
    case Kind::kTimer:
      machine.OnTimer(TimerId(target));
      break;
    default:
      in_.Fail();
  }
  return in_.ok() ? absl::OkStatus() : Broken("is broken");
}

absl::Status InputLogReader::Broken(absl::string_view why) const {
  return MakeError(
      Reason::kInvalidArgument,
      absl::StrCat("the log ", why, " behind record ", record_count_, ", ",
                   in_.left(), " bytes before its end"));
}

}  // namespace ascend::core
