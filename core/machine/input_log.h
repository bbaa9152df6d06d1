// InputLog: everything that a machine was told, in order.
//
// A machine is a function of its inputs: what it is made of, and the calls that
// change it. A log of them is therefore a snapshot of it: replayed into a new
// machine it gives the same state, the same effects and the same trace, in
// every clock mode, with no client and no kernel that computes.
//
// Format: a line that names it, then records. A record is a number (its kind),
// how far time had been moved before it (as AdvanceTo's horizon, counted from
// the record before), and its fields; bytes as in byte_codec.h. The last record
// says how many there were, so that a log that was cut short is told from one
// that is whole.
//
// Threading: thread-compatible. Ownership: the writer borrows its sink.
#ifndef ASCEND_CORE_MACHINE_INPUT_LOG_H_
#define ASCEND_CORE_MACHINE_INPUT_LOG_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/byte_codec.h"
#include "core/machine/machine.h"

namespace ascend::core {

// Grows with each change of the format or of what it stands for.
inline constexpr uint32_t kInputLogVersion = 2;

class InputLogWriter {
 public:
  // Gets the bytes piece by piece, whole records; in the machine's calls.
  using Sink = std::function<void(std::string bytes)>;

  // Writes the head of the log, which says what the machine is made of.
  InputLogWriter(const MachineOptions& options, Sink sink);
  // Writes the end.
  ~InputLogWriter();
  InputLogWriter(const InputLogWriter&) = delete;
  InputLogWriter& operator=(const InputLogWriter&) = delete;

  void OnAdvance(Tick horizon) { horizon_ = std::max(horizon_, horizon); }
  void OnOpenSession(SessionId session, const SessionOptions& options);
  void OnCloseSession(SessionId session);
  void OnSubmit(SessionId session, const Command& command);
  void OnJobDone(JobId job, const JobResult& result);
  void OnTimer(TimerId timer);

 private:
  enum class Kind : uint8_t;
  friend class InputLogReader;

  void Begin(Kind kind);
  void End();

  const Sink sink_;
  ByteWriter record_;
  Tick horizon_ = 0;
  Tick written_horizon_ = 0;
  uint64_t record_count_ = 0;
};

class InputLogReader {
 public:
  // `log` outlives the reader. Errors: kInvalidArgument: no log, another
  // version, a machine that cannot be.
  static absl::StatusOr<InputLogReader> Open(absl::string_view log);

  // What the machine was made of; the catalog is the caller's to set.
  const MachineOptions& options() const { return options_; }

  // Plays up to `record_count` more records into `machine`. False: the end has
  // been reached, and time moved as far as it was. Errors: kInvalidArgument,
  // with the place: the log is cut short or broken.
  absl::StatusOr<bool> Play(Machine& machine,
                            uint64_t record_count = ~uint64_t{0});

 private:
  InputLogReader(absl::string_view log) : in_(log) {}

  absl::Status PlayOne(Machine& machine, uint64_t kind);
  absl::Status Broken(absl::string_view why) const;

  ByteReader in_;
  MachineOptions options_;
  Tick horizon_ = 0;
  uint64_t record_count_ = 0;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_MACHINE_INPUT_LOG_H_
