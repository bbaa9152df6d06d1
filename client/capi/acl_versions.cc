// Versions of the packages of CANN. None is installed: every one that programs
// ask about is said to be of the release whose interface the library has.
#include <array>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "acl/acl.h"
#include "client/capi/edge.h"
#include "core/base/error.h"

using ascend::client::CheckNotNull;
using ascend::client::Report;
using ascend::core::MakeError;
using ascend::core::Reason;

namespace {

constexpr int32_t kMajor = 9;
constexpr int32_t kMinor = 1;
constexpr int32_t kPatch = 0;

// By aclCANNPackageName.
constexpr std::array<absl::string_view, 8> kPackages = {
    "cann",    "runtime", "compiler",   "hccl",
    "toolkit", "opp",     "opp_kernel", "driver"};

std::string VersionText() {
  return absl::StrCat(kMajor, ".", kMinor, ".", kPatch);
}

// Of numbers below 100, a later version is a larger number.
constexpr int32_t kVersionNumber =
    kMajor * 10'000'000 + kMinor * 100'000 + kPatch * 1'000;

absl::Status CheckPackage(absl::string_view name) {
  for (const absl::string_view known : kPackages) {
    if (name == known) return absl::OkStatus();
  }
  return MakeError(Reason::kInvalidArgument,
                   absl::StrCat("there is no package '", name, "'"));
}

template <size_t kBytes>
void Store(const std::string& text, char (&field)[kBytes]) {
  std::memset(field, 0, kBytes);
  text.copy(field, kBytes - 1);
}

}  // namespace

aclError aclsysGetCANNVersion(aclCANNPackageName name,
                              aclCANNPackageVersion* version) {
  const absl::Status status = CheckNotNull({{version, "version"}});
  if (!status.ok()) return Report(__func__, status);
  if (name < ACL_PKG_NAME_CANN || name > ACL_PKG_NAME_DRIVER) {
    return Report(__func__,
                  MakeError(Reason::kInvalidArgument,
                            absl::StrCat("name is ", static_cast<int>(name),
                                         ", which is no package")));
  }
  *version = {};
  Store(VersionText(), version->version);
  Store(absl::StrCat(kMajor), version->majorVersion);
  Store(absl::StrCat(kMinor), version->minorVersion);
  Store("0", version->releaseVersion);
  Store(absl::StrCat(kPatch), version->patchVersion);
  return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
  absl::Status status =
      CheckNotNull({{pkgName, "pkgName"}, {versionStr, "versionStr"}});
  if (status.ok()) status = CheckPackage(pkgName);
  if (!status.ok()) return Report(__func__, status);
  const std::string text = VersionText();
  std::memcpy(versionStr, text.c_str(), text.size() + 1);
  return ACL_SUCCESS;
}

aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
  absl::Status status =
      CheckNotNull({{pkgName, "pkgName"}, {versionNum, "versionNum"}});
  if (status.ok()) status = CheckPackage(pkgName);
  if (!status.ok()) return Report(__func__, status);
  *versionNum = kVersionNumber;
  return ACL_SUCCESS;
}
