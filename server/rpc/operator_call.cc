#include "server/rpc/operator_call.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/rpc/bidi_call.h"
#include "server/rpc/operator_threads.h"
#include "server/rpc/rpc_shared.h"

namespace ascend::server {
namespace {

// Of answers that a client has not read yet, beyond which Send waits.
constexpr size_t kPendingBytesMax = 4 * 1024 * 1024;

std::string BytesOf(const grpc::ByteBuffer& message) {
  std::string bytes;
  std::vector<grpc::Slice> slices;
  if (!message.Dump(&slices).ok()) return bytes;
  bytes.reserve(message.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

}  // namespace

absl::Status ParseRequest(const std::string& bytes,
                          google::protobuf::MessageLite* request) {
  if (request->ParseFromString(bytes)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the request is no ", request->GetTypeName()));
}

namespace {

// What all calls share.
struct Operators {
  const OperatorMethod* Find(absl::string_view path) const {
    const auto method =
        std::find_if(methods.begin(), methods.end(),
                     [path](const auto& one) { return path == one.path; });
    return method == methods.end() ? nullptr : &*method;
  }

  const std::vector<OperatorMethod> methods;
  grpc::AsyncGenericService service;
  OperatorThreads threads;
};

class OperatorCall final : public BidiCall, public OperatorReplies {
 public:
  OperatorCall(Operators& operators, std::shared_ptr<RpcShared> shared)
      : BidiCall(std::move(shared)), operators_(operators) {}

  bool Send(const google::protobuf::MessageLite& message) override {
    std::string bytes = message.SerializeAsString();
    {
      core::MutexLock lock(mutex_);
      while (pending_bytes_ > kPendingBytesMax && !is_gone_) {
        changed_.Wait(mutex_);
      }
      if (is_gone_) return false;
      pending_bytes_ += bytes.size();
      pending_.push_back(std::move(bytes));
    }
    Advance();
    return true;
  }

 private:
  // --- BidiCall -------------------------------------------------------------

  void RequestCall(grpc::GenericServerContext* context, Stream* stream,
                   grpc::ServerCompletionQueue* queue, void* tag) override {
    operators_.service.RequestCall(context, stream, queue, queue, tag);
  }

  std::shared_ptr<BidiCall> MakeNext() override {
    return std::make_shared<OperatorCall>(operators_, shared_ptr());
  }

  void OnMessage(grpc::ByteBuffer message) override {
    const OperatorMethod* const method = operators_.Find(context().method());
    if (method == nullptr) return FinishAfterWrites(OnNoMoreMessages());
    operators_.threads.Run(
        [this, keep = shared_from_this(), method, request = BytesOf(message)] {
          Answer(*method, request);
        });
  }

  absl::Status OnNoMoreMessages() override {
    if (operators_.Find(context().method()) != nullptr) return absl::OkStatus();
    return absl::UnimplementedError(
        absl::StrCat("ascend-rtd has no method ", context().method()));
  }

  bool TakeMessage(grpc::ByteBuffer* message) override {
    core::MutexLock lock(mutex_);
    if (pending_.empty()) return false;
    const grpc::Slice slice(pending_.front());
    pending_bytes_ -= pending_.front().size();
    pending_.pop_front();
    changed_.NotifyAll();
    *message = grpc::ByteBuffer(&slice, 1);
    return true;
  }

  void OnGone() override {
    core::MutexLock lock(mutex_);
    is_gone_ = true;
    changed_.NotifyAll();
  }

  // --- The thread that answers ----------------------------------------------

  void Answer(const OperatorMethod& method, const std::string& request) {
    const absl::Status status = method.answer(
        request, std::static_pointer_cast<OperatorCall>(shared_from_this()));
    if (!status.ok() || method.shape == OperatorMethod::Shape::kOneRequest) {
      FinishAfterWrites(status);
    } else if (method.shape == OperatorMethod::Shape::kEachRequest) {
      ArmRead();
      Advance();
    }
  }

  Operators& operators_;
  core::Mutex mutex_;
  core::CondVar changed_;
  std::deque<std::string> pending_ ABSL_GUARDED_BY(mutex_);
  size_t pending_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_gone_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

class OperatorCalls::Impl {
 public:
  Operators operators;
};

OperatorCalls::OperatorCalls(std::vector<OperatorMethod> methods)
    : impl_(new Impl{.operators = {.methods = std::move(methods)}}) {}

OperatorCalls::~OperatorCalls() = default;

void OperatorCalls::Register(grpc::ServerBuilder* builder) {
  builder->RegisterAsyncGenericService(&impl_->operators.service);
}

void OperatorCalls::Serve(std::shared_ptr<RpcShared> shared) {
  std::make_shared<OperatorCall>(impl_->operators, std::move(shared))->Start();
}

void OperatorCalls::Stop() { impl_->operators.threads.Stop(); }

}  // namespace ascend::server
