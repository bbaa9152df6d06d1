// Config: the JSON file that aclInit is given.
//
// Two keys matter here: "err_msg_mode" (0: messages per thread, 1: per process)
// and "defaultDevice": {"default_device": N}. The other sections that AscendCL
// knows (dump, profiler, limits) are accepted and have no effect.
//
// Threading: pure functions.
#ifndef ASCEND_CLIENT_RUNTIME_CONFIG_H_
#define ASCEND_CLIENT_RUNTIME_CONFIG_H_

#include <cstdint>
#include <string>

#include "absl/types/optional.h"
#include "client/runtime/last_error.h"

namespace ascend::client {

struct Config {
  MessageScope message_scope = MessageScope::kThread;
  absl::optional<int32_t> default_device;
};

enum class ConfigOutcome {
  kOk,
  kUnreadable,
  kNotJson,
};

// The bytes of the file; kUnreadable when there is no such file.
ConfigOutcome ReadConfigFile(const std::string& path, std::string* text);

// Numbers may also stand as strings. A known key with a value of another type
// counts as not there.
ConfigOutcome ParseConfig(const std::string& text, Config* config);

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_CONFIG_H_
