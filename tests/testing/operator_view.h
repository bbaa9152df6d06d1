// What an operator sees: the answers of ascend-rtctl, as messages. For tests
// that define ASCEND_TEST_RTCTL, the program.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_TESTS_TESTING_OPERATOR_VIEW_H_
#define ASCEND_TESTS_TESTING_OPERATOR_VIEW_H_

#include <google/protobuf/util/json_util.h>

#include <functional>
#include <string>

#include "ascend/rtd/v1/admin.pb.h"
#include "core/base/check.h"
#include "core/base/sync.h"
#include "tests/testing/daemon_process.h"

namespace ascend::testing {

// Dies when no daemon answers.
template <typename Message>
Message AskOperator(const std::string& address, const std::string& question) {
  const ProgramResult result =
      RunProgram({ASCEND_TEST_RTCTL, "--address", address, "--json", question});
  ASCEND_CHECK(result.exit_code == 0) << result.err;
  Message message;
  ASCEND_CHECK(
      google::protobuf::util::JsonStringToMessage(result.out, &message).ok())
      << result.out;
  return message;
}

inline rtd::v1::GetInfoReply InfoOf(const std::string& address) {
  return AskOperator<rtd::v1::GetInfoReply>(address, "info");
}

inline rtd::v1::ListSessionsReply SessionsOf(const std::string& address) {
  return AskOperator<rtd::v1::ListSessionsReply>(address, "sessions");
}

// Asks until it holds; false if that takes more than half a minute.
inline bool AwaitTrue(const std::function<bool()>& holds) {
  const auto deadline = core::CondVar::Clock::now() + std::chrono::seconds(30);
  do {
    if (holds()) return true;
  } while (core::CondVar::Clock::now() < deadline);
  return false;
}

template <typename Message>
bool AwaitOperator(Message (*ask)(const std::string&),
                   const std::string& address,
                   const std::function<bool(const Message&)>& holds) {
  return AwaitTrue([&] { return holds(ask(address)); });
}

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_OPERATOR_VIEW_H_
