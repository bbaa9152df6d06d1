#include "core/base/error.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "core/base/status_macros.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

constexpr int kLastReason = static_cast<int>(Reason::kReportTimeout);

TEST(ErrorTest, EveryReasonSurvivesTheStatus) {
  for (int number = 1; number <= kLastReason; ++number) {
    const Reason reason = static_cast<Reason>(number);
    const absl::Status status = MakeError(reason, "words");
    EXPECT_FALSE(status.ok()) << number;
    EXPECT_EQ(ReasonOf(status), reason);
    EXPECT_EQ(status.message(), "words");
  }
}

TEST(ErrorTest, EveryReasonHasANameOfItsOwn) {
  std::set<std::string> names;
  for (int number = 0; number <= kLastReason; ++number) {
    names.insert(std::string(ReasonName(static_cast<Reason>(number))));
  }
  EXPECT_EQ(names.size(), size_t{kLastReason} + 1);
  EXPECT_EQ(names.count("unknown"), 0u);
}

TEST(ErrorTest, OkHasNoReasonAndAForeignStatusIsInternal) {
  EXPECT_EQ(ReasonOf(absl::OkStatus()), Reason::kNone);
  EXPECT_EQ(ReasonOf(absl::NotFoundError("x")), Reason::kInternal);
}

TEST(ErrorTest, AnnotateKeepsTheReasonAndPutsContextInFront) {
  const absl::Status status = Annotate(
      MakeError(Reason::kStaleHandle, "stream 3 is gone"), "aclrtRecordEvent");
  EXPECT_EQ(ReasonOf(status), Reason::kStaleHandle);
  EXPECT_EQ(status.message(), "aclrtRecordEvent: stream 3 is gone");
  EXPECT_TRUE(Annotate(absl::OkStatus(), "x").ok());
}

absl::StatusOr<int> Half(int value) {
  if (value % 2 != 0) {
    return MakeError(Reason::kInvalidArgument, "value is odd");
  }
  return value / 2;
}

absl::StatusOr<int> Quarter(int value) {
  ASCEND_ASSIGN_OR_RETURN(const int half, Half(value));
  ASCEND_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

TEST(StatusMacrosTest, CarryTheValueOrTheFirstError) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(ReasonOf(Quarter(6).status()), Reason::kInvalidArgument);
}

TEST(ErrorTest, AnOwnCopySharesNothing) {
  const absl::Status error =
      MakeError(Reason::kOutOfDeviceMemory, "the device is full");
  const absl::Status copy = OwnCopy(error);
  EXPECT_EQ(copy, error);
  EXPECT_EQ(ReasonOf(copy), Reason::kOutOfDeviceMemory);
  EXPECT_NE(copy.message().data(), error.message().data());
  EXPECT_TRUE(OwnCopy(absl::OkStatus()).ok());
}

}  // namespace
}  // namespace ascend::core
