#include "core/obs/trace_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

std::string Json(absl::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

std::string Xml(absl::string_view text) {
  std::string out;
  AppendXmlText(text, &out);
  return out;
}

TEST(TraceText, JsonIsEscaped) {
  EXPECT_EQ(Json("a\"b\\c\n\x1b\x7f"), R"("a\"b\\c\u000a\u001b\u007f")");
  EXPECT_EQ(Json("\u00e9 \u4e2d \U0001F600"), "\"\u00e9 \u4e2d \U0001F600\"");
}

TEST(TraceText, XmlIsEscaped) {
  EXPECT_EQ(Xml("<a b=\"&\">\n"), "&lt;a b=&quot;&amp;&quot;&gt;?");
  EXPECT_EQ(Xml("\u4e2d"), "\u4e2d");
}

TEST(TraceText, WhatIsNoUtf8BecomesAQuestionMark) {
  const std::pair<const char*, const char*> kCases[] = {
      {"\xff", "?"},           {"a\x80z", "a?z"},
      {"\xc0\xaf", "??"},      {"\xe2\x82", "??"},
      {"\xed\xa0\x80", "???"}, {"\xf4\x90\x80\x80", "????"},
      {"\xf0\x9f\x98", "???"}, {"\xef\xbf\xbf", "???"}};
  for (const auto& [text, expected] : kCases) {
    EXPECT_EQ(Xml(text), expected);
    EXPECT_EQ(Json(text), absl::StrCat("\"", expected, "\""));
  }
}

TEST(TraceText, MicrosecondsHaveAllDigits) {
  const auto text = [](Tick tick) {
    std::string out;
    AppendMicroseconds(tick, &out);
    return out;
  };
  EXPECT_EQ(text(0), "0.000000");
  EXPECT_EQ(text(1), "0.000001");
  EXPECT_EQ(text(12'000'250), "12.000250");
  EXPECT_EQ(text(kTickMax), "9223372036854.775807");
}

TEST(TraceText, TimesForPeopleHaveThreeDigits) {
  EXPECT_EQ(FormatTicks(0), "0 ns");
  EXPECT_EQ(FormatTicks(1), "1 ps");
  EXPECT_EQ(FormatTicks(1500), "1.5 ns");
  EXPECT_EQ(FormatTicks(12'345'678), "12.3 us");
  EXPECT_EQ(FormatTicks(12'345'678, 6), "12.3457 us");
  EXPECT_EQ(FormatTicks(Milliseconds(4)), "4 ms");
  EXPECT_EQ(FormatTicks(3 * kTicksPerSecond), "3 s");
}

TEST(TraceText, TicksOfAnAxisDifferByAStep) {
  EXPECT_EQ(
      FormatTicksExactly(Milliseconds(20), Milliseconds(10), Milliseconds(80)),
      "20 ms");
  EXPECT_EQ(FormatTicksExactly(Microseconds(1500), Microseconds(500),
                               Milliseconds(5)),
            "1.5 ms");
  EXPECT_EQ(
      FormatTicksExactly(Microseconds(1200), Microseconds(50), Milliseconds(2)),
      "1.20 ms");
  EXPECT_EQ(FormatTicksExactly(12'340'000, 20'000, 12'400'000), "12.34 us");
  EXPECT_EQ(FormatTicksExactly(0, kTicksPerSecond, 5 * kTicksPerSecond), "0 s");
  EXPECT_EQ(FormatTicksExactly(3, 1, 9), "3 ps");
}

TEST(TraceText, TextThatIsTooWideIsCut) {
  EXPECT_EQ(FitText("matmul", false, 10, 100), "matmul");
  const std::string cut = FitText("flash_attention", false, 10, 50);
  EXPECT_EQ(cut, "flash_at\u2026");
  EXPECT_LE(TextWidth(cut, false) * 10, 50);
  EXPECT_EQ(FitText("matmul", false, 10, 9), "");
  EXPECT_GT(TextWidth("matmul", true), TextWidth("matmul", false));
}

}  // namespace
}  // namespace ascend::core
