#include "proto/ipc/argument_ring.h"

#include "core/base/check.h"
#include "proto/ipc/shared_words.h"

namespace ascend::ipc {
namespace {

std::span<std::byte> Checked(std::span<std::byte> area) {
  ASCEND_CHECK(reinterpret_cast<uintptr_t>(area.data()) % kWordBytes == 0 &&
               area.size() % kWordBytes == 0 &&
               area.size() >= kArgumentBytesMax &&
               area.size() <= kArgumentAreaBytesMax)
      << "an area of " << area.size() << " bytes for arguments";
  return area;
}

}  // namespace

ArgumentWriter::ArgumentWriter(std::span<std::byte> area)
    : area_(Checked(area)) {}

std::optional<ByteRange> ArgumentWriter::TryWrite(
    std::span<const std::byte> bytes, uint32_t record, uint32_t taken) {
  ASCEND_CHECK(bytes.size() <= kArgumentBytesMax)
      << bytes.size() << " bytes of arguments";
  Free(taken);
  if (bytes.empty()) return ByteRange{0, 0};
  const uint64_t length = WholeWords(bytes.size());
  uint64_t start = end_;
  const uint64_t left = area_.size() - start % area_.size();
  if (left < length) start += left;
  // An area with nothing in it may skip its end even where that and the piece
  // together are more than there is.
  if (pieces_.empty()) begin_ = start;
  if (start + length - begin_ > area_.size()) return std::nullopt;
  end_ = start + length;
  pieces_.push_back({record, end_});
  const auto offset = static_cast<uint32_t>(start % area_.size());
  CopyToShared(area_.data() + offset, bytes.data(), bytes.size());
  return ByteRange{offset, static_cast<uint32_t>(bytes.size())};
}

void ArgumentWriter::Free(uint32_t taken) {
  // Numbers wrap, but are never half of all numbers apart.
  while (!pieces_.empty() &&
         static_cast<int32_t>(taken - pieces_.front().record) > 0) {
    begin_ = pieces_.front().end;
    pieces_.pop_front();
  }
}

ArgumentReader::ArgumentReader(std::span<std::byte> area)
    : area_(Checked(area)) {}

bool ArgumentReader::Read(ByteRange range,
                          std::vector<std::byte>* bytes) const {
  if (range.length > kArgumentBytesMax || range.offset % kWordBytes != 0 ||
      range.offset > area_.size() ||
      range.length > area_.size() - range.offset) {
    return false;
  }
  bytes->resize(range.length);
  CopyFromShared(bytes->data(), area_.data() + range.offset, range.length);
  return true;
}

}  // namespace ascend::ipc
