#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lint/rules.h"

namespace ascend::lint {
namespace {

constexpr std::string_view kList = "client/capi/functions.inc";
constexpr std::string_view kTests[] = {
    "tests/conformance/", "tests/integration/", "tests/unit/client/"};
constexpr std::string_view kFailure = "EXPECT_ACL_ERROR";

// Nothing can be wrong with a call of these.
constexpr std::string_view kCannotFail[] = {
    "aclnnFinalize", "aclrtSetExceptionInfoCallback",
    "aclrtSetOpExecuteTimeOut", "aclrtSetOpExecuteTimeOutWithMs",
    "aclrtSetOpWaitTimeout"};

// Tests hand these to a helper by name, which states their failures.
constexpr std::string_view kFailsInHelper[] = {
    "aclDestroyBoolArray",  "aclDestroyFloatArray",
    "aclDestroyIntArray",   "aclDestroyScalarList",
    "aclDestroyTensorList", "aclGetBoolArraySize",
    "aclGetFloatArraySize", "aclGetIntArraySize",
    "aclGetScalarListSize", "aclGetTensorListSize",
    "aclrtGetLastError",    "aclrtGetSysParamOpt",
    "aclrtLaunchKernelV2",  "aclrtLaunchKernelWithConfig",
    "aclrtSetSysParamOpt"};

template <size_t kCount>
bool Contains(const std::string_view (&names)[kCount], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

struct Function {
  int line = 0;
  bool has_status = false;  // answers with a code
};

// SUPPORTED("header", "subject", result, name, (parameters), "note"), of which
// literals are blanked: the words after the mark are the result and the name.
std::map<std::string, Function> SupportedFunctions(const SourceFile& list) {
  std::map<std::string, Function> functions;
  const std::string text = BlankCommentsAndLiterals(list.text);
  int line = 0;
  for (const std::string_view row : Lines(text)) {
    ++line;
    const std::string_view head = row.substr(0, row.find(", ("));
    const std::vector<Word> words = Words(head);
    if (words.size() < 3 || words[0].text != "SUPPORTED") continue;
    const std::string& result = words[words.size() - 2].text;
    functions[words.back().text] = {
        line, result == "aclError" || result == "aclnnStatus"};
  }
  return functions;
}

bool IsTest(std::string_view path) {
  return IsCpp(path) && std::any_of(std::begin(kTests), std::end(kTests),
                                    [&](std::string_view directory) {
                                      return IsUnder(path, directory);
                                    });
}

}  // namespace

Findings CheckFunctionTests(const std::vector<SourceFile>& files) {
  const auto list =
      std::find_if(files.begin(), files.end(),
                   [](const SourceFile& file) { return file.path == kList; });
  if (list == files.end()) return {};
  std::set<std::string> called;
  std::set<std::string> failing;
  for (const SourceFile& file : files) {
    if (!IsTest(file.path)) continue;
    const std::string text = BlankCommentsAndLiterals(file.text);
    size_t failure_end = 0;
    for (const Word& word : Words(text)) {
      called.insert(word.text);
      if (word.text == kFailure) failure_end = text.find(';', word.offset);
      if (word.offset < failure_end) failing.insert(word.text);
    }
  }
  Findings findings;
  for (const auto& [name, function] : SupportedFunctions(*list)) {
    if (called.count(name) == 0) {
      findings.push_back({list->path, function.line,
                          Join({"'", name, "' is supported but not tested"})});
    } else if (function.has_status && failing.count(name) == 0 &&
               !Contains(kCannotFail, name) &&
               !Contains(kFailsInHelper, name)) {
      findings.push_back({list->path, function.line,
                          Join({"no test sees '", name, "' fail"})});
    }
  }
  return findings;
}

}  // namespace ascend::lint
