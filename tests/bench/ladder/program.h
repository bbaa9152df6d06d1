// A program of AscendCL calls in this process, as the ladder's rungs need it.
//
// Any call that fails ends the process with its message: a benchmark of a
// failing call measures nothing.
//
// Threading: one thread. Ownership: owns device, stream, kernel and memory.
#ifndef ASCEND_TESTS_BENCH_LADDER_PROGRAM_H_
#define ASCEND_TESTS_BENCH_LADDER_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace ascend::ladder {

// Ends the process unless `code` is ACL_SUCCESS.
void Require(aclError code, const char* call);

class Program {
 public:
  static constexpr size_t kDeviceBytes = size_t{64} << 20;

  // Reaches the daemon of ASCEND_RTD_ADDRESS.
  explicit Program(uint32_t priority = 0);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // From here on kernels take time and compute nothing, or compute again.
  void SetTimingOnly(bool is_on);
  // An empty kernel: `elements` floats are set, 1 unless it shall take long.
  void Launch(int64_t elements = 1);
  void Synchronize();
  // Blocking copies of the first `bytes` bytes; `host` has as many.
  void Upload(const void* host, size_t bytes);
  void Download(void* host, size_t bytes);

 private:
  void* device_ = nullptr;
  aclrtStream stream_ = nullptr;
  aclrtBinHandle package_ = nullptr;
  aclrtFuncHandle fill_ = nullptr;
};

// What `count` launches of an empty kernel took, each with a synchronisation.
std::vector<double> RoundTripMicroseconds(Program& program, int count);

}  // namespace ascend::ladder

#endif  // ASCEND_TESTS_BENCH_LADDER_PROGRAM_H_
