// The trust boundary of the session stream: bytes of a client become commands,
// or the session ends.
//
// Every field is checked here against what the field alone can tell: sizes,
// enum values, handles that cannot be, numbers out of their type's contract.
// What depends on state (is the handle live, is the address allocated, does the
// device exist) is the machine's. An error of this file is a protocol
// violation: no client of ours sends such bytes, so the message is for the log
// of an operator and for whoever writes another client.
//
// Threading: a decoder is used by one thread at a time. Ownership: the result
// owns its bytes.
#ifndef ASCEND_SERVER_SESSION_COMMAND_DECODER_H_
#define ASCEND_SERVER_SESSION_COMMAND_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/ids.h"
#include "core/command/command.h"

namespace google::protobuf::io {
class ZeroCopyInputStream;
}

namespace ascend::server {

struct HelloFrame {
  uint32_t protocol_version = 0;
  std::string client_version;
  int64_t pid = 0;
  std::string program;  // printable ASCII, at most kProgramBytesMax
};

struct DownloadDoneFrame {
  core::Ticket ticket;
  absl::Status status;
};

struct GoodbyeFrame {};

using ClientFrame = std::variant<HelloFrame, std::vector<core::Command>,
                                 DownloadDoneFrame, GoodbyeFrame>;

inline constexpr size_t kProgramBytesMax = 128;
inline constexpr size_t kPackageNameBytesMax = 4096;
// Threads of one client process. The daemon keeps state for each lane.
inline constexpr uint32_t kLanesMax = 1u << 20;

// Decodes one frame of `frame_bytes` bytes. Errors: kProtocolViolation.
absl::StatusOr<ClientFrame> DecodeClientFrame(
    google::protobuf::io::ZeroCopyInputStream& input, size_t frame_bytes);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SESSION_COMMAND_DECODER_H_
