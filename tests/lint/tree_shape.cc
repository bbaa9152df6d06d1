#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lint/rules.h"

namespace ascend::lint {
namespace {

constexpr std::string_view kTopLevel[] = {
    "CMakeLists.txt", "CMakePresets.json",
    "README.md",      "client",
    "core",           "deploy",
    "proto",          "server",
    "tests",
};

constexpr size_t kReadmeLines = 40;

// Trees whose directories are given by others (an installed layout, a package
// name, the tree that is mirrored): a README above speaks for them.
constexpr std::string_view kSharedReadmes[] = {
    "client/include/",
    "proto/ascend/",
    "proto/grpc/",
    "tests/unit/",
};

bool IsSource(std::string_view path) {
  return IsCpp(path) || path.ends_with(".proto") || path.ends_with(".sh") ||
         path.ends_with(".cmake");
}

bool HasSharedReadme(std::string_view directory) {
  const std::string with_slash = Join({directory, "/"});
  return std::any_of(
      std::begin(kSharedReadmes), std::end(kSharedReadmes),
      [&](std::string_view root) { return IsUnder(with_slash, root); });
}

void Append(Findings more, Findings* findings) {
  findings->insert(findings->end(), more.begin(), more.end());
}

}  // namespace

Findings CheckTopLevel(const std::vector<std::string>& names) {
  Findings findings;
  const std::set<std::string_view> present(names.begin(), names.end());
  const std::set<std::string_view> expected(std::begin(kTopLevel),
                                            std::end(kTopLevel));
  for (std::string_view name : present) {
    if (expected.count(name) == 0 && !name.starts_with(".")) {
      findings.push_back({std::string(name), 0,
                          "is no entry of the top level, which is fixed"});
    }
  }
  for (std::string_view name : expected) {
    if (present.count(name) == 0) {
      findings.push_back(
          {std::string(name), 0, "is missing from the top level"});
    }
  }
  return findings;
}

Findings CheckReadmes(const std::vector<SourceFile>& files) {
  Findings findings;
  std::set<std::string> with_sources;
  std::set<std::string> with_readme;
  for (const SourceFile& file : files) {
    const std::string directory(DirectoryOf(file.path));
    if (IsSource(file.path)) with_sources.insert(directory);
    if (!file.path.ends_with("README.md")) continue;
    with_readme.insert(directory);
    const size_t lines = Lines(file.text).size();
    if (!directory.empty() && lines > kReadmeLines) {
      findings.push_back(
          {file.path, 0,
           Join({"has ", std::to_string(lines), " lines, more than ",
                 std::to_string(kReadmeLines)})});
    }
  }
  for (const std::string& directory : with_sources) {
    std::string_view holder = directory;
    while (with_readme.count(std::string(holder)) == 0 &&
           HasSharedReadme(holder)) {
      holder = DirectoryOf(holder);
    }
    if (with_readme.count(std::string(holder)) == 0) {
      findings.push_back(
          {directory, 0, "has sources and no README.md that says why"});
    }
  }
  return findings;
}

Findings CheckTree(const std::vector<std::string>& top_level,
                   const std::vector<SourceFile>& files) {
  Findings findings = CheckTopLevel(top_level);
  Append(CheckReadmes(files), &findings);
  Append(CheckHashIteration(files), &findings);
  Append(CheckFunctionTests(files), &findings);
  for (const SourceFile& file : files) {
    Append(CheckLayering(file), &findings);
    Append(CheckBannedCalls(file), &findings);
    Append(CheckTestManners(file), &findings);
    Append(CheckPipes(file), &findings);
    Append(CheckForm(file), &findings);
  }
  return findings;
}

}  // namespace ascend::lint
