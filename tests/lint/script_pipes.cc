#include <string_view>

#include "tests/lint/rules.h"

namespace ascend::lint {
namespace {

// Whether `command`, what stands behind a pipe, may leave before it has read
// everything.
bool LeavesEarly(std::string_view command) {
  const size_t first = command.find_first_not_of(' ');
  if (first == std::string_view::npos) return false;
  command.remove_prefix(first);
  if (command.starts_with("head ")) return true;
  if (!command.starts_with("grep -")) return false;
  const std::string_view options =
      command.substr(std::string_view("grep -").size());
  return options.substr(0, options.find(' ')).find_first_of("qm") !=
         std::string_view::npos;
}

}  // namespace

Findings CheckPipes(const SourceFile& file) {
  Findings findings;
  if (!file.path.ends_with(".sh") ||
      file.text.find("pipefail") == std::string_view::npos) {
    return findings;
  }
  int number = 0;
  for (std::string_view line : Lines(file.text)) {
    ++number;
    for (size_t at = line.find('|'); at != std::string_view::npos;
         at = line.find('|', at + 1)) {
      if (LeavesEarly(line.substr(at + 1))) {
        findings.push_back({file.path, number,
                            "a reader that leaves early fails the pipe now and "
                            "then; read what was written from a variable"});
      }
    }
  }
  return findings;
}

}  // namespace ascend::lint
