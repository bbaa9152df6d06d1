#include "client/capi/call_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ascend::client {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(CallTraceTest, ParametersHaveTheirNames) {
  EXPECT_THAT(ParameterNames("(void)"), IsEmpty());
  EXPECT_THAT(ParameterNames("(int32_t deviceId)"), ElementsAre("deviceId"));
  EXPECT_THAT(
      ParameterNames("(void** devPtr, size_t size, const char* const name)"),
      ElementsAre("devPtr", "size", "name"));
  EXPECT_THAT(ParameterNames("(int64_t (*range)[2], float x[4], "
                             "int (*const call)(const char*, int), int flag)"),
              ElementsAre("range", "x", "call", "flag"));
}

TEST(CallTraceTest, EveryParameterOfTheListHasAName) {
  for (const PublicFunction& function : PublicFunctions()) {
    // The dots of a variable list have no name.
    if (function.name == "aclAppLog") continue;
    const absl::string_view parameters(function.parameters.data(),
                                       function.parameters.size());
    EXPECT_THAT(ParameterNames(parameters), Not(Contains("")))
        << function.name;
  }
}

enum Colour { kRed = 7 };
struct Pair {
  int first;
  int second;
};

TEST(CallTraceTest, ValuesAreShownByTheirTypes) {
  void* inner = reinterpret_cast<void*>(0x20);
  void** outer = &inner;
  const std::string address = DescribePointer(outer);
  EXPECT_EQ(DescribeValue(-3, true), "-3");
  EXPECT_EQ(DescribeValue(uint8_t{65}, true), "65");
  EXPECT_EQ(DescribeValue(uint64_t{1} << 63, true), "9223372036854775808");
  EXPECT_EQ(DescribeValue(1.5f, true), "1.5");
  EXPECT_EQ(DescribeValue(kRed, true), "7");
  EXPECT_EQ(DescribeValue(Pair{1, 2}, true), "{...}");
  EXPECT_EQ(DescribeValue(inner, true), "0x20");
  EXPECT_EQ(DescribeValue(static_cast<void*>(nullptr), true), "null");
  EXPECT_EQ(DescribeValue(outer, true), address + " -> 0x20");
  EXPECT_EQ(DescribeValue(outer, false), address);
  EXPECT_EQ(DescribeValue(static_cast<void**>(nullptr), true), "null");
}

TEST(CallTraceTest, StringsAreQuotedAndCut) {
  EXPECT_EQ(DescribeText("a\n\"b\""), R"("a\n\"b\"")");
  EXPECT_EQ(DescribeText(nullptr), "null");
  EXPECT_EQ(DescribeText(std::string(200, 'x').c_str()),
            "\"" + std::string(80, 'x') + "\"...");
}

TEST(CallTraceTest, ArraysAreNotTakenForResults) {
  EXPECT_TRUE(HasPointerResults({"aclrtMalloc", "()", true}));
  EXPECT_FALSE(HasPointerResults({"aclrtMemcpyBatch", "()", true}));
  EXPECT_FALSE(
      HasPointerResults({"aclrtLaunchKernelWithArgsArray", "()", true}));
}

TEST(CallTraceTest, ALineSaysWhenWhoWhatAndHowLong) {
  const PublicFunction function = {"aclrtFoo", "(int a, void* b)", true};
  TracedCall call;
  call.function = &function;
  call.start = std::chrono::system_clock::time_point(
      std::chrono::microseconds(1'700'000'000'000'042));
  call.duration = std::chrono::nanoseconds(1'000'012'345);
  call.arguments = {"1", "null"};
  call.result = "0";
  EXPECT_EQ(TraceLine(call, 4711),
            "1700000000.000042 4711 aclrtFoo(a=1, b=null) = 0 "
            "<1.000012345>\n");
  call.result = "";
  call.is_injected = true;
  EXPECT_EQ(TraceLine(call, 4711),
            "1700000000.000042 4711 aclrtFoo(a=1, b=null) <1.000012345> "
            "(injected)\n");
}

TEST(CallTraceTest, AFileThatCannotBeWrittenIsAnError) {
  const auto trace = CallTrace::Open("/nonexistent/trace");
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.status().message(),
            "the file '/nonexistent/trace' cannot be written: No such file or "
            "directory");
}

}  // namespace
}  // namespace ascend::client
