#include "proto/ipc/shared_region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/ipc/abi.h"

namespace ascend::ipc {
namespace {

using core::Reason;
using core::ReasonOf;
using core::UniqueFd;
using ::testing::HasSubstr;

constexpr size_t kBytes = 3 * 4096 + 64;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

SharedRegion MakeRegion() { return *SharedRegion::Create("region", kBytes); }

UniqueFd Duplicate(int fd) { return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

// A memory file with the right first word, of a peer of any kind.
UniqueFd MakeFile(off_t bytes, int seals, uint32_t version = kAbiVersion,
                  unsigned flags = 0) {
  UniqueFd fd(::memfd_create("peer", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags));
  if (!fd.is_valid()) return fd;
  EXPECT_EQ(::ftruncate(fd.get(), bytes), 0);
  if (flags == 0) {
    EXPECT_EQ(::pwrite(fd.get(), &version, sizeof(version), 0), 4);
  }
  EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
  return fd;
}

void ExpectRefused(UniqueFd fd, const char* why) {
  const int number = fd.get();
  const auto region = SharedRegion::Open(std::move(fd), kBytes);
  ASSERT_FALSE(region.ok());
  EXPECT_EQ(ReasonOf(region.status()), Reason::kProtocolViolation);
  EXPECT_THAT(region.status().message(), HasSubstr(why));
  EXPECT_EQ(::fcntl(number, F_GETFD), -1) << "the descriptor leaks";
}

TEST(SharedRegionTest, NewMemoryIsZeroBehindItsVersion) {
  const SharedRegion region = MakeRegion();
  ASSERT_EQ(region.bytes().size(), kBytes);
  uint32_t version = 0;
  std::memcpy(&version, region.bytes().data(), sizeof(version));
  EXPECT_EQ(version, kAbiVersion);
  EXPECT_TRUE(std::all_of(region.bytes().begin() + 4, region.bytes().end(),
                          [](std::byte b) { return b == std::byte{0}; }));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(region.bytes().data()) % 4096, 0u);
}

TEST(SharedRegionTest, ItsSizeIsSealed) {
  const SharedRegion region = MakeRegion();
  EXPECT_EQ(::fcntl(region.fd(), F_GET_SEALS) & kSeals, kSeals);
  EXPECT_EQ(::ftruncate(region.fd(), 0), -1);
  EXPECT_EQ(::ftruncate(region.fd(), kBytes * 2), -1);
  EXPECT_EQ(::fcntl(region.fd(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
}

TEST(SharedRegionTest, ItEndsAtExec) {
  EXPECT_EQ(::fcntl(MakeRegion().fd(), F_GETFD), FD_CLOEXEC);
}

TEST(SharedRegionTest, BothSidesSeeTheSameBytes) {
  const SharedRegion mine = MakeRegion();
  const auto peer = SharedRegion::Open(Duplicate(mine.fd()), kBytes);
  ASSERT_TRUE(peer.ok()) << peer.status();
  ASSERT_NE(peer->bytes().data(), mine.bytes().data());
  mine.bytes()[kBytes - 1] = std::byte{7};
  peer->bytes()[64] = std::byte{8};
  EXPECT_EQ(peer->bytes()[kBytes - 1], std::byte{7});
  EXPECT_EQ(mine.bytes()[64], std::byte{8});
}

TEST(SharedRegionTest, OpenTakesWhatIsAsExpected) {
  EXPECT_TRUE(SharedRegion::Open(MakeFile(kBytes, kSeals), kBytes).ok());
}

TEST(SharedRegionTest, OpenRefusesAnotherSize) {
  ExpectRefused(MakeFile(kBytes - 1, kSeals), "bytes instead of 12352");
  ExpectRefused(MakeFile(kBytes + 1, kSeals), "bytes instead of 12352");
}

TEST(SharedRegionTest, OpenRefusesOtherSeals) {
  ExpectRefused(MakeFile(kBytes, 0), "has seals 0x0 instead of 0x7");
  ExpectRefused(MakeFile(kBytes, F_SEAL_GROW | F_SEAL_SEAL), "has seals 0x5");
  ExpectRefused(MakeFile(kBytes, F_SEAL_SHRINK | F_SEAL_SEAL), "has seals 0x3");
  ExpectRefused(MakeFile(kBytes, F_SEAL_SHRINK | F_SEAL_GROW), "has seals 0x6");
  ExpectRefused(MakeFile(kBytes, kSeals | F_SEAL_WRITE), "has seals 0xf");
}

TEST(SharedRegionTest, OpenRefusesWhatIsNoMemoryFile) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  UniqueFd writer(ends[1]);
  ExpectRefused(UniqueFd(ends[0]), "is no memory file");
  ExpectRefused(UniqueFd(::open("/", O_RDONLY | O_CLOEXEC)),
                "is no memory file");
  ExpectRefused(UniqueFd(), "is no memory file");
}

TEST(SharedRegionTest, OpenRefusesHugePages) {
  UniqueFd fd(MakeFile(off_t{1} << 30, kSeals, 0, MFD_HUGETLB));
  if (!fd.is_valid()) GTEST_SKIP() << "this kernel has no huge pages";
  ExpectRefused(std::move(fd), "ordinary pages");
}

TEST(SharedRegionTest, OpenRefusesAnotherVersion) {
  ExpectRefused(MakeFile(kBytes, kSeals, kAbiVersion + 1),
                "version 2 instead of 1");
  ExpectRefused(MakeFile(kBytes, kSeals, 0), "version 0 instead of 1");
}

bool IsMapped(const std::byte* page) {
  unsigned char is_resident = 0;
  return ::mincore(const_cast<std::byte*>(page), 4096, &is_resident) == 0 ||
         errno != ENOMEM;
}

TEST(SharedRegionTest, TheLastOwnerUnmapsAndCloses) {
  int fd = -1;
  const std::byte* page = nullptr;
  {
    SharedRegion region = MakeRegion();
    fd = region.fd();
    page = region.bytes().data();
    SharedRegion moved(std::move(region));
    EXPECT_EQ(moved.fd(), fd);
    EXPECT_EQ(moved.bytes().data(), page);
    SharedRegion assigned = MakeRegion();
    assigned = std::move(moved);
    EXPECT_EQ(assigned.bytes().data(), page);
    EXPECT_TRUE(IsMapped(page));
  }
  EXPECT_FALSE(IsMapped(page));
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
}

}  // namespace
}  // namespace ascend::ipc
