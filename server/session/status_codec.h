// Reason and sentence of an absl::Status as they cross the wire.
//
// Threading: pure functions. Ownership: none.
#ifndef ASCEND_SERVER_SESSION_STATUS_CODEC_H_
#define ASCEND_SERVER_SESSION_STATUS_CODEC_H_

#include "absl/status/status.h"

namespace ascend::rtd::v1 {
class Error;
}

namespace ascend::server {

// `status` is not ok.
void EncodeError(const absl::Status& status, rtd::v1::Error* error);

// Never ok: an error without a reason that we know is kInternal. The sentence
// is cut to a length fit for a log, since a client may have written it.
absl::Status DecodeError(const rtd::v1::Error& error);

}  // namespace ascend::server

#endif  // ASCEND_SERVER_SESSION_STATUS_CODEC_H_
