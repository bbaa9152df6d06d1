// ChildProgram: a program that runs beside the test and is talked to by lines.
//
// Its standard input and output are the test's; standard error is inherited. A
// line that does not come within a minute is taken for the end of the output.
//
// Threading: one thread at a time. Ownership: owns the process and kills it
// when destroyed.
#ifndef ASCEND_TESTS_TESTING_CHILD_PROGRAM_H_
#define ASCEND_TESTS_TESTING_CHILD_PROGRAM_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "tests/testing/spawn.h"

namespace ascend::testing {

class ChildProgram {
 public:
  // `environment` ("NAME=value") comes on top of ours.
  explicit ChildProgram(const std::vector<std::string>& command,
                        const std::vector<std::string>& environment = {});
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  pid_t pid() const { return pid_; }

  // The next line, without its end; empty at the end of the output.
  std::string ReadLine();
  // All lines to the end of the output.
  std::vector<std::string> ReadLines();
  void WriteLine(const std::string& line);

  void Kill();
  // The exit code, 128 + signal when killed, -1 if it does not end within a
  // minute.
  int Wait();

 private:
  pid_t pid_ = -1;
  core::UniqueFd input_;
  core::UniqueFd output_;
  std::string buffered_;
};

}  // namespace ascend::testing

#endif  // ASCEND_TESTS_TESTING_CHILD_PROGRAM_H_
