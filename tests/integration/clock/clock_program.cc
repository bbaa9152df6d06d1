// A program of many roles, by name; what they share. Says on standard output
// what happens, one line each. A program like any other: public headers and
// -lascendcl.
#include "tests/integration/clock/clock_program.h"

#include <acl/ascend_rtd_ops.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int64_t kColumns = 1024;
constexpr uint32_t kAllCores = 32;

aclrtFuncHandle Find(aclrtBinHandle ops, const char* name) {
  aclrtFuncHandle function = nullptr;
  CHECK_ACL(aclrtBinaryGetFunction(ops, name, &function));
  return function;
}

template <typename Args>
void Launch(aclrtFuncHandle function, uint32_t blocks, aclrtStream stream,
            Args args) {
  args.size = sizeof args;
  CHECK_ACL(aclrtLaunchKernelWithHostArgs(function, blocks, stream, nullptr,
                                          &args, sizeof args, nullptr, 0));
}

uint32_t Number(const char* text) {
  return static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

}  // namespace

void Say(const char* name, uint64_t value) {
  std::printf("%s %" PRIu64 "\n", name, value);
  std::fflush(stdout);
}

void Say(const char* line) {
  std::puts(line);
  std::fflush(stdout);
}

void CheckResult(const char* call, aclError error) {
  if (error == ACL_SUCCESS) return;
  const char* const message = aclGetRecentErrMsg();
  std::printf("%s %d %s\n", call, error, message == nullptr ? "" : message);
  std::fflush(stdout);
  std::_Exit(3);
}

void AwaitLine() {
  while (true) {
    const int c = std::getchar();
    if (c == '\n' || c == EOF) return;
  }
}

Kernels::Kernels(bool is_timing_only) {
  CHECK_ACL(aclrtSetDevice(0));
  if (is_timing_only) CHECK_ACL(ascrtSetTimingOnly(1));
  aclrtBinHandle ops = nullptr;
  CHECK_ACL(aclrtBinaryLoadFromFile("builtin:ops", nullptr, &ops));
  add_ = Find(ops, ASCRT_OP_ADD);
  softmax_ = Find(ops, ASCRT_OP_SOFTMAX);
  matmul_ = Find(ops, ASCRT_OP_MATMUL);
  attention_ = Find(ops, ASCRT_OP_FLASH_ATTENTION);
}

void Kernels::Prepare(int64_t count) {
  count_ = count;
  CHECK_ACL(aclrtMalloc(&memory_,
                        static_cast<size_t>(3 * count) * sizeof(float),
                        ACL_MEM_MALLOC_HUGE_FIRST));
}

void Kernels::Release() { CHECK_ACL(aclrtFree(memory_)); }

void Kernels::Add(aclrtStream stream, int64_t count) const {
  ascrtAddArgs args = {};
  args.x = x();
  args.y = y();
  args.z = z();
  args.count = count;
  Launch(add_, 2, stream, args);
}

void Kernels::AddThere(aclrtStream stream, int64_t count) {
  ascrtAddArgs args = {sizeof args, x(), y(), z(), count, ASCRT_DT_FLOAT, 0};
  if (args_ == nullptr) {
    CHECK_ACL(aclrtMalloc(&args_, sizeof args, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  CHECK_ACL(aclrtMemcpyAsync(args_, sizeof args, &args, sizeof args,
                             ACL_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK_ACL(aclrtLaunchKernel(add_, 2, args_, sizeof args, stream));
}

void Kernels::Softmax(aclrtStream stream, int64_t rows) const {
  ascrtSoftmaxArgs args = {};
  args.x = x();
  args.y = y();
  args.rows = rows;
  args.columns = kColumns;
  Launch(softmax_, 3, stream, args);
}

void Kernels::Matmul(aclrtStream stream, int64_t size) const {
  ascrtMatmulArgs args = {};
  args.a = x();
  args.b = y();
  args.c = z();
  args.m = size;
  args.n = size;
  args.k = size;
  Launch(matmul_, 5, stream, args);
}

void Kernels::Attention(aclrtStream stream, int64_t heads,
                        int64_t length) const {
  ascrtFlashAttentionArgs args = {};
  args.q = x();
  args.k = y();
  args.v = y();
  args.o = z();
  args.batch = 1;
  args.heads = heads;
  args.q_length = length;
  args.head_size = kHeadSize;
  args.kv_heads = 1;
  args.data_type = ASCRT_DT_BF16;
  Launch(attention_, kAllCores, stream, args);
}

aclrtStream NewStream() {
  aclrtStream stream = nullptr;
  CHECK_ACL(aclrtCreateStream(&stream));
  return stream;
}

aclrtEvent NewEvent() {
  aclrtEvent event = nullptr;
  CHECK_ACL(
      aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
  return event;
}

Run::Run(const Part& part, uint32_t rank) {
  if (part.participants > 0) {
    CHECK_ACL(ascrtBegin(part.participants, part.rank + rank));
  }
  CHECK_ACL(ascrtGetClock(&begin_));
}

uint64_t Run::Picoseconds() const {
  uint64_t now = 0;
  CHECK_ACL(ascrtGetClock(&now));
  return now - begin_;
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "";
  Part part;
  if (argc > 2) part.participants = Number(argv[2]);
  if (argc > 3) part.rank = Number(argv[3]);
  if (argc > 4) part.seed = Number(argv[4]);
  for (const Role& role : kRoles) {
    if (std::strcmp(role.name, name) == 0) return role.play(part);
  }
  std::fprintf(stderr, "clock_client: role '%s' is unknown\n", name);
  return 2;
}
