#include <utility>

#include "core/kernels/catalog.h"
#include "server/daemon.h"
#include "server/machine_host.h"

int main(int argc, char** argv) {
  return ascend::server::RunDaemon(
      argc, argv, [](ascend::server::MachineHostOptions options) {
        options.machine.catalog = &ascend::core::Catalog::Builtin();
        return ascend::server::MachineHost::Create(std::move(options));
      });
}
