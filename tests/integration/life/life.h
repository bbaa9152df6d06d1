// What the tests of lives share: client_program against some address, and its
// results.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_TESTS_INTEGRATION_LIFE_LIFE_H_
#define ASCEND_TESTS_INTEGRATION_LIFE_LIFE_H_

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/testing/child_program.h"

namespace ascend::testing {

inline std::vector<std::string> At(const std::string& address) {
  return {"ASCEND_RTD_ADDRESS=" + address};
}

inline std::vector<std::string> Client(const std::string& scenario,
                                       const std::string& argument = "") {
  return {ASCEND_TEST_CLIENT, scenario, argument};
}

// "NAME 507901 EE1901: ...", a sentence of one line.
inline auto IsLost(const std::string& name) {
  return ::testing::StartsWith(name + " 507901 EE1901: ");
}

// The last line of `client`, a refusal to connect at once and in one sentence.
inline std::string RefusalOf(const std::string& address) {
  ChildProgram client(Client("connect"), At(address));
  const std::vector<std::string> lines = client.ReadLines();
  EXPECT_EQ(client.Wait(), 0);
  EXPECT_EQ(lines.size(), 1u);
  return lines.empty() ? "" : lines.back();
}

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_INTEGRATION_LIFE_LIFE_H_
