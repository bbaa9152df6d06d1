// What stands behind the handles of the C interface.
//
// Threading: guarded by the runtime's order mutex. Ownership: handle maps own
// them; they name each other by public handle, so a name that outlives its
// object is found to be stale and not followed.
#ifndef ASCEND_CLIENT_RUNTIME_OBJECTS_H_
#define ASCEND_CLIENT_RUNTIME_OBJECTS_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/runtime/stream_gauge.h"
#include "core/base/ids.h"
#include "core/command/reply.h"
#include "core/sim/tick.h"

namespace ascend::client {

// Cores that operators should use, by CoreKind; 0: no limit.
enum class CoreKind { kCube, kVector };
using CoreLimits = std::array<uint32_t, 2>;

struct Context {
  core::ContextHandle core;
  core::DeviceId device;
  bool is_primary = false;
  void* default_stream = nullptr;
  absl::Status failure;            // not ok: a failed task has stopped it
  std::map<int, int64_t> options;  // ACL_OPT_* that were set
  core::Tick stamp = 0;
};

struct Stream {
  core::StreamHandle core;
  core::DeviceId device;
  void* context = nullptr;
  bool is_default = false;
  uint32_t priority = 0;
  uint32_t flags = 0;             // ACL_STREAM_*
  bool stops_context = false;     // on failure; stays
  std::map<int, uint32_t> notes;  // by ACL_STREAM_ATTR_*
  CoreLimits core_limits{};
  bool detects_overflow = false;
  uint64_t posted_count = 0;         // tasks
  uint64_t known_retired_count = 0;  // of them; the gauge may know of more
  std::shared_ptr<StreamGauge> gauge;
  core::Tick stamp = 0;
};

struct Event {
  core::EventHandle core;  // null before the first record
  core::DeviceId device;
  void* context = nullptr;
  uint32_t flags = 0;
  bool is_rerecordable = false;  // made by aclrtCreateEventExWithFlag
  bool is_recorded = false;      // and not reset since
  core::Tick stamp = 0;
};

struct Notify {
  core::NotifyHandle core;
  core::DeviceId device;
  core::Tick stamp = 0;
};

struct Binary {
  std::vector<core::KernelInfo> kernels;
  std::map<std::string, void*, std::less<>> functions;  // by kernel name
};

struct Function {
  core::KernelInfo kernel;
};

}  // namespace ascend::client

#endif  // ASCEND_CLIENT_RUNTIME_OBJECTS_H_
