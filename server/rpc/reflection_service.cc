#include "server/rpc/reflection_service.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "grpc/reflection/v1alpha/reflection.pb.h"

namespace ascend::server {
namespace {

namespace protobuf = ::google::protobuf;
using grpc::reflection::v1alpha::ServerReflectionRequest;
using grpc::reflection::v1alpha::ServerReflectionResponse;

const protobuf::DescriptorPool& Pool() {
  return *protobuf::DescriptorPool::generated_pool();
}

void SetError(absl::string_view what, const std::string& name,
              ServerReflectionResponse* response) {
  auto* const error = response->mutable_error_response();
  error->set_error_code(static_cast<int>(absl::StatusCode::kNotFound));
  error->set_error_message(
      absl::StrCat("ascend-rtd knows no ", what, " '", name, "'"));
}

// The file, and before it all that it needs.
void AddFile(const protobuf::FileDescriptor& file,
             std::set<const protobuf::FileDescriptor*>* added,
             ServerReflectionResponse* response) {
  if (!added->insert(&file).second) return;
  for (int i = 0; i < file.dependency_count(); ++i) {
    AddFile(*file.dependency(i), added, response);
  }
  protobuf::FileDescriptorProto proto;
  file.CopyTo(&proto);
  response->mutable_file_descriptor_response()->add_file_descriptor_proto(
      proto.SerializeAsString());
}

void SetFile(const protobuf::FileDescriptor* file, absl::string_view what,
             const std::string& name, ServerReflectionResponse* response) {
  if (file == nullptr) return SetError(what, name, response);
  std::set<const protobuf::FileDescriptor*> added;
  AddFile(*file, &added, response);
}

void SetExtensionNumbers(const std::string& type,
                         ServerReflectionResponse* response) {
  const protobuf::Descriptor* const message =
      Pool().FindMessageTypeByName(type);
  if (message == nullptr) return SetError("message", type, response);
  auto* const numbers = response->mutable_all_extension_numbers_response();
  numbers->set_base_type_name(type);
  std::vector<const protobuf::FieldDescriptor*> extensions;
  Pool().FindAllExtensions(message, &extensions);
  for (const protobuf::FieldDescriptor* const extension : extensions) {
    numbers->add_extension_number(extension->number());
  }
}

void SetFileOfExtension(
    const grpc::reflection::v1alpha::ExtensionRequest& request,
    ServerReflectionResponse* response) {
  const protobuf::Descriptor* const message =
      Pool().FindMessageTypeByName(request.containing_type());
  const protobuf::FieldDescriptor* const extension =
      message == nullptr
          ? nullptr
          : Pool().FindExtensionByNumber(message, request.extension_number());
  SetFile(
      extension == nullptr ? nullptr : extension->file(), "extension",
      absl::StrCat(request.containing_type(), ":", request.extension_number()),
      response);
}

void Describe(const ServerReflectionRequest& request,
              const std::vector<std::string>& services,
              ServerReflectionResponse* response) {
  switch (request.message_request_case()) {
    case ServerReflectionRequest::kListServices:
      for (const std::string& service : services) {
        response->mutable_list_services_response()->add_service()->set_name(
            service);
      }
      return;
    case ServerReflectionRequest::kFileByFilename:
      return SetFile(Pool().FindFileByName(request.file_by_filename()), "file",
                     request.file_by_filename(), response);
    case ServerReflectionRequest::kFileContainingSymbol:
      return SetFile(
          Pool().FindFileContainingSymbol(request.file_containing_symbol()),
          "symbol", request.file_containing_symbol(), response);
    case ServerReflectionRequest::kFileContainingExtension:
      return SetFileOfExtension(request.file_containing_extension(), response);
    case ServerReflectionRequest::kAllExtensionNumbersOfType:
      return SetExtensionNumbers(request.all_extension_numbers_of_type(),
                                 response);
    case ServerReflectionRequest::MESSAGE_REQUEST_NOT_SET:
      break;
  }
  auto* const error = response->mutable_error_response();
  error->set_error_code(static_cast<int>(absl::StatusCode::kInvalidArgument));
  error->set_error_message("the request asks for nothing");
}

}  // namespace

std::vector<OperatorMethod> ReflectionMethods(
    std::vector<std::string> services) {
  const auto answer = [services = std::move(services)](
                          const std::string& bytes,
                          const std::shared_ptr<OperatorReplies>& replies) {
    ServerReflectionRequest request;
    ASCEND_RETURN_IF_ERROR(ParseRequest(bytes, &request));
    ServerReflectionResponse response;
    response.set_valid_host(request.host());
    *response.mutable_original_request() = request;
    Describe(request, services, &response);
    replies->Send(response);
    return absl::OkStatus();
  };
  std::vector<OperatorMethod> methods;
  for (const absl::string_view version : {"v1", "v1alpha"}) {
    methods.push_back(
        {.path = absl::StrCat("/grpc.reflection.", version,
                              ".ServerReflection/ServerReflectionInfo"),
         .shape = OperatorMethod::Shape::kEachRequest,
         .answer = answer});
  }
  return methods;
}

}  // namespace ascend::server
