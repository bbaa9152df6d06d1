#include "client/runtime/config.h"

#include <sys/stat.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/strings/numbers.h"

namespace ascend::client {
namespace {

using Json = nlohmann::json;

absl::optional<int32_t> NumberAt(const Json& object, const char* key) {
  if (!object.is_object()) return absl::nullopt;
  const auto found = object.find(key);
  if (found == object.end()) return absl::nullopt;
  int32_t number = 0;
  if (found->is_string() &&
      absl::SimpleAtoi(found->get_ref<const std::string&>(), &number)) {
    return number;
  }
  if (!found->is_number_integer()) return absl::nullopt;
  const auto value = found->get<int64_t>();
  if (value < std::numeric_limits<int32_t>::min() ||
      value > std::numeric_limits<int32_t>::max()) {
    return absl::nullopt;
  }
  return static_cast<int32_t>(value);
}

}  // namespace

ConfigOutcome ReadConfigFile(const std::string& path, std::string* text) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return ConfigOutcome::kUnreadable;
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream contents;
  if (info.st_size > 0) contents << file.rdbuf();
  if (!file || !contents) return ConfigOutcome::kUnreadable;
  *text = contents.str();
  return ConfigOutcome::kOk;
}

ConfigOutcome ParseConfig(const std::string& text, Config* config) {
  const Json root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded() || !root.is_object()) return ConfigOutcome::kNotJson;
  if (NumberAt(root, "err_msg_mode") == 1) {
    config->message_scope = MessageScope::kProcess;
  }
  const auto section = root.find("defaultDevice");
  if (section != root.end()) {
    config->default_device = NumberAt(*section, "default_device");
  }
  return ConfigOutcome::kOk;
}

}  // namespace ascend::client
