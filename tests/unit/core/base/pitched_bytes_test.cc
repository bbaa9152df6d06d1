#include "core/base/pitched_bytes.h"

#include <string>

#include "gtest/gtest.h"

namespace ascend::core {
namespace {

PitchedBytes RowsIn(std::string& memory, uint64_t row_bytes, uint64_t rows,
                    uint64_t pitch) {
  return {.data = reinterpret_cast<std::byte*>(memory.data()),
          .row_bytes = row_bytes,
          .rows = rows,
          .pitch = pitch};
}

TEST(PitchedBytesTest, CountsWithoutGapsAndReachesOverThem) {
  std::string memory;
  EXPECT_EQ(RowsIn(memory, 3, 4, 8).bytes(), 12u);
  EXPECT_EQ(RowsIn(memory, 3, 4, 8).footprint_bytes(), 27u);
  EXPECT_EQ(RowsIn(memory, 3, 1, 0).footprint_bytes(), 3u);
}

TEST(PitchedBytesTest, WritesAndReadsAnyPart) {
  constexpr uint64_t kBytes = 12;
  const std::string source = "abcdefghijkl";
  for (uint64_t offset = 0; offset < kBytes; ++offset) {
    for (uint64_t count = 0; count <= kBytes - offset; ++count) {
      std::string memory(27, '.');
      const PitchedBytes rows = RowsIn(memory, 3, 4, 8);
      rows.Write(offset,
                 reinterpret_cast<const std::byte*>(source.data()) + offset,
                 count);
      std::string expected(27, '.');
      for (uint64_t i = offset; i < offset + count; ++i) {
        expected[i / 3 * 8 + i % 3] = source[i];
      }
      ASSERT_EQ(memory, expected) << offset << " " << count;
      EXPECT_EQ(rows.Read(offset, count), source.substr(offset, count));
    }
  }
}

}  // namespace
}  // namespace ascend::core
