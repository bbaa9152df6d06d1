// ascend_lint ROOT: checks the tree at ROOT by every rule of rules.h, prints
// one line per finding and ends with 1 when there is any.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "tests/lint/rules.h"

namespace {

namespace fs = std::filesystem;

// What git ignores or owns.
bool IsIgnored(const std::string& name) {
  return name == "build" || name == ".git";
}

bool ReadTree(const fs::path& root, std::vector<std::string>* top_level,
              std::vector<ascend::lint::SourceFile>* files) {
  std::error_code error;
  fs::recursive_directory_iterator at(root, error);
  for (; !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (at.depth() == 0) {
      if (IsIgnored(name)) {
        at.disable_recursion_pending();
        continue;
      }
      top_level->push_back(name);
    }
    if (!at->is_regular_file()) continue;
    std::ifstream in(at->path(), std::ios::binary);
    files->push_back({fs::relative(at->path(), root).generic_string(),
                      std::string(std::istreambuf_iterator<char>(in), {})});
  }
  if (error) {
    std::fprintf(stderr, "ascend_lint: '%s' cannot be read: %s\n", root.c_str(),
                 error.message().c_str());
    return false;
  }
  std::sort(files->begin(), files->end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: ascend_lint ROOT\n");
    return 2;
  }
  std::vector<std::string> top_level;
  std::vector<ascend::lint::SourceFile> files;
  if (!ReadTree(argv[1], &top_level, &files)) return 2;
  const auto findings = ascend::lint::CheckTree(top_level, files);
  for (const auto& finding : findings) {
    if (finding.line > 0) {
      std::printf("%s:%d: %s\n", finding.path.c_str(), finding.line,
                  finding.message.c_str());
    } else {
      std::printf("%s: %s\n", finding.path.c_str(), finding.message.c_str());
    }
  }
  std::printf("%zu files, %zu findings\n", files.size(), findings.size());
  return findings.empty() ? 0 : 1;
}
