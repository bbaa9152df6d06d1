#include "server/trace_file.h"

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/daemon_process.h"

namespace ascend::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

std::string BytesOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TraceFile, TheEndOfItsNameSaysWhatItHolds) {
  EXPECT_EQ(TraceFormatOf("run.svg"), TraceFormat::kSvg);
  EXPECT_EQ(TraceFormatOf("run.json"), TraceFormat::kJson);
  EXPECT_EQ(TraceFormatOf("svg"), TraceFormat::kJson);
  const TemporaryDirectory directory;
  for (const auto& [name, begin] :
       {std::pair<std::string, std::string>{"/a.svg", "<?xml "},
        {"/a.json", "{\"displayTimeUnit\""}}) {
    auto file = TraceFile::Open(directory.path() + name);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(file->Write(core::Trace()).ok());
    EXPECT_THAT(BytesOf(file->path()), StartsWith(begin));
  }
}

TEST(TraceFile, KeepsOldBytesUntilThereAreNewOnes) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/old.json";
  const std::string old(100'000, 'x');
  std::ofstream(path) << old;
  auto file = TraceFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(BytesOf(path), old);
  EXPECT_TRUE(file->Write(core::Trace()).ok());
  EXPECT_EQ(BytesOf(path).find('x'), std::string::npos);
}

TEST(TraceFile, APathThatCannotBeWrittenIsRefusedAtOnce) {
  const auto file = TraceFile::Open("/nonexistent/run.json");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().message(),
            "--trace is '/nonexistent/run.json', which cannot be written: No "
            "such file or directory");
}

TEST(TraceFile, ADiskThatIsFullIsSaid) {
  auto file = TraceFile::Open("/dev/full");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(std::string(file->Write(core::Trace()).message()),
              HasSubstr("'/dev/full' is not complete: No space left"));
}

}  // namespace
}  // namespace ascend::server
