#include "client/cli/table.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace ascend::client {
namespace {

// Three significant digits at most.
std::string ThreeDigits(double value) {
  const int decimals = value >= 100 ? 0 : (value >= 10 ? 1 : 2);
  std::string text = absl::StrFormat("%.*f", decimals, value);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

bool StartsWithDigit(const std::string& cell) {
  return !cell.empty() && std::isdigit(static_cast<unsigned char>(cell[0]));
}

}  // namespace

std::string FormatTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  std::vector<bool> to_the_right;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    to_the_right.resize(widths.size());
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
      if (&row != &rows.front() && StartsWithDigit(row[i])) {
        to_the_right[i] = true;
      }
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - row[i].size(), ' ');
      absl::StrAppend(&line, i == 0 ? "" : "  ",
                      to_the_right[i] ? pad + row[i] : row[i] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

std::string FormatBytes(uint64_t bytes) {
  constexpr absl::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return absl::StrCat(ThreeDigits(value), " ", kUnits[unit]);
}

std::string FormatNanoseconds(int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (value < 1e6) return absl::StrCat(ThreeDigits(value / 1e3), " us");
  if (value < 1e9) return absl::StrCat(ThreeDigits(value / 1e6), " ms");
  return absl::StrCat(ThreeDigits(value / 1e9), " s");
}

}  // namespace ascend::client
