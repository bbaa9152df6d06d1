// RaiseDescriptorLimit: as many open files as this process may have. A daemon
// needs one for each segment of device memory and one or two for each client.
//
// Threading: any thread. Ownership: none.
#ifndef ASCEND_SERVER_DESCRIPTOR_LIMIT_H_
#define ASCEND_SERVER_DESCRIPTOR_LIMIT_H_

#include <sys/resource.h>

#include <cstdint>

namespace ascend::server {

// The new limit; 0 when it cannot be told.
inline uint64_t RaiseDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
  }
  return limit.rlim_cur;
}

}  // namespace ascend::server

#endif  // ASCEND_SERVER_DESCRIPTOR_LIMIT_H_
