#include "client/capi/error_map.h"

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "acl/acl_base_rt.h"
#include "core/base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ascend::client {
namespace {

using ::ascend::core::MakeError;
using ::ascend::core::Reason;
using ::testing::MatchesRegex;

struct Row {
  uint16_t number = 0;
  int public_code = 0;
};

// The enum Reason as its header states it: name to number and to the public
// code that the comment names.
std::map<std::string, Row> ReasonsOfHeader() {
  std::ifstream header(ASCEND_RTD_ERROR_HEADER);
  std::map<std::string, Row> rows;
  for (std::string line; std::getline(header, line);) {
    // "kName = 1,  // 107000"
    std::istringstream words(line);
    std::string name, equals, comma, slashes;
    int number = 0;
    Row row;
    if (!(words >> name >> equals >> number) || equals != "=") continue;
    row.number = static_cast<uint16_t>(number);
    if (!(words >> comma >> slashes >> row.public_code)) row.public_code = 0;
    rows[name] = row;
  }
  return rows;
}

TEST(ErrorMapTest, EveryReasonMapsToTheNumberThatItsHeaderNames) {
  const auto rows = ReasonsOfHeader();
  ASSERT_GE(rows.size(), 32u) << "read from " << ASCEND_RTD_ERROR_HEADER;
  for (const auto& [name, row] : rows) {
    SCOPED_TRACE(name);
    const auto reason = static_cast<Reason>(row.number);
    EXPECT_EQ(AclErrorOf(reason), row.public_code);
    EXPECT_NE(core::ReasonName(reason), "unknown");
    if (name == "kNone") continue;
    EXPECT_NE(row.public_code, 0) << "the comment names no public code";
    EXPECT_THAT(std::string(MessageCodeOf(reason)),
                MatchesRegex("E[EH][0-9]{4}"));
  }
}

TEST(ErrorMapTest, OnlyTheInternalReasonHasTheInternalClass) {
  for (const auto& [name, row] : ReasonsOfHeader()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(MessageCodeOf(static_cast<Reason>(row.number)) == "EE9999",
              name == "kInternal");
  }
}

TEST(ErrorMapTest, ClassesThatUsersKnowKeepTheirCodes) {
  EXPECT_EQ(MessageCodeOf(Reason::kNullArgument), "EH0002");
  EXPECT_EQ(MessageCodeOf(Reason::kInvalidArgument), "EE1003");
  EXPECT_EQ(MessageCodeOf(Reason::kContextNotOwned), "EE1017");
  EXPECT_EQ(MessageCodeOf(Reason::kDeviceNotSet), "EE1018");
}

TEST(ErrorMapTest, NumberThatIsNoReasonIsInternal) {
  const auto reason = static_cast<Reason>(60000);
  EXPECT_EQ(AclErrorOf(reason), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
  EXPECT_EQ(MessageCodeOf(reason), "EE9999");
}

TEST(ErrorMapTest, StatusWithoutReasonIsInternal) {
  const absl::Status status = absl::NotFoundError("no reason");
  EXPECT_EQ(AclErrorOf(status), ACL_ERROR_RT_DRV_INTERNAL_ERROR);
  EXPECT_EQ(ErrorMessageOf(status), "EE9999: no reason");
}

TEST(ErrorMapTest, OkIsSuccessAndSaysNothing) {
  EXPECT_EQ(AclErrorOf(absl::OkStatus()), ACL_SUCCESS);
  EXPECT_EQ(ErrorMessageOf(absl::OkStatus()), "");
}

TEST(ErrorMapTest, MessageIsCodeAndSentence) {
  const absl::Status status = MakeError(Reason::kInvalidArgument,
                                        "numBlocks is 0; at least 1 is legal");
  EXPECT_EQ(AclErrorOf(status), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(ErrorMessageOf(status),
            "EE1003: numBlocks is 0; at least 1 is legal");
}

TEST(ErrorMapTest, AnnotationKeepsTheCode) {
  const absl::Status status = core::Annotate(
      MakeError(Reason::kOutOfDeviceMemory, "0 bytes are left"), "aclrtMalloc");
  EXPECT_EQ(AclErrorOf(status), ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_THAT(ErrorMessageOf(status),
              MatchesRegex("EE1006: aclrtMalloc: 0 bytes are left"));
}

}  // namespace
}  // namespace ascend::client
