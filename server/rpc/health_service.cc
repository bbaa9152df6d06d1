#include "server/rpc/health_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "grpc/health/v1/health.pb.h"

namespace ascend::server {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

HealthCheckResponse ResponseOf(bool is_serving) {
  HealthCheckResponse response;
  response.set_status(is_serving ? HealthCheckResponse::SERVING
                                 : HealthCheckResponse::NOT_SERVING);
  return response;
}

}  // namespace

std::vector<OperatorMethod> HealthService::methods() {
  using Shape = OperatorMethod::Shape;
  return {
      {.path = "/grpc.health.v1.Health/Check",
       .shape = Shape::kOneRequest,
       .answer =
           [this](const std::string& request, const Replies& replies) {
             return Check(request, replies);
           }},
      {.path = "/grpc.health.v1.Health/Watch",
       .shape = Shape::kStaysOpen,
       .answer = [this](const std::string& request, const Replies& replies) {
         return Watch(request, replies);
       }}};
}

void HealthService::StopServing() {
  std::vector<std::weak_ptr<OperatorReplies>> watchers;
  {
    core::MutexLock lock(mutex_);
    if (!std::exchange(is_serving_, false)) return;
    watchers.swap(watchers_);
  }
  for (const std::weak_ptr<OperatorReplies>& watcher : watchers) {
    if (const Replies replies = watcher.lock()) {
      replies->Send(ResponseOf(false));
    }
  }
}

absl::Status HealthService::Check(const std::string& bytes,
                                  const Replies& replies) {
  HealthCheckRequest request;
  ASCEND_RETURN_IF_ERROR(ParseRequest(bytes, &request));
  if (!request.service().empty()) {
    return absl::NotFoundError(
        absl::StrCat("ascend-rtd has no health of '", request.service(), "'"));
  }
  bool is_serving = false;
  {
    core::MutexLock lock(mutex_);
    is_serving = is_serving_;
  }
  replies->Send(ResponseOf(is_serving));
  return absl::OkStatus();
}

absl::Status HealthService::Watch(const std::string& bytes,
                                  const Replies& replies) {
  HealthCheckRequest request;
  ASCEND_RETURN_IF_ERROR(ParseRequest(bytes, &request));
  if (!request.service().empty()) {
    HealthCheckResponse unknown;
    unknown.set_status(HealthCheckResponse::SERVICE_UNKNOWN);
    replies->Send(unknown);
    return absl::OkStatus();
  }
  core::MutexLock lock(mutex_);
  std::erase_if(watchers_, [](const auto& one) { return one.expired(); });
  // One that is told NOT_SERVING has nothing more to hear.
  if (is_serving_) watchers_.push_back(replies);
  // Under the mutex, so that the change comes after it.
  replies->Send(ResponseOf(is_serving_));
  return absl::OkStatus();
}

}  // namespace ascend::server
