// TraceFile: where a daemon leaves its trace when it ends.
//
// Threading: one thread at a time. Ownership: owns the descriptor.
#ifndef ASCEND_SERVER_TRACE_FILE_H_
#define ASCEND_SERVER_TRACE_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/unique_fd.h"
#include "core/obs/trace.h"

namespace ascend::server {

// kSvg: a picture; else trace events for Perfetto.
enum class TraceFormat : uint8_t { kJson, kSvg };

// By the end of the name: ".svg" or anything else.
TraceFormat TraceFormatOf(absl::string_view path);

// False: the sink wanted no more.
bool WriteTrace(const core::Trace& trace, TraceFormat format,
                const core::TraceWindow& window, core::TraceSink sink);

class TraceFile {
 public:
  // Early, so that a path that cannot be written is found then. A file that is
  // there keeps its bytes until Write. Errors: kInvalidArgument.
  static absl::StatusOr<TraceFile> Open(const std::string& path);

  // Errors: what the system says, e.g. that the disk is full.
  absl::Status Write(const core::Trace& trace);

  const std::string& path() const { return path_; }

 private:
  TraceFile(std::string path, core::UniqueFd fd);

  std::string path_;
  core::UniqueFd fd_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_TRACE_FILE_H_
