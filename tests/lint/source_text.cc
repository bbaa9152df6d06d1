#include "tests/lint/source_text.h"

#include <algorithm>
#include <cctype>

namespace ascend::lint {
namespace {

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Walks over text once and blanks what is not code.
class Blanker {
 public:
  Blanker(std::string_view text, bool blank_literals)
      : out_(text), blank_literals_(blank_literals) {}

  std::string Run() {
    while (at_ < out_.size()) {
      if (StartsWith("//")) {
        BlankTo(std::min(out_.find('\n', at_), out_.size()), true);
      } else if (StartsWith("/*")) {
        BlankTo(EndOf("*/", at_ + 2), true);
      } else if (out_[at_] == '"') {
        BlankTo(IsRaw() ? EndOfRaw() : EndOfQuoted('"'), blank_literals_);
      } else if (out_[at_] == '\'' && !IsDigitSeparator()) {
        BlankTo(EndOfQuoted('\''), blank_literals_);
      } else {
        ++at_;
      }
    }
    return std::move(out_);
  }

 private:
  bool StartsWith(std::string_view token) const {
    return std::string_view(out_).substr(at_, token.size()) == token;
  }
  bool IsRaw() const { return at_ > 0 && out_[at_ - 1] == 'R'; }
  bool IsDigitSeparator() const {
    return at_ > 0 && IsWordCharacter(out_[at_ - 1]) && at_ + 1 < out_.size() &&
           IsWordCharacter(out_[at_ + 1]) &&
           std::isxdigit(static_cast<unsigned char>(out_[at_ - 1])) != 0;
  }
  size_t EndOf(std::string_view token, size_t from) const {
    const size_t found = out_.find(token, from);
    return found == std::string::npos ? out_.size() : found + token.size();
  }
  size_t EndOfRaw() const {
    const size_t open = out_.find('(', at_);
    if (open == std::string::npos) return out_.size();
    const std::string delimiter = out_.substr(at_ + 1, open - at_ - 1);
    return EndOf(Join({")", delimiter, "\""}), open);
  }
  size_t EndOfQuoted(char quote) const {
    size_t end = at_ + 1;
    while (end < out_.size() && out_[end] != quote && out_[end] != '\n') {
      end += out_[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, out_.size());
  }
  void BlankTo(size_t end, bool blank) {
    for (; at_ < end; ++at_) {
      if (blank && out_[at_] != '\n') out_[at_] = ' ';
    }
  }

  std::string out_;
  const bool blank_literals_;
  size_t at_ = 0;
};

// Skips blanks from `at`.
size_t SkipBlanks(std::string_view line, size_t at) {
  while (at < line.size() && line[at] == ' ') ++at;
  return at;
}

}  // namespace

std::string BlankCommentsAndLiterals(std::string_view text) {
  return Blanker(text, /*blank_literals=*/true).Run();
}

std::vector<Word> Words(std::string_view text) {
  std::vector<Word> words;
  int line = 1;
  for (size_t at = 0; at < text.size();) {
    if (!IsWordCharacter(text[at])) {
      line += text[at] == '\n' ? 1 : 0;
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && IsWordCharacter(text[end])) ++end;
    words.push_back({std::string(text.substr(at, end - at)), line, at});
    at = end;
  }
  return words;
}

std::vector<Include> Includes(std::string_view text) {
  const std::string code = Blanker(text, /*blank_literals=*/false).Run();
  std::vector<Include> includes;
  int number = 0;
  for (std::string_view line : Lines(code)) {
    ++number;
    size_t at = SkipBlanks(line, 0);
    if (at >= line.size() || line[at] != '#') continue;
    at = SkipBlanks(line, at + 1);
    constexpr std::string_view kDirective = "include";
    if (line.substr(at, kDirective.size()) != kDirective) continue;
    at = SkipBlanks(line, at + kDirective.size());
    if (at >= line.size() || (line[at] != '"' && line[at] != '<')) continue;
    const size_t end = line.find(line[at] == '<' ? '>' : '"', at + 1);
    if (end == std::string_view::npos) continue;
    includes.push_back(
        {std::string(line.substr(at + 1, end - at - 1)), number});
  }
  return includes;
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string Join(std::initializer_list<std::string_view> parts) {
  std::string joined;
  for (std::string_view part : parts) joined += part;
  return joined;
}

bool IsHeader(std::string_view path) {
  return path.ends_with(".h") || path.ends_with(".hpp");
}

bool IsCpp(std::string_view path) {
  return IsHeader(path) || path.ends_with(".cc") || path.ends_with(".c");
}

bool IsUnder(std::string_view path, std::string_view prefix) {
  if (!prefix.empty() && prefix.back() == '/') {
    return path.starts_with(prefix);
  }
  return path == prefix;
}

std::string_view DirectoryOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view()
                                         : path.substr(0, slash);
}

}  // namespace ascend::lint
