// Calls every stub of the interface, with zeros, and reads what a program would
// read of it.
#include <gtest/gtest.h>

#include <cstdint>
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

namespace ascend::client {
namespace {

// An answer as a number, whatever its type; a function without one yields 0.
template <typename Result>
int64_t Number(Result result) {
  if constexpr (std::is_pointer_v<Result>) {
    return reinterpret_cast<int64_t>(result);
  } else {
    return static_cast<int64_t>(result);
  }
}

template <typename Result, typename... Parameters>
int64_t CallWithZeros(Result (*function)(Parameters...)) {
  if constexpr (std::is_void_v<Result>) {
    function(Parameters()...);
    return 0;
  } else {
    return Number(function(Parameters()...));
  }
}

template <typename... Parameters>
int64_t CallWithZeros(void (*function)(Parameters..., ...)) {
  function(Parameters()...);
  return 0;
}

struct Stub {
  std::string_view result;
  std::string_view name;
  int64_t (*call)();
};

std::vector<Stub> Stubs() {
  return {
#define SUPPORTED(header, subject, result, name, parameters, note)
#define UNSUPPORTED(header, subject, result, name, parameters, note) \
  {#result, #name, [] { return CallWithZeros(&name); }},
#include "client/capi/functions.inc"
#undef SUPPORTED
#undef UNSUPPORTED
  };
}

// The answer that each type of result has for a call that is not supported.
int64_t Refusal(std::string_view result) {
  if (result == "aclError") return 200001;
  if (result == "aclnnStatus") return 561000;
  if (result == "aclDataType" || result == "aclFormat") return -1;
  if (result == "acltdtTensorType") return -1;
  if (result == "aclprofSubscribeOpFlag") return 255;
  return 0;
}

class UnsupportedTest : public testing::Test {
 protected:
  void SetUp() override {
    aclGetRecentErrMsg();
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  }
};

TEST_F(UnsupportedTest, EachStubAnswersNotSupported) {
  for (const Stub& stub : Stubs()) {
    SCOPED_TRACE(stub.name);
    EXPECT_EQ(stub.call(), Refusal(stub.result));
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL),
              stub.result == "aclnnStatus" ? 561000 : 200001);
  }
}

TEST_F(UnsupportedTest, EachMessageNamesTheCall) {
  for (const Stub& stub : Stubs()) {
    SCOPED_TRACE(stub.name);
    stub.call();
    const char* const message = aclGetRecentErrMsg();
    ASSERT_NE(message, nullptr);
    const std::string named = ": " + std::string(stub.name) + ": not supported";
    EXPECT_NE(std::string_view(message).find(named), std::string_view::npos)
        << message;
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  }
}

TEST_F(UnsupportedTest, AResultIsLeftAlone) {
  size_t count = 7;
  EXPECT_EQ(aclmdlBundleGetModelNum(1, &count), ACL_ERROR_API_NOT_SUPPORT);
  EXPECT_EQ(count, 7u);
}

}  // namespace
}  // namespace ascend::client
