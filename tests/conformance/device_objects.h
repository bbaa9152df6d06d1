// Short forms of what most tests need: device arrays, page-locked arrays,
// built-in kernels.
//
// Threading: as the calls behind them. Ownership: an array owns its memory and
// frees it; failures fail the test.
#ifndef ASCEND_TESTS_CONFORMANCE_DEVICE_OBJECTS_H_
#define ASCEND_TESTS_CONFORMANCE_DEVICE_OBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "acl/acl.h"
#include "acl/ascend_rtd_ops.h"
#include "tests/conformance/acl_test.h"

namespace ascend::conformance {

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count,
                       aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST)
      : count_(count) {
    void* data = nullptr;
    EXPECT_ACL_OK(aclrtMalloc(&data, bytes(), policy));
    data_ = static_cast<T*>(data);
  }
  explicit DeviceArray(const std::vector<T>& values)
      : DeviceArray(values.size()) {
    Upload(values);
  }
  ~DeviceArray() { EXPECT_ACL_OK(aclrtFree(data_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  size_t count() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }

  void Upload(const std::vector<T>& values) {
    EXPECT_ACL_OK(aclrtMemcpy(data_, bytes(), values.data(),
                              values.size() * sizeof(T),
                              ACL_MEMCPY_HOST_TO_DEVICE));
  }
  std::vector<T> Download() const {
    std::vector<T> values(count_);
    EXPECT_ACL_OK(aclrtMemcpy(values.data(), bytes(), data_, bytes(),
                              ACL_MEMCPY_DEVICE_TO_HOST));
    return values;
  }

 private:
  const size_t count_;
  T* data_ = nullptr;
};

// Page-locked host memory.
template <typename T>
class PinnedArray {
 public:
  explicit PinnedArray(size_t count) : count_(count) {
    void* data = nullptr;
    EXPECT_ACL_OK(aclrtMallocHost(&data, bytes()));
    data_ = static_cast<T*>(data);
  }
  ~PinnedArray() { EXPECT_ACL_OK(aclrtFreeHost(data_)); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;

  T* data() const { return data_; }
  size_t bytes() const { return count_ * sizeof(T); }
  T& operator[](size_t index) { return data_[index]; }
  std::vector<T> values() const { return {data_, data_ + count_}; }

 private:
  const size_t count_;
  T* data_ = nullptr;
};

// first, first + step, ...
std::vector<float> Ramp(size_t count, float first, float step);

// Arguments of z = x + y.
ascrtAddArgs AddArgs(const float* x, const float* y, float* z, size_t count);

// A stream of the current context, destroyed at the end.
class OwnStream {
 public:
  explicit OwnStream(uint32_t priority = 0, uint32_t flags = 0) {
    EXPECT_ACL_OK(aclrtCreateStreamWithConfig(&stream_, priority, flags));
  }
  ~OwnStream() { EXPECT_ACL_OK(aclrtDestroyStream(stream_)); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  operator aclrtStream() const { return stream_; }

 private:
  aclrtStream stream_ = nullptr;
};

// For what only shows while the device is busy, which nobody can promise: this
// thread may sleep longer than the work lasts. Calls `attempt` with more and
// more pieces of work until it says that it has seen what it was after; false
// when it never has.
bool SeenWhileBusy(const std::function<bool(int work)>& attempt);

// The built-in kernels.
class Ops {
 public:
  Ops();
  ~Ops();
  Ops(const Ops&) = delete;
  Ops& operator=(const Ops&) = delete;

  aclrtFuncHandle Find(const char* name) const;

  // Launches with an argument block whose `size` is set here.
  template <typename Args>
  aclError Launch(const char* name, Args args, aclrtStream stream,
                  uint32_t num_blocks = 8) const {
    args.size = sizeof(args);
    return aclrtLaunchKernelWithHostArgs(Find(name), num_blocks, stream,
                                         nullptr, &args, sizeof(args), nullptr,
                                         0);
  }

  // z = x + y over floats.
  aclError Add(const float* x, const float* y, float* z, size_t count,
               aclrtStream stream) const;
  // Work for `stream` that takes this machine tens of milliseconds or more,
  // over `memory` of kBusyElements each.
  static constexpr int64_t kBusySide = 1024;
  static constexpr size_t kBusyElements = kBusySide * kBusySide;
  aclError KeepBusy(const float* input, float* output,
                    aclrtStream stream) const;

 private:
  aclrtBinHandle binary_ = nullptr;
};

}  // namespace ascend::conformance

#endif  // ASCEND_TESTS_CONFORMANCE_DEVICE_OBJECTS_H_
