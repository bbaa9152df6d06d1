// Random and mutated bytes against the checks of every built-in kernel: a check
// never crashes, and what passes it has sane ranges and a sane cost.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/base/error.h"
#include "core/kernels/argument_checks.h"
#include "core/kernels/catalog.h"
#include "gtest/gtest.h"
#include "tests/unit/core/kernels/kernel_arguments.h"

namespace ascend::core {
namespace {

constexpr uint32_t kSeed = 20240707;

// Checks the bytes and, when legal, everything that may be asked then.
// Returns whether they were.
bool Exercise(const KernelDescriptor& kernel,
              const std::vector<std::byte>& bytes, const DeviceSpec& spec) {
  const absl::Status status = kernel.check(bytes);
  if (!status.ok()) {
    EXPECT_EQ(ReasonOf(status), Reason::kInvalidArgument);
    EXPECT_FALSE(status.message().empty());
    return false;
  }
  for (const DeviceRange& range : kernel.ranges(bytes)) {
    EXPECT_NE(range.address, 0u);
    EXPECT_GT(range.bytes, 0u);
    EXPECT_LE(range.bytes, kTensorBytesMax);
    EXPECT_LE(range.address,
              std::numeric_limits<uint64_t>::max() - range.bytes);
  }
  for (const uint32_t blocks : {1u, 7u, 1000u}) {
    const KernelCost cost =
        kernel.cost(bytes, ClaimOfBlocks(kernel.core_kind, blocks, spec), spec);
    EXPECT_TRUE(std::isfinite(cost.flops));
    EXPECT_GE(cost.flops, 0);
    // What moves between devices is not of this one's memory.
    if (kernel.claim.dma == 0) {
      EXPECT_GT(cost.hbm_bytes, 0u);
    }
    EXPECT_GT(cost.vector_ticks, 0);
  }
  return true;
}

class ArgumentChecksFuzz : public ::testing::TestWithParam<NamedBlock> {
 protected:
  ArgumentChecksFuzz() { RecordProperty("seed", int{kSeed}); }

  const KernelDescriptor& kernel_ = *Catalog::Builtin().Find(GetParam().kernel);
  const DeviceSpec spec_ = Ascend910Spec();
  std::mt19937_64 random_{kSeed};
};

TEST_P(ArgumentChecksFuzz, SurviveRandomBytes) {
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> bytes(random_() % 130);
    for (std::byte& byte : bytes) byte = std::byte(random_());
    if (bytes.size() >= 8 && random_() % 2 == 0) {
      const uint64_t size = random_() % (bytes.size() + 2);
      std::memcpy(bytes.data(), &size, sizeof(size));
    }
    Exercise(kernel_, bytes, spec_);
  }
}

// Values where checks go wrong: edges of types, powers of two, small numbers.
uint64_t Hostile(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0:
      return uint64_t{1} << random() % 64;
    case 1:
      return (uint64_t{1} << random() % 64) - 1;
    case 2:
      return uint64_t{0} - random() % 4;
    case 3:
      return random() % 300;
    default:
      return random();
  }
}

TEST_P(ArgumentChecksFuzz, SurviveHostileFields) {
  int legal = 0;
  int illegal = 0;
  for (int i = 0; i < 50000; ++i) {
    std::vector<std::byte> bytes = GetParam().bytes;
    const uint64_t changes = 1 + random_() % 3;
    for (uint64_t change = 0; change < changes; ++change) {
      const size_t width = random_() % 2 == 0 ? 8 : 4;
      const size_t field = random_() % (bytes.size() / width);
      const uint64_t value = Hostile(random_);
      std::memcpy(&bytes[field * width], &value, width);
    }
    ++(Exercise(kernel_, bytes, spec_) ? legal : illegal);
  }
  // Mutations that are all legal or all illegal would test half of it.
  EXPECT_GT(legal, 500) << "seed " << kSeed;
  EXPECT_GT(illegal, 500) << "seed " << kSeed;
}

INSTANTIATE_TEST_SUITE_P(Kernels, ArgumentChecksFuzz,
                         ::testing::ValuesIn(LegalBlocks()),
                         [](const auto& test) { return test.param.kernel; });

}  // namespace
}  // namespace ascend::core
