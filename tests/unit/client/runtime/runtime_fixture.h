// A client runtime over a fake daemon, with a device set in the test's thread.
#ifndef ASCEND_TESTS_UNIT_CLIENT_RUNTIME_RUNTIME_FIXTURE_H_
#define ASCEND_TESTS_UNIT_CLIENT_RUNTIME_RUNTIME_FIXTURE_H_

#include <memory>
#include <string>
#include <vector>

#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_daemon.h"

namespace ascend::client {

class RuntimeTest : public ::testing::Test {
 protected:
  RuntimeTest() : runtime_(daemon_.Maker()) { ThreadContext() = nullptr; }
  void SetUp() override { ASSERT_TRUE(runtime_.SetDevice(0).ok()); }

  void* Allocate(uint64_t bytes) { return runtime_.Malloc(bytes, 0).value(); }
  void* Pinned(size_t bytes) {
    return runtime_.host_memory().Allocate(bytes).value();
  }
  void* NewStream() { return runtime_.CreateStream({}).value(); }
  void* NewEvent(uint32_t flags = 1) {
    return runtime_.CreateEvent({flags, true}).value();
  }
  void* AddFunction() {
    return runtime_
        .FindFunction(runtime_.LoadBinary("builtin:ops").value(), "add")
        .value();
  }
  absl::Status Launch(void* stream, void* function) {
    LaunchRequest request;
    request.function = function;
    request.num_blocks = 1;
    request.stream = stream;
    const uint64_t size = 8;
    request.host_args.assign(reinterpret_cast<const char*>(&size), 8);
    return runtime_.Launch(std::move(request));
  }

  // The commands that hold a T.
  template <typename T>
  std::vector<core::Command> Posted() {
    std::vector<core::Command> found;
    for (const core::Command& command : daemon_.commands()) {
      if (testing::Is<T>(command)) found.push_back(command);
    }
    return found;
  }

  testing::FakeDaemon daemon_;
  ClientRuntime runtime_;
};

inline core::Reason ReasonOf(const absl::Status& status) {
  return core::ReasonOf(status);
}
template <typename T>
core::Reason ReasonOf(const absl::StatusOr<T>& value) {
  return core::ReasonOf(value.status());
}

}  // namespace ascend::client

#endif  // ASCEND_TESTS_UNIT_CLIENT_RUNTIME_RUNTIME_FIXTURE_H_
