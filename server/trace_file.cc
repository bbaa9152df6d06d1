#include "server/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/obs/chrome_trace.h"
#include "core/obs/timeline_svg.h"
#include "server/write_all.h"

namespace ascend::server {
TraceFormat TraceFormatOf(absl::string_view path) {
  return absl::EndsWith(path, ".svg") ? TraceFormat::kSvg : TraceFormat::kJson;
}

bool WriteTrace(const core::Trace& trace, TraceFormat format,
                const core::TraceWindow& window, core::TraceSink sink) {
  return format == TraceFormat::kSvg
             ? sink(core::DrawTimeline(trace, window))
             : core::WriteChromeTrace(trace, window, sink);
}

TraceFile::TraceFile(std::string path, core::UniqueFd fd)
    : path_(std::move(path)), fd_(std::move(fd)) {}

absl::StatusOr<TraceFile> TraceFile::Open(const std::string& path) {
  constexpr int kMode = 0644;
  core::UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode));
  if (!fd.is_valid()) {
    return core::MakeError(
        core::Reason::kInvalidArgument,
        absl::StrCat("--trace is '", path,
                     "', which cannot be written: ", std::strerror(errno)));
  }
  return TraceFile(path, std::move(fd));
}

absl::Status TraceFile::Write(const core::Trace& trace) {
  // What is no file, such as a pipe, has nothing to cut off.
  (void)!::ftruncate(fd_.get(), 0);
  int error = 0;
  const bool is_done =
      WriteTrace(trace, TraceFormatOf(path_), {}, [&](absl::string_view bytes) {
        error = WriteAll(fd_.get(), bytes);
        return error == 0;
      });
  if (is_done) return absl::OkStatus();
  return core::MakeError(
      core::Reason::kInternal,
      absl::StrCat("the trace '", path_,
                   "' is not complete: ", std::strerror(error)));
}

}  // namespace ascend::server
