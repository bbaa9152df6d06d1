// ConfigFile: a file for aclInit with a given text.
//
// Threading: any thread. Ownership: owns the file, which ends with it.
#ifndef ASCEND_TESTS_CONFORMANCE_CONFIG_FILE_H_
#define ASCEND_TESTS_CONFORMANCE_CONFIG_FILE_H_

#include <fstream>
#include <string>

#include "tests/testing/daemon_process.h"

namespace ascend::conformance {

class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text)
      : path_(directory_.path() + "/acl.json") {
    std::ofstream(path_) << text;
  }
  const char* path() const { return path_.c_str(); }

 private:
  testing::TemporaryDirectory directory_;
  std::string path_;
};

}  // namespace ascend::conformance

#endif  // ASCEND_TESTS_CONFORMANCE_CONFIG_FILE_H_
