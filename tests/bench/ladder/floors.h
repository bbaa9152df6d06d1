// What gRPC alone does on this machine, measured against ladder-floor-server.
//
// Threading: one thread. Ownership: owns the server's process.
#ifndef ASCEND_TESTS_BENCH_LADDER_FLOORS_H_
#define ASCEND_TESTS_BENCH_LADDER_FLOORS_H_

#include <grpcpp/channel.h>

#include <cstddef>
#include <memory>
#include <string>

#include "tests/testing/daemon_process.h"

namespace ascend::ladder {

class Floors {
 public:
  // `over_tcp`: loopback TCP instead of a UNIX socket.
  explicit Floors(bool over_tcp);
  ~Floors();

  // Median round trip of 64 bytes on one stream.
  double PingPongMicroseconds();

  // Median over several runs of `bytes`, in chunks of at most 1 MiB; for an
  // upload until the server says that it has them.
  double UploadGigabytesPerSecond(size_t bytes);
  double DownloadGigabytesPerSecond(size_t bytes);

 private:
  class Call;

  testing::DaemonProcess server_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace ascend::ladder

#endif  // ASCEND_TESTS_BENCH_LADDER_FLOORS_H_
