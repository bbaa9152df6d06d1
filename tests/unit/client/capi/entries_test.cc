// Every public function passes its entry: with a rule of faults for each of
// them and a trace, each is called with zeros.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_platform.h"
#include "acl/acl_prof.h"
#include "acl/acl_rt_allocator.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"
#include "acl/ops/acl_cblas.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "client/capi/public_function.h"

namespace ascend::client {
namespace {

constexpr int kCode = 507899;

// The answer of a call with zeros as a number, whatever its type.
template <typename Result, typename... Parameters>
int64_t CallWithZeros(Result (*function)(Parameters...)) {
  if constexpr (std::is_void_v<Result>) {
    function(Parameters()...);
    return 0;
  } else if constexpr (std::is_pointer_v<Result>) {
    return reinterpret_cast<int64_t>(function(Parameters()...));
  } else {
    return static_cast<int64_t>(function(Parameters()...));
  }
}

// Has no entry, because its arguments cannot be passed on.
template <typename... Parameters>
int64_t CallWithZeros(void (*)(Parameters..., ...)) {
  return 0;
}

struct Call {
  std::string_view name;
  bool has_entry;
  bool returns_code;
  int64_t (*make)();
};

template <typename... Parameters>
constexpr bool IsVariadic(void (*)(Parameters..., ...)) {
  return true;
}
template <typename Result, typename... Parameters>
constexpr bool IsVariadic(Result (*)(Parameters...)) {
  return false;
}

const std::vector<Call>& Calls() {
  static const auto* const calls = new std::vector<Call>{
#define SUPPORTED(header, subject, result, name, parameters, note) \
  {#name, !IsVariadic(&name),                                      \
   std::string_view(#result) == "aclError" ||                      \
       std::string_view(#result) == "aclnnStatus",                 \
   [] { return CallWithZeros(&name); }},
#define UNSUPPORTED SUPPORTED
#include "client/capi/functions.inc"
#undef SUPPORTED
#undef UNSUPPORTED
  };
  return *calls;
}

std::string TraceFile() {
  static const auto* const path = new std::string(
      ::testing::TempDir() + "/entries_test." + std::to_string(getpid()));
  return *path;
}

// The variables are read by the first call.
class Environment : public ::testing::Environment {
 public:
  void SetUp() override {
    std::string rules;
    for (const PublicFunction& function : PublicFunctions()) {
      if (!function.can_fail || function.name == "aclrtGetLastError" ||
          function.name == "aclGetRecentErrMsg") {
        continue;
      }
      if (!rules.empty()) rules += ',';
      rules += function.name;
      rules += ":1=" + std::to_string(kCode);
    }
    setenv("ASCEND_RTD_FAULTS", rules.c_str(), 1);
    setenv("ASCEND_RTD_CALL_TRACE", TraceFile().c_str(), 1);
  }
  void TearDown() override { unlink(TraceFile().c_str()); }
};

const auto* const kEnvironment =
    ::testing::AddGlobalTestEnvironment(new Environment);

TEST(EntriesTest, EachFunctionOfTheListFailsAndIsTraced) {
  size_t without_entry = 0;
  for (const Call& call : Calls()) {
    SCOPED_TRACE(call.name);
    if (!call.has_entry) {
      ++without_entry;
      continue;
    }
    const auto functions = PublicFunctions();
    const auto function =
        std::ranges::find(functions, call.name, &PublicFunction::name);
    ASSERT_NE(function, functions.end());
    EXPECT_TRUE(function->can_fail || !call.returns_code);
    aclGetRecentErrMsg();
    const int64_t answer = call.make();
    if (!function->can_fail || call.name == "aclrtGetLastError" ||
        call.name == "aclGetRecentErrMsg") {
      continue;
    }
    EXPECT_EQ(answer, call.returns_code ? kCode : 0);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), kCode);
    const char* const message = aclGetRecentErrMsg();
    ASSERT_NE(message, nullptr);
    EXPECT_EQ(std::string(message),
              "EH0001: " + std::string(call.name) +
                  ": call 1 fails because ASCEND_RTD_FAULTS says so");
  }
  EXPECT_EQ(without_entry, 1u) << "only aclAppLog may be without";

  std::set<std::string> traced;
  std::ifstream file(TraceFile());
  for (std::string line; std::getline(file, line);) {
    const std::string call = line.substr(0, line.find('('));
    traced.insert(call.substr(call.rfind(' ') + 1));
  }
  for (const Call& call : Calls()) {
    EXPECT_EQ(traced.count(std::string(call.name)), call.has_entry ? 1u : 0u)
        << call.name;
  }
}

}  // namespace
}  // namespace ascend::client
