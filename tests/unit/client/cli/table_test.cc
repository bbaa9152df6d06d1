#include "client/cli/table.h"

#include "gtest/gtest.h"

namespace ascend::client {
namespace {

TEST(Table, AlignsNumbersRightAndTextLeft) {
  EXPECT_EQ(FormatTable({{"id", "program", "used"},
                         {"1", "a", "10 KiB"},
                         {"12", "longer-name", "2 B"}}),
            "id  program        used\n"
            " 1  a            10 KiB\n"
            "12  longer-name     2 B\n");
}

TEST(Table, BytesHaveThreeDigits) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(999), "999 B");
  EXPECT_EQ(FormatBytes(1024), "1 KiB");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(640 * 1024), "640 KiB");
  EXPECT_EQ(FormatBytes(uint64_t{32} << 30), "32 GiB");
}

TEST(Table, TimesHaveThreeDigits) {
  EXPECT_EQ(FormatNanoseconds(0), "0 us");
  EXPECT_EQ(FormatNanoseconds(12'340), "12.3 us");
  EXPECT_EQ(FormatNanoseconds(4'567'000), "4.57 ms");
  EXPECT_EQ(FormatNanoseconds(3'200'000'000), "3.2 s");
}

}  // namespace
}  // namespace ascend::client
