// Reductions of device memory: launches of a built-in kernel.
#include <string>
#include <utility>

#include "acl/ascend_rtd_ops.h"
#include "client/runtime/client_runtime.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

// One unit of the device, which moves about as many bytes as the copy engine
// that reduces on the hardware; the other units stay free for kernels.
constexpr uint32_t kBlocks = 1;

std::string ArgumentsOf(const ReduceRequest& request) {
  ascrtReduceArgs args{};
  args.size = sizeof(args);
  args.x = request.target;
  args.y = request.source;
  args.z = request.target;
  args.count = static_cast<int64_t>(request.count);
  args.data_type = request.data_type;
  args.operation = request.operation;
  return std::string(reinterpret_cast<const char*>(&args), sizeof(args));
}

}  // namespace

absl::Status ClientRuntime::ReduceAsync(const ReduceRequest& request,
                                        void* stream_handle) {
  ASCEND_RETURN_IF_ERROR(Enter());
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_RETURN_IF_ERROR(LiveSession().status());
    ASCEND_ASSIGN_OR_RETURN(const Stream* const stream,
                            FindOwnStream(stream_handle));
    const uint64_t bytes = request.count * request.element_bytes;
    ASCEND_RETURN_IF_ERROR(
        CheckOnDeviceOf(*stream, request.target, bytes, "target"));
    ASCEND_RETURN_IF_ERROR(
        CheckOnDeviceOf(*stream, request.source, bytes, "source"));
  }
  LaunchRequest launch;
  ASCEND_ASSIGN_OR_RETURN(launch.function, FindBuiltin(ASCRT_OP_REDUCE));
  launch.num_blocks = kBlocks;
  launch.stream = stream_handle;
  launch.host_args = ArgumentsOf(request);
  return Launch(std::move(launch));
}

}  // namespace ascend::client
