#include "server/input_recorder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/base/thread_slice.h"
#include "server/service_thread.h"
#include "server/write_all.h"
#include "spdlog/spdlog.h"

namespace ascend::server {
namespace {

// The thread is woken when so much waits: a file needs no more writes than
// that.
constexpr size_t kWakeBytes = size_t{64} << 10;

}  // namespace

absl::StatusOr<std::unique_ptr<InputRecorder>> InputRecorder::Create(
    const std::string& path) {
  core::UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() >= 0) {
    return std::unique_ptr<InputRecorder>(
        new InputRecorder(path, std::move(file)));
  }
  return core::MakeError(
      core::Reason::kInvalidArgument,
      absl::StrCat("record file ", path,
                   " cannot be written: ", std::strerror(errno)));
}

InputRecorder::InputRecorder(std::string path, core::UniqueFd file)
    : path_(std::move(path)),
      file_(std::move(file)),
      thread_(StartServiceThread("recorder", core::kPromptSlice,
                                 [this] { Run(); })) {}

InputRecorder::~InputRecorder() {
  {
    core::MutexLock lock(mutex_);
    is_ending_ = true;
    changed_.NotifyOne();
  }
  thread_.join();
}

void InputRecorder::Append(std::string bytes) {
  core::MutexLock lock(mutex_);
  const bool was_short = waiting_.size() < kWakeBytes;
  waiting_ += bytes;
  if (was_short && waiting_.size() >= kWakeBytes) changed_.NotifyOne();
}

void InputRecorder::Run() {
  bool is_broken = false;
  for (;;) {
    std::string bytes;
    bool is_last = false;
    {
      core::MutexLock lock(mutex_);
      while (!is_ending_ && waiting_.size() < kWakeBytes) {
        changed_.Wait(mutex_);
      }
      bytes = std::exchange(waiting_, {});
      is_last = is_ending_;
    }
    const int error = is_broken ? 0 : WriteAll(file_.get(), bytes);
    if (error != 0) {
      is_broken = true;
      spdlog::error("record file {} is cut short: {}", path_,
                    std::strerror(error));
    }
    if (is_last) return;
  }
}

}  // namespace ascend::server
