// The rules of the house that a program can check. Each function takes files as
// plain data and returns what it finds wrong, so that a test can feed it a
// sample that violates the rule and see it refused.
//
// Threading: any thread; all functions are pure.
// Ownership: findings own their text.
#ifndef ASCEND_TESTS_LINT_RULES_H_
#define ASCEND_TESTS_LINT_RULES_H_

#include <string>
#include <vector>

#include "tests/lint/source_text.h"

namespace ascend::lint {

struct Finding {
  std::string path;
  int line = 0;  // from 1; 0 when the finding is about the file or directory
  std::string message;
};

using Findings = std::vector<Finding>;

// Which directory may include which, and who may know gRPC, oneDNN, spdlog and
// the generated messages. The table is in layering.cc.
Findings CheckLayering(const SourceFile& file);

// core/ is deterministic: no clock, sleep, thread, randomness of the machine,
// environment, mapping, raw new or delete, or dynamic_cast. core/base, which
// holds the wrappers, may name threads and clocks.
Findings CheckBannedCalls(const SourceFile& file);

// No range-for over a hash container in core/, whose order differs each run.
// Containers are known by name; a source is judged with the header of the same
// stem.
Findings CheckHashIteration(const std::vector<SourceFile>& files);

// Tests wait for a condition, never for time, and a skipped one says why.
Findings CheckTestManners(const SourceFile& file);

// No pipe in a script that fails with any part of a pipe ends in `grep -q` or
// `head`: they leave early, and what still writes to them then fails the pipe.
Findings CheckPipes(const SourceFile& file);

// No tab, no blank at a line's end, a line end at the end; in C and C++ at most
// 80 columns and include guards named after the path.
Findings CheckForm(const SourceFile& file);

// The guard that the header at `path` must have, e.g. ASCEND_CORE_SIM_TICK_H_.
std::string IncludeGuard(std::string_view path);

// The entries of the root are the fixed set; `names` excludes what git ignores.
Findings CheckTopLevel(const std::vector<std::string>& names);

// Every directory with sources has a README.md of at most 40 lines. Below
// client/include, proto/ascend and tests/unit, whose shape is given by others,
// the README of a directory above speaks for all.
Findings CheckReadmes(const std::vector<SourceFile>& files);

// Every function that client/capi/functions.inc calls supported, or that
// acl/ascend_rtd_ext.h declares, is called in a test of the client, and one
// that answers with a code is seen to fail: named in an EXPECT_ACL_ERROR, or in
// a table of function_tests.cc that says why not.
Findings CheckFunctionTests(const std::vector<SourceFile>& files);

// Every rule over a whole tree.
Findings CheckTree(const std::vector<std::string>& top_level,
                   const std::vector<SourceFile>& files);

}  // namespace ascend::lint

#endif  // ASCEND_TESTS_LINT_RULES_H_
