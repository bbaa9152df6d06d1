// InputRecorder: writes the machine's input log to a file (core/machine/
// input_log.h), on a thread of its own, since nothing in a turn may wait for a
// disk.
//
// A write that fails is said once in the log of the daemon; what comes after it
// is dropped, and the file is then one that was cut short.
//
// Threading: Append in a turn; the rest belongs to the owner. Ownership: owns
// the file and the thread.
#ifndef ASCEND_SERVER_INPUT_RECORDER_H_
#define ASCEND_SERVER_INPUT_RECORDER_H_

#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "core/base/sync.h"
#include "core/base/unique_fd.h"

namespace ascend::server {

class InputRecorder {
 public:
  // Makes the file anew. Errors: kInvalidArgument.
  static absl::StatusOr<std::unique_ptr<InputRecorder>> Create(
      const std::string& path);
  // Writes what is left.
  ~InputRecorder();

  void Append(std::string bytes) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  InputRecorder(std::string path, core::UniqueFd file);
  void Run();

  const std::string path_;
  const core::UniqueFd file_;
  core::Mutex mutex_;
  core::CondVar changed_;
  std::string waiting_ ABSL_GUARDED_BY(mutex_);
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_INPUT_RECORDER_H_
