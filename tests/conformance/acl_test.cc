#include "tests/conformance/acl_test.h"

#include <unistd.h>

#include <cctype>
#include <chrono>
#include <thread>

namespace ascend::conformance {
namespace {

std::string TakeMessages() {
  const char* const text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

// A code, the function and a sentence: "EE1003: aclrtFree: address ...". What
// is an extension begins with ascrt.
bool IsOneSentence(const std::string& text) {
  constexpr size_t kCodeLength = 6;
  constexpr size_t kSentenceLengthMin = 8;
  if (text.find('\n') != std::string::npos || text[0] != 'E') return false;
  const size_t function = text.find(": a");
  if (function != kCodeLength) return false;
  if (text.compare(function, 5, ": acl") != 0 &&
      text.compare(function, 7, ": ascrt") != 0) {
    return false;
  }
  for (size_t i = 2; i < kCodeLength; ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  const size_t sentence = text.find(": ", function + 2);
  return sentence != std::string::npos &&
         text.size() >= sentence + 2 + kSentenceLengthMin;
}

// Waits until this process holds nothing: frees are posted, and a range that
// was freed leaves quarantine only when tasks have ended.
Holdings HoldingsAtRest() {
  // A test that has failed has left things behind, most likely.
  const std::chrono::seconds patience(::testing::Test::HasFailure() ? 1 : 30);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const Holdings now =
        Backend::Get().FindSession(getpid()).value_or(Holdings());
    if (now == Holdings() || std::chrono::steady_clock::now() > deadline) {
      return now;
    }
  }
}

}  // namespace

::testing::AssertionResult Succeeds(const char* call, aclError code) {
  if (code == ACL_SUCCESS) return ::testing::AssertionSuccess();
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  return ::testing::AssertionFailure()
         << call << " returns " << code << ": " << TakeMessages();
}

::testing::AssertionResult FailsWith(const char* /*expected_text*/,
                                     const char* call, aclError expected,
                                     aclError code) {
  const aclError last = aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  const std::string text = TakeMessages();
  if (code != expected) {
    return ::testing::AssertionFailure()
           << call << " returns " << code << ", not " << expected << ": "
           << text;
  }
  if (last != expected) {
    return ::testing::AssertionFailure()
           << "after " << call << " the last error is " << last << ", not "
           << expected;
  }
  if (!IsOneSentence(text)) {
    return ::testing::AssertionFailure()
           << "after " << call << " the message is no sentence: \"" << text
           << "\"";
  }
  return ::testing::AssertionSuccess();
}

Holdings CurrentHoldings() {
  // Its answer comes after everything posted before.
  size_t free = 0;
  size_t total = 0;
  EXPECT_ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  return Backend::Get().FindSession(getpid()).value_or(Holdings());
}

void InThread(const std::function<void()>& body) {
  std::thread thread(body);
  thread.join();
}

void AclTest::SetUp() { ASSERT_ACL_OK(aclrtSetDevice(0)); }

void AclTest::TearDown() {
  EXPECT_EQ(TakeMessages(), "") << "nobody has asked about this failure";
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  for (int device = 0; device < kDeviceCount; ++device) {
    const aclError code = aclrtResetDeviceForce(device);
    EXPECT_TRUE(code == ACL_SUCCESS ||
                code == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR)
        << code << ": " << TakeMessages();
  }
  TakeMessages();
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  EXPECT_EQ(HoldingsAtRest(), Holdings()) << "the test leaves something behind";
}

}  // namespace ascend::conformance
