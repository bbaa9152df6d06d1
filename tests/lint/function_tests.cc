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
constexpr std::string_view kExtensions = "client/include/acl/ascend_rtd_ext.h";
constexpr std::string_view kTests[] = {
    "tests/conformance/", "tests/integration/", "tests/unit/client/"};
constexpr std::string_view kFailure = "EXPECT_ACL_ERROR";

// Nothing can be wrong with a call of these.
constexpr std::string_view kCannotFail[] = {"aclnnFinalize",
                                            "aclrtSetExceptionInfoCallback",
                                            "aclrtSetOpExecuteTimeOut",
                                            "aclrtSetOpExecuteTimeOutWithMs",
                                            "aclrtSetOpWaitTimeout",
                                            "ascrtBlocked",
                                            "ascrtIdle"};

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

using Functions = std::map<std::string, Function>;

// The functions of the rows that begin with `mark` and hold result and name in
// front of `end`; literals are blanked.
Functions FunctionsOf(const SourceFile& file, std::string_view mark,
                      std::string_view end) {
  Functions functions;
  const std::string text = BlankCommentsAndLiterals(file.text);
  int line = 0;
  for (const std::string_view row : Lines(text)) {
    ++line;
    const std::vector<Word> words = Words(row.substr(0, row.find(end)));
    if (words.size() < 3 || words[0].text != mark) continue;
    const std::string& result = words[words.size() - 2].text;
    functions[words.back().text] = {
        line, result == "aclError" || result == "aclnnStatus"};
  }
  return functions;
}

// SUPPORTED("header", "subject", result, name, (parameters), "note"), and
// declarations of our own.
Functions SupportedFunctions(const SourceFile& file) {
  if (file.path == kList) return FunctionsOf(file, "SUPPORTED", ", (");
  if (file.path == kExtensions) {
    return FunctionsOf(file, "ACL_FUNC_VISIBILITY", "(");
  }
  return {};
}

bool IsTest(std::string_view path) {
  return IsCpp(path) && std::any_of(std::begin(kTests), std::end(kTests),
                                    [&](std::string_view directory) {
                                      return IsUnder(path, directory);
                                    });
}

}  // namespace

Findings CheckFunctionTests(const std::vector<SourceFile>& files) {
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
  for (const SourceFile& file : files) {
    for (const auto& [name, function] : SupportedFunctions(file)) {
      if (called.count(name) == 0) {
        findings.push_back(
            {file.path, function.line,
             Join({"'", name, "' is supported but not tested"})});
      } else if (function.has_status && failing.count(name) == 0 &&
                 !Contains(kCannotFail, name) &&
                 !Contains(kFailsInHelper, name)) {
        findings.push_back({file.path, function.line,
                            Join({"no test sees '", name, "' fail"})});
      }
    }
  }
  return findings;
}

}  // namespace ascend::lint
