#include <string_view>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "core/kernels/catalog.h"
#include "server/daemon.h"
#include "server/machine_host.h"
#include "server/replay.h"

int main(int argc, char** argv) {
  // gRPC's own locks: Debian's Abseil looks for cycles among them at each.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  if (argc >= 2 && std::string_view(argv[1]) == "replay") {
    return ascend::server::RunReplay(argc - 1, argv + 1,
                                     ascend::core::Catalog::Builtin());
  }
  return ascend::server::RunDaemon(
      argc, argv, [](ascend::server::MachineHostOptions options) {
        options.machine.catalog = &ascend::core::Catalog::Builtin();
        return ascend::server::MachineHost::Create(std::move(options));
      });
}
