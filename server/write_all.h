// WriteAll: all of the bytes, or why not.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_SERVER_WRITE_ALL_H_
#define ASCEND_SERVER_WRITE_ALL_H_

#include <unistd.h>

#include <cerrno>

#include "absl/strings/string_view.h"

namespace ascend::server {

// 0, or an error number.
inline int WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace ascend::server

#endif  // ASCEND_SERVER_WRITE_ALL_H_
