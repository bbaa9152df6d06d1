// ByteWriter and ByteReader: plain data as bytes, for logs that are replayed.
//
// Numbers are varints, seven bits a byte, least first; signed ones are folded
// so that small magnitudes are short. Strings are their length and their bytes.
// A reader that meets anything else fails, stays failed and yields zeros.
//
// Threading: thread-compatible. Ownership: the writer owns its bytes, the
// reader borrows its.
#ifndef ASCEND_CORE_BASE_BYTE_CODEC_H_
#define ASCEND_CORE_BASE_BYTE_CODEC_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"

namespace ascend::core {

class ByteWriter {
 public:
  void Unsigned(uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }
  void Signed(int64_t value) {
    const auto bits = static_cast<uint64_t>(value);
    Unsigned(bits << 1 ^ (value < 0 ? ~uint64_t{0} : 0));
  }
  void String(absl::string_view value) {
    Unsigned(value.size());
    bytes_.append(value.data(), value.size());
  }

  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(absl::string_view bytes) : left_(bytes) {}

  uint64_t Unsigned() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) break;
      const auto byte = static_cast<uint8_t>(left_.front());
      left_.remove_prefix(1);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    Fail();
    return 0;
  }
  int64_t Signed() {
    const uint64_t folded = Unsigned();
    const uint64_t sign = (folded & 1) != 0 ? ~uint64_t{0} : 0;
    return static_cast<int64_t>(folded >> 1 ^ sign);
  }
  std::string String() {
    const uint64_t size = Unsigned();
    if (size > left_.size()) {
      Fail();
      return {};
    }
    std::string value(left_.substr(0, size));
    left_.remove_prefix(size);
    return value;
  }

  void Fail() {
    ok_ = false;
    left_ = {};
  }
  bool ok() const { return ok_; }
  bool at_end() const { return left_.empty(); }
  size_t left() const { return left_.size(); }

 private:
  absl::string_view left_;
  bool ok_ = true;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_BASE_BYTE_CODEC_H_
