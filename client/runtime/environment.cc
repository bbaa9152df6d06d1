#include "client/runtime/environment.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace ascend::client {

absl::string_view ReadVariable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

void IgnoreVariable(absl::string_view name, absl::string_view reason) {
  WriteToStandardError(
      absl::StrCat("ascend-rtd: ", name, " is ignored: ", reason, "\n"));
}

bool IsSwitchedOn(const char* name) {
  const absl::string_view text = ReadVariable(name);
  if (text == "1") return true;
  if (!text.empty() && text != "0") {
    IgnoreVariable(name, absl::StrCat("it is '", text, "', not 0 or 1"));
  }
  return false;
}

void WriteToStandardError(absl::string_view lines) {
  std::fwrite(lines.data(), 1, lines.size(), stderr);
}

}  // namespace ascend::client
