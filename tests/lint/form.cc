#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lint/rules.h"

namespace ascend::lint {
namespace {

constexpr size_t kColumns = 80;

// Whether the form of the file is ours to choose: text that the tree's tools
// read, not data and not Markdown, where two blanks at the end mean something.
bool HasForm(std::string_view path) {
  return IsCpp(path) || path.ends_with(".proto") || path.ends_with(".sh") ||
         path.ends_with(".cmake") || path.ends_with("CMakeLists.txt");
}

// Characters, not bytes, of UTF-8 text.
size_t Columns(std::string_view line) {
  return static_cast<size_t>(std::count_if(
      line.begin(), line.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Lines that cannot be broken: directives that hold a path, and addresses.
bool MayBeLong(std::string_view line) {
  return !line.empty() &&
         (line[0] == '#' || line.find("://") != std::string_view::npos);
}

void CheckLines(const SourceFile& file, Findings* findings) {
  int number = 0;
  for (std::string_view line : Lines(file.text)) {
    ++number;
    const auto add = [&](std::string message) {
      findings->push_back({file.path, number, std::move(message)});
    };
    if (line.find('\t') != std::string_view::npos) add("holds a tab");
    if (!line.empty() && (line.back() == ' ' || line.back() == '\r')) {
      add("ends with a blank");
    }
    const size_t columns = Columns(line);
    if (IsCpp(file.path) && columns > kColumns && !MayBeLong(line)) {
      add(Join({"has ", std::to_string(columns), " columns, more than ",
                std::to_string(kColumns)}));
    }
  }
  if (!file.text.empty() && file.text.back() != '\n') {
    findings->push_back({file.path, number, "ends without a line end"});
  }
}

void CheckGuard(const SourceFile& file, Findings* findings) {
  const std::string guard = IncludeGuard(file.path);
  std::vector<std::string_view> directives;
  const std::string code = BlankCommentsAndLiterals(file.text);
  for (std::string_view line : Lines(code)) {
    if (!line.empty() && line[0] == '#') {
      directives.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
    }
  }
  // Highway compiles such a header once for each target and toggles its guard.
  const bool per_target =
      !directives.empty() &&
      directives[0].starts_with(Join({"#if defined(", guard, ") =="}));
  if (per_target) return;
  if (directives.size() < 3 || directives[0] != Join({"#ifndef ", guard}) ||
      directives[1] != Join({"#define ", guard}) ||
      directives.back() != "#endif") {
    findings->push_back(
        {file.path, 0, Join({"is not guarded from first to last by ", guard})});
  }
}

}  // namespace

std::string IncludeGuard(std::string_view path) {
  // What users include is named as users include it.
  std::string guard;
  constexpr std::string_view kUserRoots[] = {"client/include/",
                                             "client/examples/"};
  const auto* const root =
      std::find_if(std::begin(kUserRoots), std::end(kUserRoots),
                   [path](std::string_view r) { return IsUnder(path, r); });
  if (root == std::end(kUserRoots)) {
    guard = "ASCEND_";
  } else {
    path.remove_prefix(root->size());
  }
  for (char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    guard +=
        std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return guard + "_";
}

Findings CheckForm(const SourceFile& file) {
  Findings findings;
  if (HasForm(file.path)) CheckLines(file, &findings);
  if (IsHeader(file.path)) CheckGuard(file, &findings);
  return findings;
}

}  // namespace ascend::lint
