#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "client/runtime/device_memory.h"
#include "client/runtime/host_memory.h"
#include "core/base/error.h"

namespace ascend::client {
namespace {

constexpr uint64_t kBase = 0x120000000000;

TEST(DeviceMemoryTest, ResolvesRangesInsideOneAllocation) {
  DeviceMemory memory;
  memory.Add({kBase, 100, core::DeviceId(0), 0});
  memory.Add({kBase + 128, 100, core::DeviceId(0), 0});
  EXPECT_EQ((*memory.Resolve(kBase, 100, "target"))->address, kBase);
  EXPECT_EQ((*memory.Resolve(kBase + 130, 98, "target"))->address, kBase + 128);
  EXPECT_FALSE(memory.Resolve(kBase, 101, "target").ok());
  EXPECT_FALSE(memory.Resolve(kBase + 100, 1, "target").ok());
  EXPECT_FALSE(memory.Resolve(kBase + 99, ~uint64_t{0}, "target").ok());
}

TEST(DeviceMemoryTest, RemovesAtTheStartOnlyAndOnce) {
  DeviceMemory memory;
  memory.Add({kBase, 100, core::DeviceId(0), 7});
  EXPECT_EQ(core::ReasonOf(memory.Remove(kBase + 1).status()),
            core::Reason::kInvalidArgument);
  EXPECT_EQ(memory.Remove(kBase)->stamp, 7);
  EXPECT_EQ(core::ReasonOf(memory.Remove(kBase).status()),
            core::Reason::kInvalidArgument);
}

TEST(DeviceMemoryTest, AFreedAddressIsStillNoHostAddress) {
  DeviceMemory memory;
  int local = 0;
  const auto host = reinterpret_cast<uintptr_t>(&local);
  memory.Add({kBase, 100, core::DeviceId(0), 0});
  ASSERT_TRUE(memory.Remove(kBase).ok());
  EXPECT_TRUE(memory.IsDeviceAddress(kBase));
  EXPECT_TRUE(memory.IsDeviceAddress(kBase + 4096));
  EXPECT_FALSE(memory.IsDeviceAddress(host));
  EXPECT_FALSE(memory.Resolve(kBase, 1, "source").ok());
}

TEST(HostMemoryTest, BlocksAreAlignedAndKnownUntilFreed) {
  HostMemory memory;
  void* const block = memory.Allocate(100).value();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % HostMemory::kAlignmentBytes,
            0u);
  char* const bytes = static_cast<char*>(block);
  EXPECT_NE(memory.Find(bytes, 100), nullptr);
  EXPECT_NE(memory.Find(bytes + 99, 1), nullptr);
  EXPECT_EQ(memory.Find(bytes + 1, 100), nullptr);
  EXPECT_EQ(memory.Find(bytes + 100, 0), nullptr);
  EXPECT_FALSE(memory.Free(bytes + 1).ok());
  EXPECT_TRUE(memory.Free(block).ok());
  EXPECT_EQ(memory.Find(bytes, 1), nullptr);
  EXPECT_EQ(core::ReasonOf(memory.Free(block)), core::Reason::kInvalidArgument);
}

TEST(HostMemoryTest, ABlockInUseOutlivesItsFree) {
  HostMemory memory;
  void* const block = memory.Allocate(8).value();
  const std::shared_ptr<HostBlock> user = memory.Find(block, 8);
  ASSERT_TRUE(memory.Free(block).ok());
  user->data()[7] = std::byte{1};  // ASan would tell
  EXPECT_EQ(user.use_count(), 1);
}

TEST(HostMemoryTest, RegisteredMemoryIsKnownAndTheProgramsOwn) {
  HostMemory memory;
  std::vector<char> own(100);
  ASSERT_TRUE(memory.Register(own.data(), 50, /*is_mapped=*/true).ok());
  EXPECT_EQ(core::ReasonOf(memory.Register(own.data() + 49, 9, false)),
            core::Reason::kHostRegistered);
  ASSERT_TRUE(memory.Register(own.data() + 50, 50, /*is_mapped=*/false).ok());
  EXPECT_TRUE(memory.Find(own.data() + 49, 1)->has_device_address());
  EXPECT_FALSE(memory.Find(own.data() + 50, 50)->has_device_address());
  EXPECT_EQ(memory.Find(own.data() + 49, 2), nullptr);
  EXPECT_EQ(core::ReasonOf(memory.Free(own.data())),
            core::Reason::kInvalidArgument);
  EXPECT_TRUE(memory.Unregister(own.data()).ok());
  EXPECT_EQ(core::ReasonOf(memory.Unregister(own.data())),
            core::Reason::kHostNotRegistered);
  EXPECT_TRUE(memory.Unregister(own.data() + 50).ok());
}

// Programs free memory that they have registered.
TEST(HostMemoryTest, NewMemoryEndsRegistrationsOfWhatItReplaces) {
  HostMemory memory;
  constexpr size_t kBytes = 64;
  void* const own = HostMemory().Allocate(kBytes).value();
  ASSERT_TRUE(memory.Register(own, kBytes, /*is_mapped=*/true).ok());
  // The system gives the same address again, sooner or later.
  std::vector<void*> blocks;
  constexpr int kTriesMax = 1000;
  while (blocks.size() < kTriesMax &&
         (blocks.empty() || blocks.back() != own)) {
    blocks.push_back(memory.Allocate(kBytes).value());
  }
  if (blocks.back() != own) GTEST_SKIP() << "the address does not come again";
  EXPECT_TRUE(memory.Find(own, kBytes)->is_allocated());
  EXPECT_FALSE(memory.Unregister(own).ok());
  for (void* const block : blocks) EXPECT_TRUE(memory.Free(block).ok());
}

TEST(HostMemoryTest, TooMuchIsRefused) {
  HostMemory memory;
  EXPECT_EQ(core::ReasonOf(memory.Allocate(SIZE_MAX / 2).status()),
            core::Reason::kOutOfDeviceMemory);
}

}  // namespace
}  // namespace ascend::client
