// Kernels: packages, functions, launches.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/runtime/client_runtime.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"

namespace ascend::client {
namespace {

using core::MakeError;
using core::Reason;

constexpr absl::string_view kBuiltinPackage = "builtin:ops";

absl::Status StaleHandle(absl::string_view what, const void* handle) {
  return MakeError(Reason::kStaleHandle,
                   absl::StrCat(what, " handle 0x",
                                absl::Hex(reinterpret_cast<uintptr_t>(handle)),
                                " was unloaded or never given out"));
}

absl::Status CheckArgs(const LaunchRequest& request) {
  uint64_t bytes = request.device_args_bytes;
  if (request.device_args == 0) bytes = request.host_args.size();
  if (request.num_blocks == 0) {
    return MakeError(Reason::kInvalidArgument,
                     "numBlocks is 0, but a launch has at least one block");
  }
  // A block begins with its own size (acl/ascend_rtd_ops.h).
  uint64_t stated_bytes = sizeof(stated_bytes);
  if (bytes < sizeof(stated_bytes) || bytes > core::kLaunchArgsBytesMax) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("argsSize is ", bytes, ", but an argument block has ",
                     sizeof(stated_bytes), " to ", core::kLaunchArgsBytesMax,
                     " bytes"));
  }
  if (request.device_args == 0) {
    std::memcpy(&stated_bytes, request.host_args.data(), sizeof(stated_bytes));
  }
  if (stated_bytes < sizeof(stated_bytes) || stated_bytes > bytes) {
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("the argument block states a size of ", stated_bytes,
                     " bytes, but argsSize is ", bytes));
  }
  return absl::OkStatus();
}

absl::Status CheckPlaceHolders(const LaunchRequest& request) {
  const uint64_t bytes = request.host_args.size();
  for (const PlaceHolder& holder : request.place_holders) {
    if (uint64_t{holder.address_offset} + sizeof(uint64_t) <= bytes &&
        holder.data_offset < bytes) {
      continue;
    }
    return MakeError(
        Reason::kInvalidArgument,
        absl::StrCat("a place holder with addrOffset ", holder.address_offset,
                     " and dataOffset ", holder.data_offset,
                     " lies outside the argument block of ", bytes, " bytes"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<void*> ClientRuntime::LoadBinary(absl::string_view path) {
  ASCEND_RETURN_IF_ERROR(Enter());
  if (path != kBuiltinPackage) {
    return MakeError(Reason::kInvalidArgument,
                     absl::StrCat("kernel binary '", path,
                                  "' is not supported yet: this release runs "
                                  "the built-in kernels of '",
                                  kBuiltinPackage, "' only"));
  }
  std::shared_ptr<Session> session;
  PendingReply pending;
  {
    core::MutexLock lock(order_mutex_);
    ASCEND_ASSIGN_OR_RETURN(session, LiveSession());
    ASCEND_RETURN_IF_ERROR(FindCurrentContext().status());
    session->Ask(pending, core::LoadPackage{std::string(path)},
                 session->description().poll_ticks, {});
  }
  session->Await(pending, /*wake=*/0);
  ASCEND_RETURN_IF_ERROR(pending.reply.status);
  auto binary = std::make_unique<Binary>();
  if (auto* const reply =
          std::get_if<core::PackageReply>(&pending.reply.payload)) {
    binary->kernels = std::move(reply->kernels);
  }
  core::MutexLock lock(order_mutex_);
  ASCEND_RETURN_IF_ERROR(LiveSession().status());
  return binaries_.Insert(std::move(binary));
}

absl::Status ClientRuntime::UnloadBinary(void* handle) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  const std::unique_ptr<Binary> binary = binaries_.Erase(handle);
  if (binary == nullptr) return StaleHandle("binary", handle);
  for (const auto& [name, function] : binary->functions) {
    functions_.Erase(function);
    argument_lists_.Forget(function);
  }
  return absl::OkStatus();
}

absl::StatusOr<void*> ClientRuntime::FindFunction(void* handle,
                                                  absl::string_view name) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  Binary* const binary = binaries_.Find(handle);
  if (binary == nullptr) return StaleHandle("binary", handle);
  const std::string key(name);
  const auto known = binary->functions.find(key);
  if (known != binary->functions.end()) return known->second;
  for (const core::KernelInfo& kernel : binary->kernels) {
    if (kernel.name != key) continue;
    auto function = std::make_unique<Function>();
    function->kernel = kernel;
    return binary->functions[key] = functions_.Insert(std::move(function));
  }
  return MakeError(Reason::kUnknownKernel,
                   absl::StrCat("the binary has no kernel '", name, "'"));
}

absl::StatusOr<void*> ClientRuntime::FindBuiltin(absl::string_view name) {
  void* binary = nullptr;
  {
    core::MutexLock lock(order_mutex_);
    if (binaries_.Find(builtin_binary_) != nullptr) binary = builtin_binary_;
  }
  if (binary == nullptr) {
    ASCEND_ASSIGN_OR_RETURN(binary, LoadBinary(kBuiltinPackage));
    core::MutexLock lock(order_mutex_);
    // Another thread may have been faster.
    if (binaries_.Find(builtin_binary_) == nullptr) {
      builtin_binary_ = binary;
    } else {
      binaries_.Erase(std::exchange(binary, builtin_binary_));
    }
  }
  return FindFunction(binary, name);
}

absl::StatusOr<void*> ClientRuntime::FindFunctionByEntry(void* handle,
                                                         uint64_t entry) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  if (binaries_.Find(handle) == nullptr) return StaleHandle("binary", handle);
  return MakeError(Reason::kUnknownKernel,
                   absl::StrCat("the binary has no kernel of entry ", entry,
                                ": built-in kernels have names only"));
}

absl::StatusOr<std::string> ClientRuntime::FunctionName(void* handle) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  const Function* const function = functions_.Find(handle);
  if (function == nullptr) return StaleHandle("function", handle);
  return function->kernel.name;
}

absl::StatusOr<void*> ClientRuntime::CreateArguments(void* function) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  if (functions_.Find(function) == nullptr) {
    return StaleHandle("function", function);
  }
  return argument_lists_.Create(function, core::kLaunchArgsBytesMax);
}

absl::Status ClientRuntime::CreateArgumentsAt(void* list, void* function,
                                              size_t bytes_max) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  if (functions_.Find(function) == nullptr) {
    return StaleHandle("function", function);
  }
  argument_lists_.CreateAt(
      list, function, std::min<size_t>(bytes_max, core::kLaunchArgsBytesMax));
  return absl::OkStatus();
}

absl::Status ClientRuntime::UseArguments(
    void* handle, absl::FunctionRef<absl::Status(ArgumentList&)> use) {
  ASCEND_RETURN_IF_ERROR(EnsureConnected());
  core::MutexLock lock(order_mutex_);
  ArgumentList* const list = argument_lists_.Find(handle);
  if (list == nullptr) return StaleHandle("argument list", handle);
  return use(*list);
}

absl::Status ClientRuntime::Launch(LaunchRequest request) {
  ASCEND_RETURN_IF_ERROR(CheckArgs(request));
  if (!request.place_holders.empty()) {
    return LaunchWithPlaceHolders(std::move(request));
  }
  return SubmitTask(
      request.stream, [&](Session& session, Stream& stream) -> absl::Status {
        order_mutex_.AssertHeld();
        const Function* const function = functions_.Find(request.function);
        if (function == nullptr) {
          return StaleHandle("function", request.function);
        }
        core::Launch launch;
        launch.stream = stream.core;
        launch.kernel = function->kernel.id;
        launch.num_blocks = request.num_blocks;
        launch.is_timing_only =
            request.is_timing_only || devices_[stream.device].is_timing_only;
        if (launch.is_timing_only && request.device_args != 0) {
          return MakeError(
              Reason::kUnsupportedCombination,
              "the launch is timing-only and its arguments are in device "
              "memory, which nothing computes; pass them from the host");
        }
        core::Tick host_stamp = 0;
        core::Tick* args_stamp = &host_stamp;
        if (request.device_args != 0) {
          ASCEND_ASSIGN_OR_RETURN(
              Allocation* const allocation,
              device_memory_.Resolve(request.device_args,
                                     request.device_args_bytes,
                                     "argument block"));
          args_stamp = &allocation->stamp;
          launch.args_address = request.device_args;
          launch.args_bytes = request.device_args_bytes;
        } else {
          launch.args = std::move(request.host_args);
        }
        PostTaskTo(session, stream, std::move(launch),
                   {&stream.stamp, args_stamp});
        return absl::OkStatus();
      });
}

absl::Status ClientRuntime::LaunchWithPlaceHolders(LaunchRequest request) {
  ASCEND_RETURN_IF_ERROR(CheckPlaceHolders(request));
  // The block gets a place in device memory, which is given back at once:
  // memory that queued tasks may use is not handed out again before they end.
  constexpr uint32_t kHugeFirst = 0;
  ASCEND_ASSIGN_OR_RETURN(void* const base,
                          Malloc(request.host_args.size(), kHugeFirst));
  for (const PlaceHolder& holder : request.place_holders) {
    const uint64_t address =
        reinterpret_cast<uintptr_t>(base) + holder.data_offset;
    std::memcpy(request.host_args.data() + holder.address_offset, &address,
                sizeof(address));
  }
  request.place_holders.clear();
  const std::string block = request.host_args;
  absl::Status status =
      CopyAsync({base, block.data(), block.size()},
                StatedKind::kHostToBufferToDevice, request.stream);
  if (status.ok()) status = Launch(std::move(request));
  const absl::Status free_status = Free(base);
  return status.ok() ? free_status : status;
}

}  // namespace ascend::client
