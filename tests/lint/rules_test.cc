// Each rule is fed what it must refuse and its harmless neighbour.

#include "tests/lint/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ascend::lint {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

auto Says(const std::string& part) {
  return Field(&Finding::message, HasSubstr(part));
}

auto SaysAt(int line, const std::string& part) {
  return AllOf(Field(&Finding::line, line), Says(part));
}

// ---- source text

TEST(SourceTextTest, BlanksCommentsAndLiteralsAndKeepsLines) {
  const std::string text =
      "int a; // new\n/* rand\n */ f(\"mmap \\\" x\", 'q', 1'000);\n"
      "g(R\"x(delete )\" )x\");\n";
  const std::string code = BlankCommentsAndLiterals(text);
  EXPECT_EQ(code.size(), text.size());
  std::vector<std::string> words;
  for (const Word& word : Words(code)) words.push_back(word.text);
  EXPECT_THAT(words, ElementsAre("int", "a", "f", "1", "000", "g", "R"));
  EXPECT_EQ(Lines(code).size(), Lines(text).size());
}

TEST(SourceTextTest, FindsIncludesOutsideComments) {
  const auto includes = Includes(
      "#include \"a/b.h\"\n// #include \"c.h\"\n#  include <d.h>\n"
      "/*\n#include <e.h>\n*/\n#define X \"f.h\"\n");
  ASSERT_THAT(includes, SizeIs(2));
  EXPECT_EQ(includes[0].target, "a/b.h");
  EXPECT_EQ(includes[1].target, "d.h");
  EXPECT_EQ(includes[1].line, 3);
}

// ---- layering

struct IncludeCase {
  std::string path;
  std::string target;
};

void PrintTo(const IncludeCase& c, std::ostream* out) {
  *out << c.path << " includes " << c.target;
}

Findings Include(const IncludeCase& c) {
  return CheckLayering({c.path, "\n#include \"" + c.target + "\"\n"});
}

class RefusedInclude : public ::testing::TestWithParam<IncludeCase> {};
TEST_P(RefusedInclude, IsAFinding) {
  EXPECT_THAT(Include(GetParam()), ElementsAre(SaysAt(2, GetParam().target)));
}
INSTANTIATE_TEST_SUITE_P(
    Layering, RefusedInclude,
    ::testing::ValuesIn(std::vector<IncludeCase>{
        {"core/base/check.h", "core/sim/tick.h"},
        {"core/sim/rng.h", "core/mem/ledger.h"},
        {"core/mem/ledger.cc", "core/sched/task.h"},
        {"core/mem/ledger.cc", "core/kernels/catalog.h"},
        {"core/sched/scheduler.cc", "core/machine/machine.h"},
        {"core/sched/scheduler.cc", "core/mem/memory_manager.h"},
        {"core/sched/policies/fifo.cc", "core/kernels/catalog.h"},
        {"core/machine/machine.cc", "server/daemon.h"},
        {"core/machine/machine.cc", "proto/ipc/ring.h"},
        {"core/machine/machine.cc", "ascend/rtd/v1/session.pb.h"},
        {"core/machine/machine.cc", "acl/acl.h"},
        {"core/novel/thing.cc", "core/base/check.h"},
        {"proto/ipc/ring.h", "core/machine/machine.h"},
        {"proto/ipc/ring.h", "proto/wire.h"},
        {"proto/wire.h", "core/command/command.h"},
        {"server/kernels/body.h", "core/machine/machine.h"},
        {"server/kernels/body.h", "server/daemon.h"},
        {"server/daemon.cc", "client/runtime/connection.h"},
        {"server/machine_host.cc", "grpcpp/grpcpp.h"},
        {"server/session/session.cc", "ascend/rtd/v1/session.grpc.pb.h"},
        {"server/daemon.cc", "dnnl.hpp"},
        {"core/kernels/matmul.cc", "hwy/highway.h"},
        {"core/obs/trace.cc", "spdlog/spdlog.h"},
        {"client/include/acl/acl.h", "core/base/check.h"},
        {"client/include/acl/acl.h", "absl/status/status.h"},
        {"client/examples/x/main.cc", "client/runtime/lane.h"},
        {"client/runtime/lane.cc", "core/machine/machine.h"},
        {"client/runtime/lane.cc", "core/sim/event_queue.h"},
        {"client/runtime/lane.cc", "grpcpp/grpcpp.h"},
        {"client/runtime/lane.cc", "server/options.h"},
        {"client/capi/acl_memory.cc", "ascend/rtd/v1/memory.pb.h"},
        {"client/cli/ascend_rtctl.cc", "client/runtime/lane.h"},
        {"core/base/check.cc", "gtest/gtest.h"},
    }));

class AllowedInclude : public ::testing::TestWithParam<IncludeCase> {};
TEST_P(AllowedInclude, IsNone) { EXPECT_THAT(Include(GetParam()), IsEmpty()); }
INSTANTIATE_TEST_SUITE_P(
    Layering, AllowedInclude,
    ::testing::ValuesIn(std::vector<IncludeCase>{
        {"core/base/check.cc", "core/base/check.h"},
        {"core/base/check.cc", "absl/status/status.h"},
        {"core/command/command.h", "core/sim/tick.h"},
        {"core/kernels/catalog.h", "acl/ascend_rtd_ops.h"},
        {"core/sched/task.h", "core/kernels/descriptor.h"},
        {"core/sched/policies/fifo.h", "core/sched/policy.h"},
        {"core/machine/machine.cc", "core/mem/memory_manager.h"},
        {"proto/ipc/ring.h", "core/base/unique_fd.h"},
        {"proto/wire.cc", "proto/wire.h"},
        {"server/session/command_decoder.cc", "proto/wire.h"},
        {"client/grpc/grpc_transport.cc", "proto/wire.h"},
        {"server/kernels/bodies/matmul.cc", "dnnl.hpp"},
        {"server/daemon.cc", "grpcpp/grpcpp.h"},
        {"server/daemon.cc", "server/kernels/registry.h"},
        {"server/session/command_decoder.cc", "ascend/rtd/v1/session.pb.h"},
        {"client/runtime/lane.cc", "core/sim/tick.h"},
        {"client/runtime/lane.cc", "proto/ipc/ring.h"},
        {"client/capi/acl_memory.cc", "acl/acl.h"},
        {"client/grpc/grpc_transport.cc", "grpcpp/grpcpp.h"},
        {"client/grpc/grpc_transport.cc", "client/runtime/transport.h"},
        {"client/cli/ascend_rtctl.cc", "client/grpc/channel.h"},
        {"client/examples/x/main.cc", "acl/acl.h"},
        {"tests/unit/core/x_test.cc", "server/daemon.h"},
    }));

// ---- banned calls

Findings CoreCalls(const std::string& code) {
  return CheckBannedCalls({"core/sim/x.cc", "\n" + code + "\n"});
}

class BannedCall : public ::testing::TestWithParam<std::string> {};
TEST_P(BannedCall, IsAFinding) {
  EXPECT_THAT(CoreCalls(GetParam()), ElementsAre(SaysAt(2, "is banned")));
  EXPECT_THAT(CheckBannedCalls({"server/x.cc", GetParam()}), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(
    Core, BannedCall,
    ::testing::Values("auto t = steady_clock::now();", "clock_gettime(1, &t);",
                      "usleep(1);", "sleep_for(d);", "std::thread t(f);",
                      "std::random_device d;", "int r = rand();",
                      "char* e = getenv(n);", "void* p = mmap(a);",
                      "int* p = new int;", "delete p;",
                      "auto* d = dynamic_cast<D*>(b);", "Mutex m;"));

TEST(BannedCallTest, PassesWhatOnlyLooksLikeOne) {
  EXPECT_THAT(CoreCalls("X(const X&) = delete;  // new X\n"
                        "#include <new>\n"
                        "int renewed = brand + thread + f(\"getenv\");"),
              IsEmpty());
}

TEST(BannedCallTest, AllowsTheWrappersOfBaseAndNoMore) {
  EXPECT_THAT(CheckBannedCalls({"core/base/sync.h", "std::mutex mutex_;"}),
              IsEmpty());
  EXPECT_THAT(CheckBannedCalls({"core/base/sync.h", "int r = rand();"}),
              SizeIs(1));
}

TEST(HashIterationTest, FindsALoopOverAMemberOfTheHeader) {
  const SourceFile header = {
      "core/mem/x.h", "absl::flat_hash_map<int, std::vector<int>> by_id_;"};
  const SourceFile loop = {
      "core/mem/x.cc", "void F() {\n  for (auto& [k, v] : by_id_) G(k);\n}"};
  EXPECT_THAT(CheckHashIteration({header, loop}),
              ElementsAre(SaysAt(2, "by_id_")));
}

TEST(HashIterationTest, PassesOtherLoopsAndOtherContainers) {
  const SourceFile file = {
      "core/mem/x.cc",
      "std::unordered_set<int> seen; std::vector<int> list;\n"
      "for (int i : list) seen.insert(i);\n"
      "for (size_t i = 0; i < seen.size(); ++i) F(a ? b : c);\n"};
  EXPECT_THAT(CheckHashIteration({file}), IsEmpty());
}

// ---- tests

TEST(TestMannersTest, RefusesSleepsAndSilentSkips) {
  const auto check = [](const std::string& code) {
    return CheckTestManners({"tests/unit/x_test.cc", code});
  };
  EXPECT_THAT(check("std::this_thread::sleep_for(d);"),
              ElementsAre(SaysAt(1, "sleep_for")));
  EXPECT_THAT(check("\nusleep(3);"), ElementsAre(SaysAt(2, "usleep")));
  EXPECT_THAT(check("GTEST_SKIP();\nF() << 1;"),
              ElementsAre(SaysAt(1, "does not say why")));
  EXPECT_THAT(check("GTEST_SKIP() << \"no AVX-512 here\";"), IsEmpty());
  EXPECT_THAT(CheckTestManners({"server/x.cc", "usleep(3);"}), IsEmpty());
  EXPECT_THAT(CheckTestManners({"tests/bench/x.cc", "usleep(3);"}), IsEmpty());
}

// ---- scripts

TEST(PipesTest, RefusesAReaderThatLeavesEarly) {
  const auto check = [](const std::string& line) {
    return CheckPipes({"deploy/x.sh", "set -euo pipefail\n" + line + "\n"});
  };
  for (const char* line :
       {"ldd x | grep -q y", "ldd x | grep -Fqx y", "ldd x |grep -m 1 y",
        "value=$(sort x | head -n 1)"}) {
    EXPECT_THAT(check(line), ElementsAre(SaysAt(2, "leaves early"))) << line;
  }
  for (const char* line :
       {"grep -q y <<<\"$(ldd x)\"", "grep -qx y z || exit 1",
        "ldd x | grep -vE 'quiet'", "ldd x | tee head",
        "exports | headers) $1 ;;", "head -n 1 x | wc"}) {
    EXPECT_THAT(check(line), IsEmpty()) << line;
  }
  EXPECT_THAT(CheckPipes({"deploy/x.sh", "ldd x | grep -q y\n"}), IsEmpty());
}

// ---- form

TEST(FormTest, RefusesTabsBlanksAndLongLines) {
  const auto check = [](const std::string& text) {
    return CheckForm({"server/x.cc", text});
  };
  EXPECT_THAT(check("a;\n\tb;\n"), ElementsAre(SaysAt(2, "tab")));
  EXPECT_THAT(check("a; \n"), ElementsAre(SaysAt(1, "blank")));
  EXPECT_THAT(check("a;\r\n"), ElementsAre(SaysAt(1, "blank")));
  EXPECT_THAT(check("a;"), ElementsAre(SaysAt(1, "line end")));
  EXPECT_THAT(check(std::string(81, 'x') + "\n"),
              ElementsAre(SaysAt(1, "81 columns")));
  EXPECT_THAT(check(std::string(80, 'x') + "\n"), IsEmpty());
  EXPECT_THAT(check("#include \"" + std::string(80, 'x') + "\"\n"), IsEmpty());
}

TEST(FormTest, CountsCharactersAndNotBytes) {
  std::string line = "// ";
  for (int i = 0; i < 77; ++i) line += "\xC3\xA9";
  EXPECT_THAT(CheckForm({"server/x.cc", line + "\n"}), IsEmpty());
}

TEST(FormTest, NamesGuardsAfterThePathThatIsIncluded) {
  EXPECT_EQ(IncludeGuard("core/sim/tick.h"), "ASCEND_CORE_SIM_TICK_H_");
  EXPECT_EQ(IncludeGuard("client/include/acl/acl_rt_simple.hpp"),
            "ACL_ACL_RT_SIMPLE_HPP_");
}

TEST(FormTest, AcceptsHighwaysGuard) {
  EXPECT_THAT(CheckForm({"server/kernels/x-inl.h",
                         "#if defined(ASCEND_SERVER_KERNELS_X_INL_H_) == \\\n"
                         "    defined(HWY_TARGET_TOGGLE)\n"
                         "#endif  // per target\n"}),
              IsEmpty());
}

TEST(FormTest, RefusesAHeaderWithoutItsGuard) {
  const auto check = [](const std::string& guard) {
    return CheckForm(
        {"core/sim/tick.h", "// Why.\n#ifndef " + guard + "\n#define " + guard +
                                "\nint x;\n#endif  // " + guard + "\n"});
  };
  EXPECT_THAT(check("ASCEND_CORE_SIM_TICK_H_"), IsEmpty());
  EXPECT_THAT(check("TICK_H"), ElementsAre(Says("not guarded")));
  EXPECT_THAT(CheckForm({"core/sim/tick.h", "#pragma once\nint x;\n"}),
              ElementsAre(Says("not guarded")));
}

// ---- the tree

TEST(TopLevelTest, IsFixed) {
  std::vector<std::string> names = {
      ".ci",       ".gitignore", "CMakeLists.txt", "CMakePresets.json",
      "README.md", "core",       "client",         "deploy",
      "proto",     "server",     "tests"};
  EXPECT_THAT(CheckTopLevel(names), IsEmpty());
  names.push_back("docs");
  EXPECT_THAT(CheckTopLevel(names), ElementsAre(Says("no entry")));
  names = {"CMakeLists.txt", "CMakePresets.json",
           "README.md",      "core",
           "client",         "deploy",
           "proto",          "server"};
  EXPECT_THAT(CheckTopLevel(names), ElementsAre(Says("missing")));
}

TEST(ReadmeTest, IsThereAndShort) {
  const SourceFile source = {"core/sim/tick.h", ""};
  EXPECT_THAT(CheckReadmes({source}), ElementsAre(Says("no README.md")));
  EXPECT_THAT(CheckReadmes({source, {"core/README.md", "x\n"}}),
              ElementsAre(Says("no README.md")));
  std::string text;
  for (int i = 0; i < 40; ++i) text += "x\n";
  EXPECT_THAT(CheckReadmes({source, {"core/sim/README.md", text}}), IsEmpty());
  EXPECT_THAT(CheckReadmes({source, {"core/sim/README.md", text + "x\n"}}),
              ElementsAre(Says("41 lines")));
}

TEST(ReadmeTest, IsSharedWhereOthersGiveTheShape) {
  const SourceFile header = {"client/include/acl/types/event.h", ""};
  EXPECT_THAT(CheckReadmes({header}), ElementsAre(Says("no README.md")));
  EXPECT_THAT(CheckReadmes({header, {"client/include/README.md", "x\n"}}),
              IsEmpty());
}

// ---- functions and their tests

TEST(FunctionTestsTest, WantACallAndAFailure) {
  const SourceFile list = {
      "client/capi/functions.inc",
      "// SUPPORTED(\"h\", \"s\", aclError, aclNone, (void), \"\")\n"
      "SUPPORTED(\"h\", \"s\", aclError, aclBoth, (int a, int b), \"\")\n"
      "SUPPORTED(\"h\", \"s\", aclError, aclWorks, (void), \"\")\n"
      "SUPPORTED(\"h\", \"s\", aclnnStatus, aclNever, (void), \"\")\n"
      "SUPPORTED(\"h\", \"s\", const char*, aclText, (void), \"\")\n"
      "UNSUPPORTED(\"h\", \"s\", aclError, aclLater, (void), \"\")\n"};
  const SourceFile test = {
      "tests/conformance/x_test.cc",
      "// aclNever();\nEXPECT_ACL_ERROR(107000,\n aclBoth(1, \"aclWorks\"));\n"
      "EXPECT_ACL_OK(aclWorks());\nEXPECT_EQ(aclText(), nullptr);\n"};
  const SourceFile bench = {"tests/bench/x.cc", "aclNever();\n"};
  EXPECT_THAT(CheckFunctionTests({list, test, bench}),
              ElementsAre(SaysAt(4, "'aclNever' is supported but not tested"),
                          SaysAt(3, "no test sees 'aclWorks' fail")));
  EXPECT_THAT(CheckFunctionTests({test}), IsEmpty());
}

TEST(FunctionTestsTest, KnowOurExtensions) {
  const SourceFile header = {
      "client/include/acl/ascend_rtd_ext.h",
      "// ACL_FUNC_VISIBILITY aclError ascrtNone(void);\n"
      "ACL_FUNC_VISIBILITY aclError ascrtBoth(int a,\n int b);\n"
      "ACL_FUNC_VISIBILITY aclError ascrtWorks(void);\n"
      "ACL_FUNC_VISIBILITY aclError ascrtNever(void);\n"
      "ACL_FUNC_VISIBILITY const char* ascrtText(void);\n"};
  const SourceFile test = {
      "tests/conformance/x_test.cc",
      "EXPECT_ACL_ERROR(107000, ascrtBoth(1, 2));\n"
      "EXPECT_ACL_OK(ascrtWorks());\nEXPECT_EQ(ascrtText(), nullptr);\n"};
  EXPECT_THAT(CheckFunctionTests({header, test}),
              ElementsAre(SaysAt(5, "'ascrtNever' is supported but not tested"),
                          SaysAt(4, "no test sees 'ascrtWorks' fail")));
}

TEST(TreeTest, AppliesEveryRule) {
  const std::vector<SourceFile> files = {
      {"core/sim/x.cc",
       "#include \"server/x.h\"\nint* p = new int;\t\n"
       "std::unordered_set<int> s;\nvoid F() { for (int i : s) G(i); }\n"},
      {"tests/unit/x_test.cc", "usleep(1);\n"},
      {"client/capi/functions.inc",
       "SUPPORTED(\"h\", \"s\", void, aclNever, (void), \"\")\n"},
      {"deploy/x.sh", "set -o pipefail\nldd x | grep -q y\n"},
      {"tests/unit/README.md", "x\n"}};
  const Findings findings = CheckTree({"docs"}, files);
  for (const char* part :
       {"no entry", "missing", "no README.md", "includes server/x.h",
        "'new' is banned", "tab", "hash container 's'", "'usleep' waits",
        "leaves early", "'aclNever' is supported"}) {
    EXPECT_THAT(findings, ::testing::Contains(Says(part))) << part;
  }
}

}  // namespace
}  // namespace ascend::lint
