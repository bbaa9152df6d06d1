#include "client/capi/fault_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "client/capi/public_function.h"

namespace ascend::client {
namespace {

using ::testing::HasSubstr;

size_t IndexOf(std::string_view name) {
  const auto functions = PublicFunctions();
  return static_cast<size_t>(
      std::ranges::find(functions, name, &PublicFunction::name) -
      functions.begin());
}

// The codes of the first `count` calls.
std::vector<int> Codes(FaultPlan& plan, std::string_view function, int count) {
  std::vector<int> codes;
  for (int i = 0; i < count; ++i) {
    codes.push_back(plan.Next(IndexOf(function)).code);
  }
  return codes;
}

FaultPlan Parse(const std::string& text, uint64_t seed = 1) {
  auto plan = FaultPlan::Parse(text, seed);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

TEST(FaultPlanTest, TheNthCallFailsAndNoOther) {
  FaultPlan plan = Parse("aclrtMalloc:3=207001, aclrtMalloc:5=107000");
  EXPECT_EQ(Codes(plan, "aclrtFree", 2), (std::vector<int>{0, 0}));
  EXPECT_EQ(Codes(plan, "aclrtMalloc", 6),
            (std::vector<int>{0, 0, 207001, 0, 107000, 0}));
}

TEST(FaultPlanTest, AFaultKnowsTheNumberOfItsCall) {
  FaultPlan plan = Parse("aclrtMalloc:2=207001");
  plan.Next(IndexOf("aclrtMalloc"));
  EXPECT_EQ(plan.Next(IndexOf("aclrtMalloc")).call, 2u);
}

TEST(FaultPlanTest, TheFirstRuleThatAppliesDecides) {
  FaultPlan plan = Parse("aclrtMalloc:2=207001,aclrtMalloc:p1=107000");
  EXPECT_EQ(Codes(plan, "aclrtMalloc", 3),
            (std::vector<int>{107000, 207001, 107000}));
}

TEST(FaultPlanTest, ChanceHasItsProbability) {
  FaultPlan plan = Parse("aclrtMalloc:p0.25=207001");
  const auto codes = Codes(plan, "aclrtMalloc", 10'000);
  EXPECT_NEAR(std::ranges::count(codes, 207001), 2500, 200);
}

TEST(FaultPlanTest, ASeedGivesTheSameFaultsWhateverElseIsCalled) {
  const std::string rules =
      "aclrtMalloc:p0.5=207001,aclrtSynchronizeStream:p0.5=507015";
  FaultPlan one = Parse(rules, 7);
  FaultPlan other = Parse(rules, 7);
  const auto codes = Codes(one, "aclrtMalloc", 64);
  const auto waits = Codes(one, "aclrtSynchronizeStream", 64);
  EXPECT_EQ(Codes(other, "aclrtSynchronizeStream", 64), waits);
  EXPECT_EQ(Codes(other, "aclrtMalloc", 64), codes);
  FaultPlan seeded = Parse(rules, 8);
  EXPECT_NE(Codes(seeded, "aclrtMalloc", 64), codes);
}

TEST(FaultPlanTest, ABadRuleIsNamedWithWhatIsWrong) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "in the rule '' something is missing: FUNCTION:N=CODE"},
      {"aclrtMalloc:1=1,", "in the rule '' something is missing"},
      {"aclrtMalloc", "in the rule 'aclrtMalloc' something is missing"},
      {"aclrtMalloc=1:1", "something is missing"},
      {"aclrtMaloc:1=207001", "'aclrtMaloc' is no public function"},
      {":1=207001", "'' is no public function"},
      {"aclAppLog:1=5", "aclAppLog has no result that could fail"},
      {"aclDataTypeSize:1=5", "aclDataTypeSize has no result that could fail"},
      {"aclrtMalloc:1=", "the code is no number above 0"},
      {"aclrtMalloc:1=0", "the code is no number above 0"},
      {"aclrtMalloc:1=-3", "the code is no number above 0"},
      {"aclrtMalloc:1=99999999999", "the code is no number above 0"},
      {"aclrtMalloc:0=1", "the number of the call is not 1 or more"},
      {"aclrtMalloc:-1=1", "the number of the call is not 1 or more"},
      {"aclrtMalloc:=1", "the number of the call is not 1 or more"},
      {"aclrtMalloc:p=1", "the probability is not above 0"},
      {"aclrtMalloc:p0=1", "the probability is not above 0"},
      {"aclrtMalloc:p1.5=1", "the probability is not above 0"},
      {"aclrtMalloc:pnan=1", "the probability is not above 0"},
  };
  for (const auto& [text, sentence] : kCases) {
    const auto plan = FaultPlan::Parse(text, 1);
    ASSERT_FALSE(plan.ok()) << text;
    EXPECT_THAT(plan.status().message(), HasSubstr(sentence));
  }
}

}  // namespace
}  // namespace ascend::client
