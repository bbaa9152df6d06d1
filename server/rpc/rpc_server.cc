#include "server/rpc/rpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>

#include <chrono>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "core/base/thread_slice.h"
#include "proto/grpc_lifetime.h"
#include "proto/wire.h"
#include "server/rpc/admin_service.h"
#include "server/rpc/bidi_call.h"
#include "server/rpc/rpc_shared.h"
#include "server/rpc/runtime_service.h"
#include "server/rpc/transfer_service.h"

namespace ascend::server {
namespace {

constexpr int kPollingThreads = 2;
// Our clients have one call on a connection.
constexpr int kCallsPerConnectionMax = 16;
// Of gRPC's own, for operators: reflection holds one for each of its calls.
constexpr int kOperatorThreadsMax = 32;
// For the last events of sessions that were just ended.
constexpr std::chrono::milliseconds kStopGrace{300};

class GrpcServer final : public RpcServer {
 public:
  GrpcServer(MachineHost& host, DaemonIdentity identity)
      : shared_(std::make_shared<RpcShared>(host, std::move(identity))),
        admin_(MakeAdminService(shared_)) {}

  ~GrpcServer() override { Stop(); }

  absl::Status Build() {
    grpc::EnableDefaultHealthCheckService(true);
    // Named here so that the linker keeps the library.
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(wire::kMessageBytesMax);
    builder.SetMaxSendMessageSize(wire::kMessageBytesMax);
    using SyncOption = grpc::ServerBuilder::SyncServerOption;
    builder.SetSyncServerOption(SyncOption::NUM_CQS, 1);
    builder.SetSyncServerOption(SyncOption::MIN_POLLERS, 1);
    builder.SetSyncServerOption(SyncOption::MAX_POLLERS, 2);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                               kCallsPerConnectionMax);
    grpc::ResourceQuota quota("ascend-rtd");
    quota.SetMaxThreads(kOperatorThreadsMax);
    builder.SetResourceQuota(quota);
    builder.RegisterService(runtime_.service());
    builder.RegisterService(transfer_.service());
    builder.RegisterService(admin_.get());
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
    for (int i = 0; i < kPollingThreads; ++i) {
      pollers_.emplace_back([this] { Poll(); });
    }
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

  void BeginShutdown() override {
    if (server_ != nullptr) {
      server_->GetHealthCheckService()->SetServingStatus(false);
    }
  }

  void Stop() override {
    BeginShutdown();
    acceptor_.reset();
    if (server_ == nullptr) return;
    server_->Shutdown(std::chrono::system_clock::now() + kStopGrace);
    shared_->pump.Stop();
    shared_->gate.Close();
    shared_->queue->Shutdown();
    if (pollers_.empty()) Poll();  // Serve was never called
    for (std::thread& poller : pollers_) poller.join();
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
  const std::unique_ptr<grpc::Service> admin_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::thread> pollers_;
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
