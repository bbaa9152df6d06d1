// What operators' tools ask of the real daemon, by methods that every gRPC tool
// knows; and what is no method of it.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <signal.h>

#include <optional>
#include <string>
#include <vector>

#include "ascend/rtd/v1/admin.pb.h"
#include "gmock/gmock.h"
#include "grpc/health/v1/health.pb.h"
#include "grpc/reflection/v1alpha/reflection.pb.h"
#include "gtest/gtest.h"
#include "tests/integration/rpc/raw_session.h"
#include "tests/testing/daemon_process.h"

namespace ascend {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;
using testing::DaemonProcess;
using ::testing::HasSubstr;
using testing::RawCall;
using testing::RawSession;

constexpr char kCheck[] = "/grpc.health.v1.Health/Check";
constexpr char kWatch[] = "/grpc.health.v1.Health/Watch";
constexpr char kReflection[] =
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
constexpr char kOlderReflection[] =
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

// The next answer, which must be there.
template <typename Message>
Message Next(RawCall& call) {
  Message message;
  const std::optional<std::string> bytes = call.Receive();
  EXPECT_TRUE(bytes.has_value()) << "the call is over";
  EXPECT_TRUE(message.ParseFromString(bytes.value_or("")));
  return message;
}

TEST(Health, ChecksSayServing) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  for (const std::string& address :
       {daemon.unix_address(), daemon.tcp_address()}) {
    RawCall call(address, kCheck);
    ASSERT_TRUE(call.Send(""));
    call.SendNoMore();
    EXPECT_EQ(call.Receive(), "\x08\x01") << "field 1, status: SERVING";
    EXPECT_TRUE(call.Finish().ok());
  }
}

TEST(Health, OthersThanTheDaemonAreUnknown) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  HealthCheckRequest request;
  request.set_service("another");
  RawCall check(daemon.unix_address(), kCheck);
  ASSERT_TRUE(check.Send(request));
  const absl::Status status = check.Finish();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("another"));

  RawCall watch(daemon.unix_address(), kWatch);
  ASSERT_TRUE(watch.Send(request));
  EXPECT_EQ(Next<HealthCheckResponse>(watch).status(),
            HealthCheckResponse::SERVICE_UNKNOWN);
}

TEST(Health, WhoWatchesHearsOfTheEnd) {
  DaemonProcess daemon(ASCEND_TEST_DAEMON);
  RawSession session(daemon.unix_address());
  session.Start();  // the daemon waits for it
  RawCall watch(daemon.unix_address(), kWatch);
  ASSERT_TRUE(watch.Send(""));
  EXPECT_EQ(Next<HealthCheckResponse>(watch).status(),
            HealthCheckResponse::SERVING);
  ASSERT_EQ(::kill(daemon.pid(), SIGTERM), 0);
  EXPECT_EQ(Next<HealthCheckResponse>(watch).status(),
            HealthCheckResponse::NOT_SERVING);
}

TEST(Reflection, NamesTheServices) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  for (const char* const method : {kReflection, kOlderReflection}) {
    RawCall call(daemon.tcp_address(), method);
    ServerReflectionRequest request;
    request.set_list_services("");
    ASSERT_TRUE(call.Send(request));
    const auto response = Next<ServerReflectionResponse>(call);
    std::vector<std::string> names;
    for (const auto& service : response.list_services_response().service()) {
      names.push_back(service.name());
    }
    EXPECT_THAT(names, ::testing::UnorderedElementsAre(
                           "ascend.rtd.v1.Admin", "ascend.rtd.v1.Runtime",
                           "ascend.rtd.v1.Transfer", "grpc.health.v1.Health",
                           "grpc.reflection.v1alpha.ServerReflection"));
    call.SendNoMore();
    EXPECT_TRUE(call.Finish().ok());
  }
}

TEST(Reflection, EveryServiceIsDescribedWithAllItNeeds) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  RawCall call(daemon.unix_address(), kReflection);
  for (const char* const service :
       {"ascend.rtd.v1.Admin", "ascend.rtd.v1.Runtime",
        "ascend.rtd.v1.Transfer", "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection"}) {
    ServerReflectionRequest request;
    request.set_file_containing_symbol(service);
    ASSERT_TRUE(call.Send(request));
    const auto response = Next<ServerReflectionResponse>(call);
    EXPECT_EQ(response.original_request().file_containing_symbol(), service);
    // A pool takes a file only if it has what the file imports.
    google::protobuf::DescriptorPool pool;
    for (const std::string& bytes :
         response.file_descriptor_response().file_descriptor_proto()) {
      google::protobuf::FileDescriptorProto file;
      ASSERT_TRUE(file.ParseFromString(bytes));
      EXPECT_NE(pool.BuildFile(file), nullptr) << file.name();
    }
    EXPECT_NE(pool.FindServiceByName(service), nullptr) << service;
  }
}

TEST(Reflection, WhatIsNotThereIsSaid) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  RawCall call(daemon.unix_address(), kReflection);
  ServerReflectionRequest requests[5];
  requests[0].set_file_containing_symbol("no.Symbol");
  requests[1].set_file_by_filename("no.proto");
  requests[2].set_all_extension_numbers_of_type("no.Message");
  requests[3].mutable_file_containing_extension()->set_containing_type(
      "no.Message");
  for (const ServerReflectionRequest& request : requests) {
    ASSERT_TRUE(call.Send(request));
    const auto response = Next<ServerReflectionResponse>(call);
    const int code = response.error_response().error_code();
    if (&request == &requests[4]) {
      EXPECT_EQ(code, static_cast<int>(absl::StatusCode::kInvalidArgument));
    } else {
      EXPECT_EQ(code, static_cast<int>(absl::StatusCode::kNotFound));
      EXPECT_THAT(response.error_response().error_message(), HasSubstr("no."));
    }
  }
  call.SendNoMore();
  EXPECT_TRUE(call.Finish().ok());
}

TEST(Reflection, FilesAndExtensionsAreFound) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  RawCall call(daemon.unix_address(), kReflection);
  ServerReflectionRequest request;
  request.set_file_by_filename("ascend/rtd/v1/admin.proto");
  ASSERT_TRUE(call.Send(request));
  EXPECT_EQ(Next<ServerReflectionResponse>(call)
                .file_descriptor_response()
                .file_descriptor_proto_size(),
            2)
      << "admin.proto and device.proto";
  request.set_all_extension_numbers_of_type("ascend.rtd.v1.Device");
  ASSERT_TRUE(call.Send(request));
  const auto response = Next<ServerReflectionResponse>(call);
  EXPECT_EQ(response.all_extension_numbers_response().base_type_name(),
            "ascend.rtd.v1.Device");
}

TEST(Operator, WhatIsNoMethodIsUnimplemented) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  for (const bool asks : {true, false}) {
    RawCall call(daemon.unix_address(), "/ascend.rtd.v1.Admin/Nothing");
    if (asks) {
      ASSERT_TRUE(call.Send(""));
    }
    call.SendNoMore();
    const absl::Status status = call.Finish();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("Admin/Nothing"));
  }
}

TEST(Operator, WhatIsNoRequestIsRefused) {
  const DaemonProcess daemon(ASCEND_TEST_DAEMON);
  for (const char* const method :
       {"/ascend.rtd.v1.Admin/GetTrace", kCheck, kWatch, kReflection}) {
    RawCall call(daemon.unix_address(), method);
    ASSERT_TRUE(call.Send("\xff"));
    const absl::Status status = call.Finish();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("the request is no "));
  }
  RawCall call(daemon.unix_address(), "/ascend.rtd.v1.Admin/GetTrace");
  ascend::rtd::v1::GetTraceRequest request;
  request.set_from_ns(2);
  request.set_to_ns(1);
  ASSERT_TRUE(call.Send(request));
  EXPECT_EQ(call.Finish().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace ascend
