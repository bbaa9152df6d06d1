// Kernels whose cost and ranges are what their argument block says, for tests
// of the machine.
#ifndef ASCEND_TESTS_TESTING_TEST_KERNELS_H_
#define ASCEND_TESTS_TESTING_TEST_KERNELS_H_

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/error.h"
#include "core/kernels/catalog.h"

namespace ascend::core {

struct TestKernelArgs {
  uint64_t hbm_bytes = 0;
  double flops = 0;
  uint64_t l2_bytes = 0;
  Tick vector_ticks = 0;
  uint64_t address = 0;  // 0: touches no memory
  uint64_t bytes = 0;
  uint64_t is_legal = 1;
  uint64_t tag = 0;  // for the test's own use

  std::string ToBlock() const {
    return std::string(reinterpret_cast<const char*>(this), sizeof(*this));
  }
  static TestKernelArgs Of(std::span<const std::byte> block) {
    TestKernelArgs args;
    std::memcpy(&args, block.data(), sizeof(args));
    return args;
  }
};

// Ids of TestCatalog.
inline constexpr uint32_t kTestCube = 1;
inline constexpr uint32_t kTestVector = 2;
inline constexpr uint32_t kTestMix = 3;
inline constexpr uint32_t kTestFused = 4;       // has vector work in its body
inline constexpr uint32_t kTestCollective = 5;  // one DMA unit, no gap
inline constexpr uint32_t kTestTooLarge = 6;    // claims 9 CUBE units

inline const Catalog& TestCatalog() {
  static const Catalog* const catalog = [] {
    const auto check = [](std::span<const std::byte> block) {
      if (block.size() != sizeof(TestKernelArgs)) {
        return MakeError(
            Reason::kInvalidArgument,
            absl::StrCat("the block has ", block.size(),
                         " bytes, but must have ", sizeof(TestKernelArgs)));
      }
      if (TestKernelArgs::Of(block).is_legal != 1) {
        return MakeError(Reason::kInvalidArgument,
                         "argument 'is_legal' is not 1");
      }
      return absl::OkStatus();
    };
    const auto ranges = [](std::span<const std::byte> block) {
      const TestKernelArgs args = TestKernelArgs::Of(block);
      std::vector<DeviceRange> result;
      if (args.address != 0) {
        result.push_back(
            {args.address, args.bytes, Access::kReadWrite, "data"});
      }
      return result;
    };
    const auto cost = [](std::span<const std::byte> block, Claim,
                         const DeviceSpec&) {
      const TestKernelArgs args = TestKernelArgs::Of(block);
      return KernelCost{args.hbm_bytes, args.flops, args.l2_bytes,
                        args.vector_ticks};
    };
    std::vector<KernelDescriptor> kernels;
    const auto add = [&](uint32_t id, const char* name, CoreKind kind) {
      kernels.push_back({.id = KernelId(id),
                         .name = name,
                         .core_kind = kind,
                         .args_bytes = sizeof(TestKernelArgs),
                         .check = check,
                         .ranges = ranges,
                         .cost = cost});
    };
    add(kTestCube, "test_cube", CoreKind::kCube);
    add(kTestVector, "test_vector", CoreKind::kVector);
    add(kTestMix, "test_mix", CoreKind::kMix);
    add(kTestFused, "test_fused", CoreKind::kMix);
    kernels.back().has_vector_body = true;
    add(kTestCollective, "test_collective", CoreKind::kVector);
    kernels.back().claim = {.dma = 1};
    kernels.back().has_dispatch_gap = false;
    add(kTestTooLarge, "test_too_large", CoreKind::kCube);
    kernels.back().claim = {.cube = 9};
    return new Catalog(std::move(kernels));
  }();
  return *catalog;
}

}  // namespace ascend::core

#endif  // ASCEND_TESTS_TESTING_TEST_KERNELS_H_
