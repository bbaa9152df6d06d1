// ReplyPump: the thread that starts gRPC operations on behalf of threads that
// must not call gRPC: those in a turn of the machine.
//
// Threading: any thread. Ownership: shares a call until it has been pumped.
#ifndef ASCEND_SERVER_RPC_REPLY_PUMP_H_
#define ASCEND_SERVER_RPC_REPLY_PUMP_H_

#include <memory>
#include <thread>
#include <vector>

#include "core/base/sync.h"

namespace ascend::server {

class Pumped {
 public:
  virtual ~Pumped() = default;
  // Starts whatever can be started. May be called for nothing.
  virtual void Pump() = 0;
};

class ReplyPump {
 public:
  ReplyPump();
  ~ReplyPump();

  // Pumps `call` soon. After Stop: drops it.
  void Schedule(std::shared_ptr<Pumped> call);

  // Waits for the pumping that goes on; nothing is pumped afterwards.
  void Stop();

 private:
  void Run();

  core::Mutex mutex_;
  core::CondVar wake_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::shared_ptr<Pumped>> due_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace ascend::server

#endif  // ASCEND_SERVER_RPC_REPLY_PUMP_H_
