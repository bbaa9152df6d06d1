// The files deploy/soc/*.textproto as they were at build time; the source is
// generated (deploy/cmake/EmbedTexts.cmake).
//
// Threading: immutable. Ownership: static data.
#ifndef ASCEND_SERVER_SOC_PROFILE_TEXTS_H_
#define ASCEND_SERVER_SOC_PROFILE_TEXTS_H_

#include <span>

#include "absl/strings/string_view.h"

namespace ascend::server {

struct SocProfileText {
  absl::string_view name;  // of the file, without ".textproto"
  absl::string_view text;
};

// In alphabetical order of names.
std::span<const SocProfileText> SocProfileTexts();

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SOC_PROFILE_TEXTS_H_
