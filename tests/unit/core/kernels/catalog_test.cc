#include "core/kernels/catalog.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ascend::core {
namespace {

using ::testing::ElementsAre;

TEST(Catalog, ListsTheBuiltinKernelsInAFixedOrder) {
  std::vector<std::string> names;
  for (const KernelDescriptor& kernel : Catalog::Builtin().descriptors()) {
    names.push_back(kernel.name);
  }
  EXPECT_THAT(names, ElementsAre("flash_attention", "matmul", "add", "mul",
                                 "softmax", "rms_norm", "rope", "silu_mul",
                                 "fill", "reduce", "all_reduce"));
}

TEST(Catalog, FindsAKernelByNameAndById) {
  const Catalog& catalog = Catalog::Builtin();
  for (const KernelDescriptor& kernel : catalog.descriptors()) {
    EXPECT_EQ(catalog.Find(kernel.name), &kernel);
    EXPECT_EQ(catalog.Get(kernel.id), &kernel);
  }
}

TEST(Catalog, FindsNothingElse) {
  const Catalog& catalog = Catalog::Builtin();
  EXPECT_EQ(catalog.Find("Add"), nullptr);
  EXPECT_EQ(catalog.Find(""), nullptr);
  EXPECT_EQ(catalog.Get(KernelId(0)), nullptr);
  EXPECT_EQ(catalog.Get(KernelId(12)), nullptr);
  EXPECT_EQ(catalog.Get(KernelId(0xFFFFFFFF)), nullptr);
}

TEST(CatalogDeathTest, RefusesTwoKernelsOfOneName) {
  std::vector<KernelDescriptor> twice(2,
                                      Catalog::Builtin().descriptors().front());
  twice[1].id = KernelId(2);
  EXPECT_DEATH(Catalog(std::move(twice)), "flash_attention twice");
}

}  // namespace
}  // namespace ascend::core
