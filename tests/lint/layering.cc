#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lint/rules.h"

namespace ascend::lint {
namespace {

using Paths = std::vector<std::string_view>;

// A directory (the longest prefix that matches a file rules it) and what of the
// tree it may include beside itself.
struct Layer {
  std::string_view directory;
  Paths may_include;
};

const std::vector<Layer>& Layers() {
  static const auto* const kLayers = new std::vector<Layer>{
      // L0
      {"core/base/", {}},
      // L1
      {"core/sim/", {"core/base/"}},
      {"core/spec/", {"core/base/", "core/sim/"}},
      {"core/obs/", {"core/base/", "core/sim/"}},
      {"core/command/", {"core/base/", "core/sim/"}},
      {"proto/", {"core/base/"}},
      {"proto/ipc/", {"core/base/"}},
      // L2
      {"core/mem/",
       {"core/base/", "core/sim/", "core/spec/", "core/obs/", "core/command/"}},
      {"core/kernels/",
       {"core/base/", "core/sim/", "core/spec/", "core/obs/", "core/command/",
        "acl/ascend_rtd_ops.h"}},
      // L3. A task holds its kernel's descriptor, which is plain data.
      {"core/sched/",
       {"core/base/", "core/sim/", "core/spec/", "core/obs/", "core/command/",
        "core/kernels/descriptor.h"}},
      // L4
      {"core/machine/", {"core/"}},
      {"server/kernels/",
       {"core/base/", "core/kernels/", "acl/ascend_rtd_ops.h"}},
      // L5 and L6
      {"server/",
       {"server/", "core/", "proto/ipc/", "proto/wire.h",
        "proto/grpc_lifetime.h", "proto/malloc_policy.h", "ascend/rtd/v1/"}},
      {"client/include/", {"acl/", "aclnn/", "ops_transformer/"}},
      {"client/examples/", {"acl/", "aclnn/", "ops_transformer/"}},
      {"client/runtime/",
       {"client/", "core/base/", "core/sim/tick.h", "core/command/",
        "proto/ipc/", "proto/wire.h", "acl/", "ops_transformer/"}},
      {"client/capi/",
       {"client/", "core/base/", "core/sim/tick.h", "core/command/",
        "proto/ipc/", "proto/wire.h", "acl/", "aclnn/", "ops_transformer/"}},
      {"client/grpc/",
       {"client/", "core/base/", "core/sim/tick.h", "core/command/",
        "proto/ipc/", "proto/wire.h", "proto/grpc_lifetime.h",
        "proto/malloc_policy.h", "ascend/rtd/v1/"}},
      {"client/cli/",
       {"core/base/", "proto/wire.h", "ascend/rtd/v1/", "client/grpc/"}},
  };
  return *kLayers;
}

// A library that only some directories may know.
struct Confined {
  std::string_view headers;
  Paths users;
};

const std::vector<Confined>& ConfinedHeaders() {
  const Paths grpc = {
      "server/rpc/", "server/daemon.cc",      "server/main.cc", "client/grpc/",
      "client/cli/", "proto/grpc_lifetime.h", "tests/"};
  static const auto* const kConfined = new std::vector<Confined>{
      {"grpcpp/", grpc},
      {"grpc/", grpc},
      {"google/protobuf/",
       {"server/rpc/", "server/session/", "server/soc_profile.cc",
        "client/grpc/", "client/cli/", "tests/"}},
      {"dnnl.hpp", {"server/kernels/", "tests/"}},
      {"dnnl.h", {"server/kernels/", "tests/"}},
      {"oneapi/", {"server/kernels/", "tests/"}},
      {"hwy/", {"server/kernels/", "tests/"}},
      {"spdlog/", {"server/", "tests/"}},
      {"gtest/", {"tests/"}},
      {"gmock/", {"tests/"}},
      {"benchmark/", {"tests/"}},
      {"absl/",
       {"core/", "proto/ipc/", "server/", "client/capi/", "client/runtime/",
        "client/grpc/", "client/cli/", "tests/"}},
  };
  return *kConfined;
}

bool IsUnderAny(std::string_view path, const Paths& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [path](std::string_view p) { return IsUnder(path, p); });
}

const Layer* LayerOf(std::string_view path) {
  const Layer* best = nullptr;
  for (const Layer& layer : Layers()) {
    if (!IsUnder(path, layer.directory)) continue;
    if (best == nullptr || layer.directory.size() > best->directory.size()) {
      best = &layer;
    }
  }
  return best;
}

// Whether an include names a file of this tree (or generated from it).
bool IsOurs(std::string_view target) {
  return IsUnderAny(target,
                    {"core/", "proto/", "server/", "client/", "tests/", "acl/",
                     "aclnn/", "ops_transformer/", "ascend/rtd/v1/"});
}

// Names the reason why `path` may not include `target`, or returns "".
std::string Refusal(std::string_view path, std::string_view target) {
  for (const Confined& confined : ConfinedHeaders()) {
    if (IsUnder(target, confined.headers) &&
        !IsUnderAny(path, confined.users)) {
      return "this directory does not know that library";
    }
  }
  // Service stubs are gRPC, whatever directory they were generated into.
  if (target.find(".grpc.pb.h") != std::string_view::npos &&
      !IsUnderAny(path, ConfinedHeaders().front().users)) {
    return "only those who may include grpcpp may include service stubs";
  }
  if (IsUnder(path, "tests/") || !IsOurs(target)) return "";
  const Layer* const layer = LayerOf(path);
  if (layer == nullptr) {
    return "the file lies in no layer; add its directory to the table of "
           "tests/lint/layering.cc";
  }
  if (IsUnder(target, layer->directory) ||
      IsUnderAny(target, layer->may_include)) {
    return "";
  }
  return Join({layer->directory, " stands below it or apart from it"});
}

}  // namespace

Findings CheckLayering(const SourceFile& file) {
  Findings findings;
  if (!IsCpp(file.path)) return findings;
  for (const Include& include : Includes(file.text)) {
    const std::string refusal = Refusal(file.path, include.target);
    if (refusal.empty()) continue;
    findings.push_back({file.path, include.line,
                        Join({"includes ", include.target, ": ", refusal})});
  }
  return findings;
}

}  // namespace ascend::lint
