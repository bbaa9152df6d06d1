#include "server/rpc/rpc_server.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/base/thread_slice.h"
#include "proto/grpc_lifetime.h"
#include "proto/wire.h"
#include "server/rpc/admin_service.h"
#include "server/rpc/bidi_call.h"
#include "server/rpc/health_service.h"
#include "server/rpc/operator_call.h"
#include "server/rpc/reflection_service.h"
#include "server/rpc/rpc_shared.h"
#include "server/rpc/runtime_service.h"
#include "server/rpc/transfer_service.h"

namespace ascend::server {
namespace {

// Our clients have one call on a connection.
constexpr int kCallsPerConnectionMax = 16;
// For the last events of sessions that were just ended.
constexpr std::chrono::milliseconds kStopGrace{300};

std::vector<OperatorMethod> MethodsOf(RpcShared& shared,
                                      HealthService* health) {
  const auto reflection = ReflectionMethods(
      {"ascend.rtd.v1.Admin", "ascend.rtd.v1.Runtime", "ascend.rtd.v1.Transfer",
       "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"});
  std::vector<OperatorMethod> methods = AdminMethods(shared);
  for (const auto& more : {health->methods(), reflection}) {
    methods.insert(methods.end(), more.begin(), more.end());
  }
  return methods;
}

class GrpcServer final : public RpcServer {
 public:
  GrpcServer(MachineHost& host, DaemonIdentity identity)
      : shared_(std::make_shared<RpcShared>(host, std::move(identity))),
        operators_(MethodsOf(*shared_, &health_)) {}

  ~GrpcServer() override { Stop(); }

  absl::Status Build() {
    // Its threads would poll too (operator_call.h).
    grpc::EnableDefaultHealthCheckService(false);
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(wire::kMessageBytesMax);
    builder.SetMaxSendMessageSize(wire::kMessageBytesMax);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                               kCallsPerConnectionMax);
    builder.RegisterService(runtime_.service());
    builder.RegisterService(transfer_.service());
    operators_.Register(&builder);
    shared_->queue = builder.AddCompletionQueue();
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) {
      return core::MakeError(core::Reason::kInternal,
                             "gRPC server cannot be started");
    }
    return absl::OkStatus();
  }

  void Serve(std::vector<std::unique_ptr<Listener>> listeners) {
    for (const auto& listener : listeners) {
      shared_->listeners.push_back(listener->address());
    }
    runtime_.Serve(shared_);
    transfer_.Serve(shared_);
    operators_.Serve(shared_);
    poller_ = std::thread([this] { Poll(); });
    acceptor_ = std::make_unique<Acceptor>(
        std::move(listeners), [this](Listener::Connection connection) {
          const int fd = connection.socket.Release();
          shared_->peers.Record(fd, std::move(connection.peer));
          grpc::AddInsecureChannelFromFd(server_.get(), fd);
        });
  }

  const std::vector<std::string>& addresses() const override {
    return shared_->listeners;
  }

  void BeginShutdown() override { health_.StopServing(); }

  void Stop() override {
    BeginShutdown();
    acceptor_.reset();
    if (server_ == nullptr) return;
    server_->Shutdown(std::chrono::system_clock::now() + kStopGrace);
    shared_->pump.Stop();
    shared_->gate.Close();
    shared_->queue->Shutdown();
    if (poller_.joinable()) {
      poller_.join();
    } else {
      Poll();  // Serve was never called
    }
    operators_.Stop();
    server_.reset();
  }

 private:
  void Poll() {
    core::SetThreadSlice(core::kPromptSlice);
    void* tag = nullptr;
    bool ok = false;
    while (shared_->queue->Next(&tag, &ok)) {
      static_cast<CompletionTag*>(tag)->OnComplete(ok);
    }
  }

  const std::shared_ptr<RpcShared> shared_;
  RuntimeService runtime_;
  TransferService transfer_;
  HealthService health_;
  OperatorCalls operators_;
  std::unique_ptr<grpc::Server> server_;
  std::thread poller_;
  std::unique_ptr<Acceptor> acceptor_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Start(
    MachineHost& host, RpcServerOptions options) {
  std::vector<std::unique_ptr<Listener>> listeners;
  for (const ListenAddress& address : options.listen) {
    ASCEND_ASSIGN_OR_RETURN(auto listener,
                            Listener::Open(address, options.unix_mode));
    listeners.push_back(std::move(listener));
  }
  wire::KeepGrpcRunning();
  auto server = std::make_unique<GrpcServer>(host, std::move(options.identity));
  ASCEND_RETURN_IF_ERROR(server->Build());
  server->Serve(std::move(listeners));
  return server;
}

}  // namespace ascend::server
