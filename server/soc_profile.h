// Soc profiles: from the argument of --soc to a DeviceSpec.
//
// A profile is a SocProfile (proto/ascend/rtd/v1/soc.proto) in text format.
// Those of deploy/soc are part of the program, so a NAME needs no file; a FILE
// is read once, when the daemon starts. The core knows no protobuf: from here
// on there is only the DeviceSpec.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_SERVER_SOC_PROFILE_H_
#define ASCEND_SERVER_SOC_PROFILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/spec/device_spec.h"

namespace ascend::server {

// What has a '/' in it or ends in ".textproto" is a FILE, anything else a NAME,
// whose case does not count. Errors: kInvalidArgument, one sentence with file,
// line, field and value.
absl::StatusOr<core::DeviceSpec> LoadSocProfile(absl::string_view name_or_path);

// The profile in `text`; errors call it `source`. As above.
absl::StatusOr<core::DeviceSpec> ParseSocProfile(absl::string_view text,
                                                 absl::string_view source);

// The NAMEs, in alphabetical order.
std::vector<std::string> SocProfileNames();

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SOC_PROFILE_H_
