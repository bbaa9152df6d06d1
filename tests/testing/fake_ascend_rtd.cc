// ascend-rtd with a FakeMachineHost: the whole program but the machine.
#include <memory>
#include <utility>

#include "server/daemon.h"
#include "tests/testing/fake_machine_host.h"

int main(int argc, char** argv) {
  return ascend::server::RunDaemon(
      argc, argv, [](ascend::server::MachineHostOptions options) {
        return absl::StatusOr<std::unique_ptr<ascend::server::MachineHost>>(
            std::make_unique<ascend::testing::FakeMachineHost>(
                std::move(options)));
      });
}
