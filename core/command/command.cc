#include "core/command/command.h"

#include <type_traits>

namespace ascend::core {
namespace {

struct RequestVisitor {
  bool operator()(const CreateContext&) const { return true; }
  bool operator()(const DestroyContext&) const { return true; }
  bool operator()(const CreateStream&) const { return true; }
  bool operator()(const DestroyStream&) const { return true; }
  bool operator()(const QueryStream&) const { return true; }
  bool operator()(const CreateEvent&) const { return false; }
  bool operator()(const DestroyEvent&) const { return false; }
  bool operator()(const RecordEvent&) const { return false; }
  bool operator()(const ResetEvent&) const { return false; }
  bool operator()(const WaitEvent&) const { return false; }
  bool operator()(const QueryEvent&) const { return true; }
  bool operator()(const Synchronize&) const { return true; }
  bool operator()(const CancelWait&) const { return false; }
  bool operator()(const Malloc&) const { return true; }
  bool operator()(const Free&) const { return false; }
  bool operator()(const MemInfo&) const { return true; }
  bool operator()(const Copy& copy) const { return copy.wants_reply; }
  bool operator()(const Fill& fill) const { return fill.wants_reply; }
  bool operator()(const LoadPackage&) const { return true; }
  bool operator()(const Launch&) const { return false; }
  bool operator()(const AbortStream&) const { return true; }
  bool operator()(const SetStreamPriority&) const { return false; }
  bool operator()(const StopContextOnFailure&) const { return false; }
  bool operator()(const CreateNotify&) const { return false; }
  bool operator()(const DestroyNotify&) const { return false; }
  bool operator()(const RecordNotify&) const { return false; }
  bool operator()(const WaitNotify&) const { return false; }
  bool operator()(const WaitWord&) const { return false; }
  bool operator()(const HostFunction&) const { return false; }
  bool operator()(const HostFunctionDone&) const { return false; }
  bool operator()(const QueryUtilization&) const { return true; }
  bool operator()(const JoinClock&) const { return true; }
  bool operator()(const LeaveClock&) const { return false; }
  bool operator()(const QueryClock&) const { return true; }
  bool operator()(const AwaitProgress&) const { return true; }
};

struct NameVisitor {
  absl::string_view operator()(const CreateContext&) { return "CreateContext"; }
  absl::string_view operator()(const DestroyContext&) {
    return "DestroyContext";
  }
  absl::string_view operator()(const CreateStream&) { return "CreateStream"; }
  absl::string_view operator()(const DestroyStream&) { return "DestroyStream"; }
  absl::string_view operator()(const QueryStream&) { return "QueryStream"; }
  absl::string_view operator()(const CreateEvent&) { return "CreateEvent"; }
  absl::string_view operator()(const DestroyEvent&) { return "DestroyEvent"; }
  absl::string_view operator()(const RecordEvent&) { return "RecordEvent"; }
  absl::string_view operator()(const ResetEvent&) { return "ResetEvent"; }
  absl::string_view operator()(const WaitEvent&) { return "WaitEvent"; }
  absl::string_view operator()(const QueryEvent&) { return "QueryEvent"; }
  absl::string_view operator()(const Synchronize&) { return "Synchronize"; }
  absl::string_view operator()(const CancelWait&) { return "CancelWait"; }
  absl::string_view operator()(const Malloc&) { return "Malloc"; }
  absl::string_view operator()(const Free&) { return "Free"; }
  absl::string_view operator()(const MemInfo&) { return "MemInfo"; }
  absl::string_view operator()(const Copy&) { return "Copy"; }
  absl::string_view operator()(const Fill&) { return "Fill"; }
  absl::string_view operator()(const LoadPackage&) { return "LoadPackage"; }
  absl::string_view operator()(const Launch&) { return "Launch"; }
  absl::string_view operator()(const AbortStream&) { return "AbortStream"; }
  absl::string_view operator()(const SetStreamPriority&) {
    return "SetStreamPriority";
  }
  absl::string_view operator()(const StopContextOnFailure&) {
    return "StopContextOnFailure";
  }
  absl::string_view operator()(const CreateNotify&) { return "CreateNotify"; }
  absl::string_view operator()(const DestroyNotify&) { return "DestroyNotify"; }
  absl::string_view operator()(const RecordNotify&) { return "RecordNotify"; }
  absl::string_view operator()(const WaitNotify&) { return "WaitNotify"; }
  absl::string_view operator()(const WaitWord&) { return "WaitWord"; }
  absl::string_view operator()(const HostFunction&) { return "HostFunction"; }
  absl::string_view operator()(const HostFunctionDone&) {
    return "HostFunctionDone";
  }
  absl::string_view operator()(const QueryUtilization&) {
    return "QueryUtilization";
  }
  absl::string_view operator()(const JoinClock&) { return "JoinClock"; }
  absl::string_view operator()(const LeaveClock&) { return "LeaveClock"; }
  absl::string_view operator()(const QueryClock&) { return "QueryClock"; }
  absl::string_view operator()(const AwaitProgress&) { return "AwaitProgress"; }
};

}  // namespace

bool HasLegalRows(const Copy& copy) {
  if (copy.rows == 1) return true;
  const auto is_legal = [&](uint64_t pitch) {
    return pitch >= copy.bytes && pitch <= kPitchBytesMax;
  };
  return copy.rows >= 1 && copy.rows <= kRowCountMax &&
         copy.bytes <= kRowBytesMax && is_legal(copy.target_pitch) &&
         is_legal(copy.source_pitch);
}

bool IsRequest(const Operation& operation) {
  return std::visit(RequestVisitor{}, operation);
}

uint64_t PayloadBytes(const Operation& operation) {
  if (const auto* copy = std::get_if<Copy>(&operation)) {
    return copy->inline_data.size();
  }
  if (const auto* launch = std::get_if<Launch>(&operation)) {
    return launch->args.size();
  }
  const auto* load = std::get_if<LoadPackage>(&operation);
  return load == nullptr ? 0 : load->name.size();
}

absl::string_view OperationName(const Operation& operation) {
  return std::visit(NameVisitor{}, operation);
}

}  // namespace ascend::core
