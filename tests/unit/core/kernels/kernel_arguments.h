// Legal argument blocks of every built-in kernel, to be made illegal.
//
// Threading: pure functions. Ownership: value types.
#ifndef ASCEND_TESTS_UNIT_CORE_KERNELS_KERNEL_ARGUMENTS_H_
#define ASCEND_TESTS_UNIT_CORE_KERNELS_KERNEL_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "acl/ascend_rtd_ops.h"

namespace ascend::core {

// Device addresses far from each other.
inline void* Address(uint64_t number) {
  return reinterpret_cast<void*>(uint64_t{0x120000000000} + (number << 36));
}

inline ascrtFlashAttentionArgs AttentionArgs() {
  ascrtFlashAttentionArgs args{};
  args.size = sizeof(args);
  args.q = Address(0);
  args.k = Address(1);
  args.v = Address(2);
  args.o = Address(3);
  args.batch = 2;
  args.heads = 8;
  args.q_length = 100;
  args.head_size = 64;
  args.kv_heads = 2;
  args.kv_length = 300;
  args.data_type = ASCRT_DT_BF16;
  return args;
}

inline ascrtMatmulArgs MatmulArgs() {
  ascrtMatmulArgs args{};
  args.size = sizeof(args);
  args.a = Address(0);
  args.b = Address(1);
  args.c = Address(2);
  args.m = 10;
  args.n = 20;
  args.k = 30;
  args.data_type = ASCRT_DT_FLOAT16;
  return args;
}

inline ascrtBinaryArgs BinaryArgs() {
  ascrtBinaryArgs args{};
  args.size = sizeof(args);
  args.x = Address(0);
  args.y = Address(1);
  args.z = Address(2);
  args.count = 1000;
  return args;
}

inline ascrtSoftmaxArgs SoftmaxArgs() {
  ascrtSoftmaxArgs args{};
  args.size = sizeof(args);
  args.x = Address(0);
  args.y = Address(1);
  args.rows = 10;
  args.columns = 100;
  return args;
}

inline ascrtRmsNormArgs RmsNormArgs() {
  ascrtRmsNormArgs args{};
  args.size = sizeof(args);
  args.x = Address(0);
  args.weight = Address(1);
  args.y = Address(2);
  args.rows = 10;
  args.columns = 100;
  return args;
}

inline ascrtRopeArgs RopeArgs() {
  ascrtRopeArgs args{};
  args.size = sizeof(args);
  args.x = Address(0);
  args.y = Address(1);
  args.batch = 2;
  args.heads = 3;
  args.length = 50;
  args.head_size = 64;
  return args;
}

inline ascrtSiluMulArgs SiluMulArgs() {
  ascrtSiluMulArgs args{};
  args.size = sizeof(args);
  args.gate = Address(0);
  args.up = Address(1);
  args.y = Address(2);
  args.count = 1000;
  return args;
}

inline ascrtFillArgs FillArgs() {
  ascrtFillArgs args{};
  args.size = sizeof(args);
  args.y = Address(0);
  args.count = 1000;
  return args;
}

inline ascrtReduceArgs ReduceArgs() {
  ascrtReduceArgs args{};
  args.size = sizeof(args);
  args.x = Address(0);
  args.y = Address(1);
  args.z = Address(2);
  args.count = 1000;
  args.data_type = ASCRT_DT_INT8;
  args.operation = ASCRT_REDUCE_MAX;
  return args;
}

inline ascrtAllReduceArgs AllReduceArgs() {
  ascrtAllReduceArgs args{};
  args.size = sizeof(args);
  args.x = Address(0);
  args.y = Address(1);
  args.count = 1000;
  args.data_type = ASCRT_DT_BF16;
  args.ranks = 8;
  return args;
}

template <typename Args>
std::vector<std::byte> BlockOf(const Args& args) {
  std::vector<std::byte> bytes(sizeof(args));
  std::memcpy(bytes.data(), &args, sizeof(args));
  return bytes;
}

struct NamedBlock {
  std::string kernel;
  std::vector<std::byte> bytes;
};

// One legal block per built-in kernel.
inline std::vector<NamedBlock> LegalBlocks() {
  return {{ASCRT_OP_FLASH_ATTENTION, BlockOf(AttentionArgs())},
          {ASCRT_OP_MATMUL, BlockOf(MatmulArgs())},
          {ASCRT_OP_ADD, BlockOf(BinaryArgs())},
          {ASCRT_OP_MUL, BlockOf(BinaryArgs())},
          {ASCRT_OP_SOFTMAX, BlockOf(SoftmaxArgs())},
          {ASCRT_OP_RMS_NORM, BlockOf(RmsNormArgs())},
          {ASCRT_OP_ROPE, BlockOf(RopeArgs())},
          {ASCRT_OP_SILU_MUL, BlockOf(SiluMulArgs())},
          {ASCRT_OP_FILL, BlockOf(FillArgs())},
          {ASCRT_OP_REDUCE, BlockOf(ReduceArgs())},
          {ASCRT_OP_ALL_REDUCE, BlockOf(AllReduceArgs())}};
}

}  // namespace ascend::core

#endif  // ASCEND_TESTS_UNIT_CORE_KERNELS_KERNEL_ARGUMENTS_H_
