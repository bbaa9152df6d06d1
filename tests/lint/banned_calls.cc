#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lint/rules.h"

namespace ascend::lint {
namespace {

struct BannedWord {
  std::string_view word;
  std::string_view instead;
};

constexpr std::string_view kNoTime = "time is a Tick that the caller passes";
constexpr std::string_view kNoThread = "core/ has one writer and no threads";
constexpr std::string_view kNoMachine =
    "what the machine says is injected, so that a seed replays a run";
constexpr std::string_view kNoRaw = "unique_ptr or a container owns";

// Banned in all of core/.
constexpr BannedWord kBanned[] = {
    {"sleep", kNoTime},
    {"usleep", kNoTime},
    {"nanosleep", kNoTime},
    {"sleep_for", kNoTime},
    {"sleep_until", kNoTime},
    {"SleepFor", kNoTime},
    {"random_device", kNoMachine},
    {"rand", kNoMachine},
    {"srand", kNoMachine},
    {"random", kNoMachine},
    {"getenv", kNoMachine},
    {"secure_getenv", kNoMachine},
    {"setenv", kNoMachine},
    {"mmap", "bytes are behind core/mem/hbm_backing.h"},
    {"munmap", "bytes are behind core/mem/hbm_backing.h"},
    {"mremap", "bytes are behind core/mem/hbm_backing.h"},
    {"memfd_create", "bytes are behind core/mem/hbm_backing.h"},
    {"new", kNoRaw},
    {"delete", kNoRaw},
    {"dynamic_cast", "the tree is built without RTTI"},
    {"typeid", "the tree is built without RTTI"},
};

// Banned in core/ above core/base, which holds the wrappers over these.
constexpr BannedWord kBannedAboveBase[] = {
    {"steady_clock", kNoTime},
    {"system_clock", kNoTime},
    {"high_resolution_clock", kNoTime},
    {"clock_gettime", kNoTime},
    {"gettimeofday", kNoTime},
    {"chrono", kNoTime},
    {"Now", kNoTime},
    {"jthread", kNoThread},
    {"this_thread", kNoThread},
    {"async", kNoThread},
    {"pthread_create", kNoThread},
    {"mutex", kNoThread},
    {"Mutex", kNoThread},
    {"MutexLock", kNoThread},
    {"CondVar", kNoThread},
    {"condition_variable", kNoThread},
};

constexpr std::string_view kHashContainers[] = {
    "flat_hash_map", "flat_hash_set", "node_hash_map",
    "node_hash_set", "unordered_map", "unordered_set",
};

// The code before `offset` without the blanks at its end.
std::string_view CodeBefore(std::string_view code, size_t offset) {
  code = code.substr(0, offset);
  while (!code.empty() &&
         std::isspace(static_cast<unsigned char>(code.back())) != 0) {
    code.remove_suffix(1);
  }
  return code;
}

// "= delete" declares; a directive such as "#include <new>" calls nothing.
bool IsHarmless(std::string_view code, const Word& word) {
  const std::string_view before = CodeBefore(code, word.offset);
  if (word.text == "delete" && before.ends_with("=")) return true;
  const size_t newline = code.rfind('\n', word.offset);
  const size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  const size_t first = code.find_first_not_of(' ', start);
  return first < word.offset && code[first] == '#';
}

// "std::thread", but not a variable or member that is called thread.
bool IsStdThread(std::string_view code, const Word& word) {
  return word.text == "thread" &&
         CodeBefore(code, word.offset).ends_with("std::");
}

template <size_t kCount>
const BannedWord* Find(const BannedWord (&words)[kCount],
                       std::string_view text) {
  const auto* found =
      std::find_if(words, words + kCount,
                   [text](const BannedWord& b) { return b.word == text; });
  return found == words + kCount ? nullptr : found;
}

// The identifier that a declaration "container<...> name" introduces, where
// `at` is just behind the container's own name; "" when there is none.
std::string DeclaredName(std::string_view code, size_t at) {
  if (at >= code.size() || code[at] != '<') return "";
  int depth = 0;
  for (; at < code.size(); ++at) {
    depth += code[at] == '<' ? 1 : code[at] == '>' ? -1 : 0;
    if (depth == 0) break;
  }
  const auto words = Words(code.substr(std::min(at, code.size())));
  if (words.empty()) return "";
  const std::string_view between =
      code.substr(at + 1, words.front().offset - 1);
  const bool declares =
      between.find_first_not_of(" \n&*") == std::string_view::npos;
  return declares ? words.front().text : "";
}

std::set<std::string> HashContainerNames(std::string_view code) {
  std::set<std::string> names;
  for (const Word& word : Words(code)) {
    if (std::find(std::begin(kHashContainers), std::end(kHashContainers),
                  word.text) == std::end(kHashContainers)) {
      continue;
    }
    names.insert(DeclaredName(code, word.offset + word.text.size()));
  }
  names.erase("");
  return names;
}

// The range expression of the range-for whose "for" ends at `at`; "" for
// another kind of loop.
std::string_view RangeExpression(std::string_view code, size_t at) {
  const size_t open = code.find('(', at);
  if (open == std::string_view::npos) return {};
  int depth = 0;
  size_t colon = std::string_view::npos;
  for (size_t i = open; i < code.size(); ++i) {
    if (code[i] == '(') ++depth;
    if (code[i] == ')' && --depth == 0) {
      if (colon == std::string_view::npos) return {};
      return code.substr(colon + 1, i - colon - 1);
    }
    if (code[i] == ';') colon = std::string_view::npos;
    if (code[i] == ':' && code[i - 1] != ':' && code[i + 1] != ':' &&
        colon == std::string_view::npos) {
      colon = i;
    }
  }
  return {};
}

std::string Stem(std::string_view path) {
  return std::string(path.substr(0, path.rfind('.')));
}

void AddHashLoops(const SourceFile& file, const std::string& code,
                  const std::set<std::string>& names, Findings* findings) {
  for (const Word& word : Words(code)) {
    if (word.text != "for") continue;
    for (const Word& part : Words(RangeExpression(code, word.offset))) {
      if (names.count(part.text) == 0) continue;
      findings->push_back({file.path, word.line,
                           Join({"loops over the hash container '", part.text,
                                 "', whose order differs each run"})});
    }
  }
}

}  // namespace

Findings CheckBannedCalls(const SourceFile& file) {
  Findings findings;
  if (!IsCpp(file.path) || !IsUnder(file.path, "core/")) return findings;
  const bool above_base = !IsUnder(file.path, "core/base/");
  const std::string code = BlankCommentsAndLiterals(file.text);
  for (const Word& word : Words(code)) {
    const BannedWord* banned = Find(kBanned, word.text);
    if (banned == nullptr && above_base) {
      static constexpr BannedWord kThread = {"std::thread", kNoThread};
      banned = IsStdThread(code, word) ? &kThread
                                       : Find(kBannedAboveBase, word.text);
    }
    if (banned == nullptr || IsHarmless(code, word)) continue;
    findings.push_back(
        {file.path, word.line,
         Join({"'", banned->word, "' is banned in core/: ", banned->instead})});
  }
  return findings;
}

Findings CheckHashIteration(const std::vector<SourceFile>& files) {
  std::map<std::string, std::set<std::string>> names_by_stem;
  for (const SourceFile& file : files) {
    if (!IsCpp(file.path) || !IsUnder(file.path, "core/")) continue;
    names_by_stem[Stem(file.path)].merge(
        HashContainerNames(BlankCommentsAndLiterals(file.text)));
  }
  Findings findings;
  for (const SourceFile& file : files) {
    const auto names = names_by_stem.find(Stem(file.path));
    if (!IsCpp(file.path) || names == names_by_stem.end()) continue;
    AddHashLoops(file, BlankCommentsAndLiterals(file.text), names->second,
                 &findings);
  }
  return findings;
}

// A benchmark may measure over a window of time, and what is tested may be that
// a program is delayed.
bool MaySleep(std::string_view path) {
  return IsUnder(path, "tests/bench/") ||
         path == "tests/integration/clock/host_delays.cc";
}

Findings CheckTestManners(const SourceFile& file) {
  static const std::set<std::string_view> kSleeps = {
      "sleep", "usleep", "nanosleep", "sleep_for", "sleep_until", "SleepFor"};
  Findings findings;
  if (!IsCpp(file.path) || !IsUnder(file.path, "tests/")) return findings;
  const std::string code = BlankCommentsAndLiterals(file.text);
  for (const Word& word : Words(code)) {
    if (kSleeps.count(word.text) != 0 && !MaySleep(file.path)) {
      findings.push_back({file.path, word.line,
                          Join({"'", word.text,
                                "' waits for time; wait for a "
                                "condition with a deadline"})});
    }
    if (word.text == "GTEST_SKIP") {
      const size_t end = code.find(';', word.offset);
      const size_t stream = code.find("<<", word.offset);
      if (stream == std::string::npos || stream > end) {
        findings.push_back(
            {file.path, word.line, "GTEST_SKIP does not say why"});
      }
    }
  }
  return findings;
}

}  // namespace ascend::lint
