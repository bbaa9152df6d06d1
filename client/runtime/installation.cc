#include "client/runtime/installation.h"

#include <dlfcn.h>
#include <limits.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ascend::client {
namespace {

// The directory of the file that holds this function.
std::string OwnDirectory() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&OwnDirectory), &info) == 0) return ".";
  char resolved[PATH_MAX];
  const char* const file = realpath(info.dli_fname, resolved);
  const std::string path = file == nullptr ? info.dli_fname : file;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

const char* Home() {
  const char* const home = std::getenv("ASCEND_RTD_HOME");
  return home == nullptr || *home == '\0' ? nullptr : home;
}

}  // namespace

std::string PluginPath() {
  constexpr absl::string_view kPlugin = "/libascendcl_grpc.so";
  if (const char* const home = Home()) {
    return absl::StrCat(home, "/lib64", kPlugin);
  }
  return absl::StrCat(OwnDirectory(), kPlugin);
}

std::string DaemonPath() {
  constexpr absl::string_view kDaemon = "/bin/ascend-rtd";
  if (const char* const home = Home()) return absl::StrCat(home, kDaemon);
  return absl::StrCat(OwnDirectory(), "/..", kDaemon);
}

}  // namespace ascend::client
