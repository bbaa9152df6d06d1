// UniqueFd: owns a file descriptor and closes it.
//
// Threading: value type, not shared between threads.
#ifndef ASCEND_CORE_BASE_UNIQUE_FD_H_
#define ASCEND_CORE_BASE_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace ascend::core {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.Release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) Reset(other.Release());
    return *this;
  }
  ~UniqueFd() { Reset(); }

  bool is_valid() const { return fd_ >= 0; }
  int get() const { return fd_; }
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }
  void Reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_BASE_UNIQUE_FD_H_
