#include "core/obs/trace_text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace ascend::core {
namespace {

constexpr unsigned char kDelete = 0x7F;

// The bytes of the UTF-8 character at the beginning of `text`; 0: there is
// none.
size_t CharacterBytes(absl::string_view text) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return 0;
  uint32_t point = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    point = (point << 6) | (byte(i) & 0x3Fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = point >= 0xD800 && point < 0xE000;
  // XML has no U+FFFE and U+FFFF.
  const bool is_no_character = point == 0xFFFE || point == 0xFFFF;
  if (point < kLeast[bytes] || point > 0x10FFFF || is_surrogate ||
      is_no_character) {
    return 0;
  }
  return bytes;
}

// Calls `append(character)` for each character, "?" for what is none.
template <typename Append>
void ForEachCharacter(absl::string_view text, Append append) {
  while (!text.empty()) {
    const size_t bytes = CharacterBytes(text);
    append(bytes == 0 ? absl::string_view("?") : text.substr(0, bytes));
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
}

bool IsControl(absl::string_view character) {
  const auto byte = static_cast<unsigned char>(character[0]);
  return byte < 0x20 || byte == kDelete;
}

// Of DejaVu Sans, among the widest in use, from ' ' to '~', in thousandths.
constexpr std::array<uint16_t, 95> kWidths = {
    318, 401, 460, 838, 636,  950, 780, 275, 390, 390, 500, 838, 318, 361,
    318, 337, 636, 636, 636,  636, 636, 636, 636, 636, 636, 636, 337, 337,
    838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
    295, 656, 557, 863, 748,  787, 603, 787, 695, 635, 611, 732, 684, 989,
    685, 611, 685, 390, 337,  390, 838, 500, 500, 613, 635, 550, 635, 615,
    352, 635, 634, 278, 278,  579, 278, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592,  592, 525, 636, 337, 636, 838};
// Bold letters are wider, narrow ones the most.
constexpr double kBoldFactor = 1.15;
constexpr double kBoldExtra = 0.02;

double CharacterWidth(absl::string_view character, bool is_bold) {
  const auto byte = static_cast<unsigned char>(character[0]);
  if (byte < 0x20 || byte >= kDelete) return 1;
  const double width = kWidths[byte - 0x20u] / 1000.0;
  return is_bold ? width * kBoldFactor + kBoldExtra : width;
}

struct Unit {
  Tick ticks;
  const char* name;
};

constexpr Unit kUnits[] = {{kTicksPerSecond, "s"},
                           {kTicksPerMillisecond, "ms"},
                           {kTicksPerMicrosecond, "us"},
                           {kTicksPerNanosecond, "ns"},
                           {1, "ps"}};

}  // namespace

void AppendJsonString(absl::string_view text, std::string* out) {
  out->push_back('"');
  ForEachCharacter(text, [&](absl::string_view character) {
    if (character == "\"" || character == "\\") {
      absl::StrAppend(out, "\\", character);
    } else if (IsControl(character)) {
      absl::StrAppendFormat(out, "\\u%04x",
                            static_cast<unsigned char>(character[0]));
    } else {
      absl::StrAppend(out, character);
    }
  });
  out->push_back('"');
}

void AppendXmlText(absl::string_view text, std::string* out) {
  ForEachCharacter(text, [&](absl::string_view character) {
    if (IsControl(character)) {
      out->push_back('?');
    } else if (character == "&") {
      absl::StrAppend(out, "&amp;");
    } else if (character == "<") {
      absl::StrAppend(out, "&lt;");
    } else if (character == ">") {
      absl::StrAppend(out, "&gt;");
    } else if (character == "\"") {
      absl::StrAppend(out, "&quot;");
    } else {
      absl::StrAppend(out, character);
    }
  });
}

void AppendMicroseconds(Tick tick, std::string* out) {
  absl::StrAppend(out, tick / kTicksPerMicrosecond, ".",
                  absl::Dec(tick % kTicksPerMicrosecond, absl::kZeroPad6));
}

std::string FormatTicks(Tick ticks, int digits) {
  if (ticks == 0) return "0 ns";
  const Unit* unit = kUnits;
  while (unit->ticks > ticks) ++unit;
  return absl::StrFormat(
      "%.*g %s", digits,
      static_cast<double>(ticks) / static_cast<double>(unit->ticks),
      unit->name);
}

std::string FormatTicksExactly(Tick ticks, Tick step, Tick scale) {
  const Unit* unit = kUnits;
  while (unit->ticks > scale && unit->ticks > 1) ++unit;
  std::string digits = absl::StrCat(ticks / unit->ticks);
  if (step < unit->ticks) {
    digits.push_back('.');
    Tick rest = ticks % unit->ticks;
    for (Tick place = unit->ticks / 10; place >= 1; place /= 10) {
      absl::StrAppend(&digits, rest / place);
      rest %= place;
      if (place <= step) break;
    }
  }
  return absl::StrCat(digits, " ", unit->name);
}

double TextWidth(absl::string_view text, bool is_bold) {
  double width = 0;
  ForEachCharacter(text, [&](absl::string_view character) {
    width += CharacterWidth(character, is_bold);
  });
  return width;
}

std::string FitText(absl::string_view text, bool is_bold, double size,
                    double width) {
  if (TextWidth(text, is_bold) * size <= width) return std::string(text);
  constexpr absl::string_view kEllipsis = "\u2026";
  double used = CharacterWidth(kEllipsis, is_bold) * size;
  std::string fitting;
  bool is_full = false;
  ForEachCharacter(text, [&](absl::string_view character) {
    used += CharacterWidth(character, is_bold) * size;
    is_full = is_full || used > width;
    if (!is_full) absl::StrAppend(&fitting, character);
  });
  return fitting.empty() ? "" : absl::StrCat(fitting, kEllipsis);
}

std::string StreamName(StreamHandle stream) {
  if (stream.is_null()) return "calls that wait";
  return stream.generation == 1
             ? absl::StrCat("stream ", stream.index)
             : absl::StrCat("stream ", stream.index, ".", stream.generation);
}

}  // namespace ascend::core
