// BulkBytes: bytes of a large copy on their way, where they lie, with what
// keeps them there. Nothing is copied: an upload's are what gRPC has read, a
// download's are the device memory itself.
//
// Threading: value type; the bytes are not to be changed while it lives.
// Ownership: shares the owner of the bytes.
#ifndef ASCEND_SERVER_BULK_BYTES_H_
#define ASCEND_SERVER_BULK_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ascend::server {

class BulkBytes {
 public:
  using Piece = std::span<const std::byte>;

  BulkBytes() = default;
  BulkBytes(std::string bytes) {  // NOLINT: a string is bytes
    auto owned = std::make_shared<const std::string>(std::move(bytes));
    Append(std::as_bytes(std::span(*owned)));
    owner_ = std::move(owned);
  }
  explicit BulkBytes(std::shared_ptr<const void> owner)
      : owner_(std::move(owner)) {}

  // Bytes that the owner keeps, behind those that are there.
  void Append(Piece piece) {
    if (piece.empty()) return;
    pieces_.push_back(piece);
    size_ += piece.size();
  }

  uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

  std::string ToString() const {
    std::string text;
    text.reserve(size_);
    for (const Piece piece : pieces_) {
      text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    }
    return text;
  }

 private:
  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_BULK_BYTES_H_
