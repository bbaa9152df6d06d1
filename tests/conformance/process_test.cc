// semantics 1: initialisation and its end.
#include <cstdint>
#include <cstring>
#include <string>

#include "acl/ascend_rtd_ext.h"
#include "aclnn/aclnn_base.h"
#include "tests/conformance/acl_test.h"
#include "tests/conformance/config_file.h"
#include "tests/conformance/fresh_process.h"

namespace ascend::conformance {
namespace {

// 1: "Counter 0->1 performs init. Every further call returns 100002"; callers
// take that for success, so it leaves no error behind.
FRESH_PROCESS_TEST(ProcessTest, InitIsCounted) {
  EXPECT_ACL_OK(aclInit(nullptr));
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(aclInit(""), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  uint64_t left = 0;
  EXPECT_ACL_OK(aclFinalizeReference(&left));
  EXPECT_EQ(left, 2u);
  EXPECT_ACL_OK(aclFinalizeReference(nullptr));
  EXPECT_ACL_OK(aclFinalizeReference(&left));
  EXPECT_EQ(left, 0u);
  EXPECT_ACL_ERROR(100037, aclFinalizeReference(&left));
}

// 1: "aclFinalize sets the counter to 0 whatever it was; already 0: 100037";
// the process may initialise again.
FRESH_PROCESS_TEST(ProcessTest, FinalizeEndsAllUsers) {
  EXPECT_ACL_ERROR(100037, aclFinalize());
  EXPECT_ACL_OK(aclInit(nullptr));
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_ACL_OK(aclFinalize());
  EXPECT_ACL_ERROR(100037, aclFinalize());
  EXPECT_ACL_OK(aclInit(nullptr));
  EXPECT_ACL_OK(aclrtSetDevice(0));
  EXPECT_ACL_OK(aclFinalize());
}

// 1: missing file 100003, broken JSON 100006; nothing is initialised then.
FRESH_PROCESS_TEST(ProcessTest, ABadConfigurationInitialisesNothing) {
  const ConfigFile broken("{\"dump\": ");
  EXPECT_ACL_ERROR(100003, aclInit("/nonexistent/acl.json"));
  EXPECT_ACL_ERROR(100006, aclInit(broken.path()));
  EXPECT_ACL_ERROR(100037, aclFinalize());
  EXPECT_ACL_OK(aclInit(nullptr));
  EXPECT_ACL_OK(aclFinalize());
}

// 1: "Repeat calls return 100002 before looking at the file"; after a
// finalize another content is 100000.
FRESH_PROCESS_TEST(ProcessTest, TheConfigurationOfTheFirstInitStays) {
  const ConfigFile first("{\"dump\": {}, \"unknown_section\": 1}");
  const ConfigFile other("{\"err_msg_mode\": 1}");
  EXPECT_ACL_OK(aclInit(first.path()));
  EXPECT_EQ(aclInit("/nonexistent/acl.json"), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_ACL_OK(aclFinalize());
  EXPECT_ACL_ERROR(100000, aclInit(other.path()));
  EXPECT_ACL_OK(aclInit(first.path()));
  EXPECT_ACL_OK(aclFinalize());
}

// 1: defaultDevice "makes the first API call pick this device implicitly".
FRESH_PROCESS_TEST(ProcessTest, TheDefaultDeviceIsSetImplicitly) {
  const ConfigFile config("{\"defaultDevice\": {\"default_device\": \"1\"}}");
  EXPECT_ACL_OK(aclInit(config.path()));
  int32_t device = -1;
  EXPECT_ACL_OK(aclrtGetDevice(&device));
  EXPECT_EQ(device, 1);
  InThread([] {
    void* memory = nullptr;
    EXPECT_ACL_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_ACL_OK(aclrtFree(memory));
  });
  EXPECT_ACL_OK(aclFinalize());
}

// 1: err_msg_mode 1: messages are the process's, codes still the thread's.
FRESH_PROCESS_TEST(ProcessTest, MessagesMayBeOfTheProcess) {
  const ConfigFile config("{\"err_msg_mode\": 1}");
  EXPECT_ACL_OK(aclInit(config.path()));
  InThread([] {
    EXPECT_EQ(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL),
              ACL_ERROR_RT_INVALID_DEVICEID);
  });
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  const char* const message = aclGetRecentErrMsg();
  ASSERT_NE(message, nullptr);
  EXPECT_NE(std::string(message).find("aclrtSetDevice"), std::string::npos);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_ACL_OK(aclFinalize());
}

// 1: "Device, stream and memory calls do work without aclInit".
FRESH_PROCESS_TEST(ProcessTest, CallsWorkWithoutInit) {
  EXPECT_ACL_OK(aclrtSetDevice(0));
  void* memory = nullptr;
  EXPECT_ACL_OK(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_ACL_OK(aclrtMemset(memory, 1 << 20, 1, 1 << 20));
  EXPECT_ACL_OK(aclrtFree(memory));
  EXPECT_ACL_OK(aclrtResetDevice(0));
}

TEST(ProcessTest, VersionsAreThoseOfTheHeaders) {
  int32_t major = -1;
  int32_t minor = -1;
  int32_t patch = -1;
  EXPECT_ACL_OK(aclrtGetVersion(&major, &minor, &patch));
  EXPECT_EQ(major, ACL_MAJOR_VERSION);
  EXPECT_EQ(minor, ACL_MINOR_VERSION);
  EXPECT_EQ(patch, ACL_PATCH_VERSION);
  EXPECT_NE(std::string(ascrtGetVersion()), "");
  EXPECT_ACL_ERROR(100000, aclrtGetVersion(nullptr, &minor, &patch));
  EXPECT_ACL_ERROR(100000, aclrtGetVersion(&major, nullptr, &patch));
  EXPECT_ACL_ERROR(100000, aclrtGetVersion(&major, &minor, nullptr));
}

// CANN's packages; "a fixed 128-byte array by convention".
TEST(ProcessTest, PackagesHaveVersions) {
  aclCANNPackageVersion version;
  std::memset(&version, 0xFF, sizeof(version));
  for (const auto name : {ACL_PKG_NAME_CANN, ACL_PKG_NAME_DRIVER}) {
    ASSERT_ACL_OK(aclsysGetCANNVersion(name, &version));
    EXPECT_EQ(std::string(version.majorVersion) + "." + version.minorVersion +
                  "." + version.patchVersion,
              version.version);
    EXPECT_STREQ(version.releaseVersion, "0");
    EXPECT_STREQ(version.reserved, "");
  }
  char runtime[] = "runtime";
  char text[ACL_PKG_VERSION_MAX_SIZE] = "";
  int32_t number = 0;
  ASSERT_ACL_OK(aclsysGetVersionStr(runtime, text));
  EXPECT_STREQ(text, version.version);
  ASSERT_ACL_OK(aclsysGetVersionNum(runtime, &number));
  EXPECT_GT(number, 80'000'000);  // later than 8.0
}

TEST(ProcessTest, UnknownPackagesHaveNone) {
  constexpr auto kUnknown = static_cast<aclCANNPackageName>(8);
  aclCANNPackageVersion version{};
  char runtime[] = "runtime";
  char unknown[] = "Runtime";
  char text[ACL_PKG_VERSION_MAX_SIZE] = "-";
  int32_t number = -1;
  EXPECT_ACL_ERROR(107000, aclsysGetCANNVersion(kUnknown, &version));
  EXPECT_STREQ(version.version, "");
  EXPECT_ACL_ERROR(100000, aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr));
  EXPECT_ACL_ERROR(107000, aclsysGetVersionStr(unknown, text));
  EXPECT_ACL_ERROR(100000, aclsysGetVersionStr(nullptr, text));
  EXPECT_ACL_ERROR(100000, aclsysGetVersionStr(runtime, nullptr));
  EXPECT_STREQ(text, "-");
  EXPECT_ACL_ERROR(107000, aclsysGetVersionNum(unknown, &number));
  EXPECT_ACL_ERROR(100000, aclsysGetVersionNum(nullptr, &number));
  EXPECT_ACL_ERROR(100000, aclsysGetVersionNum(runtime, nullptr));
  EXPECT_EQ(number, -1);
}

// The operator libraries' own initialisation, which is "optional in practice".
TEST(ProcessTest, OperatorLibrariesMayBeInitialised) {
  const ConfigFile config("{}");
  const ConfigFile broken("{\"dump\": ");
  EXPECT_ACL_OK(aclnnInit(nullptr));
  EXPECT_ACL_OK(aclnnInit(""));
  EXPECT_ACL_OK(aclnnInit(config.path()));
  EXPECT_ACL_ERROR(161002, aclnnInit("/nonexistent/acl.json"));
  EXPECT_ACL_ERROR(161002, aclnnInit(broken.path()));
  EXPECT_ACL_OK(aclnnFinalize());
  EXPECT_ACL_OK(aclnnFinalize());
}

}  // namespace
}  // namespace ascend::conformance
