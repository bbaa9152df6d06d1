// Whether a thread of this process waits, for tests of what it then waits for.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_TESTS_TESTING_THREAD_STATE_H_
#define ASCEND_TESTS_TESTING_THREAD_STATE_H_

#include <sys/types.h>

#include <fstream>
#include <string>

namespace ascend::testing {

inline bool IsAsleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const size_t end_of_name = text.rfind(')');
  return end_of_name != std::string::npos && text[end_of_name + 2] == 'S';
}

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_THREAD_STATE_H_
