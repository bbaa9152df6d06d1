// ascend-rtctl: what operators ask of a daemon. Uses the admin service and
// nothing else.
#include <google/protobuf/util/json_util.h>
#include <grpcpp/client_context.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "ascend/rtd/v1/admin.grpc.pb.h"
#include "ascend/rtd/v1/admin.pb.h"
#include "client/cli/table.h"
#include "client/grpc/channel.h"
#include "client/grpc/dial.h"
#include "core/base/error.h"
#include "core/base/status_macros.h"
#include "proto/wire.h"

namespace ascend::client {
namespace {

namespace pb = ::ascend::rtd::v1;

constexpr char kHelp[] = R"(ascend-rtctl: asks a running ascend-rtd.

usage: ascend-rtctl [--address ADDRESS] [--json] info|sessions
       ascend-rtctl [--address ADDRESS] trace [--from-us N] [--to-us N] FILE

  info                the daemon, its devices and what they have done
  sessions            the attached processes and what they hold and used
  trace               writes to FILE what ran when, of a daemon that was started
                      with --trace: a picture if FILE ends in .svg, else JSON
                      for ui.perfetto.dev
  --from-us N         of the trace only what is after so many microseconds of
  --to-us N           simulated time, or before
  --address ADDRESS   unix:PATH or HOST:PORT (ASCEND_RTD_ADDRESS, else
                      unix:/run/ascend-rtd/ascend-rtd.sock)
  --json              the reply of admin.proto as JSON; numbers of 64 bits are
                      strings, as JSON of protobuf has them
  --help              print this and exit

Times of kernels, copies and units are simulated, ages are not.
Exit code: 0 it answered, 1 it did not, 2 wrong usage.

examples:
  ascend-rtctl info
  ascend-rtctl --address 127.0.0.1:7700 sessions
  ascend-rtctl trace --from-us 12000 --to-us 13500 step.svg
  ascend-rtctl sessions --json | jq '.sessions[] | {program, hbm_used_bytes}'
)";

struct Arguments {
  std::string address;
  std::string question;
  std::string file;     // of the question "trace"
  int64_t from_us = 0;  // simulated
  int64_t to_us = 0;    // 0: to the end
  bool json = false;
  bool help = false;
};

absl::Status ParseMicroseconds(absl::string_view flag, absl::string_view value,
                               int64_t* out) {
  constexpr int64_t kMax = 9'000'000'000'000;  // more than a Tick can hold
  if (absl::SimpleAtoi(value, out) && *out >= 0 && *out <= kMax) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      flag, " is '", value, "', which is no whole number of microseconds"));
}

bool IsQuestion(absl::string_view word) {
  return word == "info" || word == "sessions" || word == "trace";
}

// That together they make sense.
absl::Status Check(const Arguments& arguments) {
  if (arguments.help) return absl::OkStatus();
  if (arguments.question.empty()) {
    return absl::InvalidArgumentError(
        "it is not said what to ask: info, sessions or trace; see --help");
  }
  const bool is_trace = arguments.question == "trace";
  if (is_trace && arguments.file.empty()) {
    return absl::InvalidArgumentError(
        "trace lacks the FILE to write, such as run.json or run.svg");
  }
  if (!is_trace && (arguments.from_us != 0 || arguments.to_us != 0)) {
    return absl::InvalidArgumentError(
        "--from-us and --to-us belong to trace; see --help");
  }
  if (arguments.to_us != 0 && arguments.to_us <= arguments.from_us) {
    return absl::InvalidArgumentError(
        absl::StrCat("--to-us is ", arguments.to_us,
                     ", which is not after --from-us, ", arguments.from_us));
  }
  return absl::OkStatus();
}

absl::StatusOr<Arguments> Parse(std::span<const char* const> arguments) {
  Arguments out;
  const char* from_environment = std::getenv("ASCEND_RTD_ADDRESS");
  out.address = from_environment != nullptr && *from_environment != '\0'
                    ? from_environment
                    : wire::kDefaultAddress;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::string_view argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      out.help = true;
    } else if (argument == "--json") {
      out.json = true;
    } else if (absl::ConsumePrefix(&argument, "--address=")) {
      out.address = std::string(argument);
    } else if (argument == "--address" && i + 1 < arguments.size()) {
      out.address = arguments[++i];
    } else if ((argument == "--from-us" || argument == "--to-us") &&
               i + 1 < arguments.size()) {
      ASCEND_RETURN_IF_ERROR(ParseMicroseconds(
          argument, arguments[++i],
          argument == "--from-us" ? &out.from_us : &out.to_us));
    } else if (IsQuestion(argument) && out.question.empty()) {
      out.question = std::string(argument);
    } else if (out.question == "trace" && out.file.empty() &&
               !absl::StartsWith(argument, "-")) {
      out.file = std::string(argument);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "argument '", argument, "' is not understood; see --help"));
    }
  }
  ASCEND_RETURN_IF_ERROR(Check(out));
  return out;
}

std::string UnitsText(uint32_t held, uint32_t all) {
  return absl::StrCat(held, "/", all);
}

std::string InfoText(const pb::GetInfoReply& info) {
  std::string out = absl::StrCat(
      "ascend-rtd ", info.version(), ", id ", info.daemon_id(), ", pid ",
      info.pid(), ", up ", FormatNanoseconds(info.uptime_ns()), "\nlistens at ",
      absl::StrJoin(info.listeners(), ", "), "\nclock ", info.clock_mode(),
      ", device time ", FormatNanoseconds(info.device_clock_ns()), ", policy ",
      info.policy(), ", hold ", info.hold(), ", HBM quota per session ",
      info.hbm_quota_per_session_bytes() == 0
          ? "none"
          : FormatBytes(info.hbm_quota_per_session_bytes()),
      "\n", info.session_count(), " sessions open, ", info.sessions_opened(),
      " since start, ", info.protocol_violations(),
      " ended for breaking the protocol\n\n");
  std::vector<std::vector<std::string>> rows{
      {"device", "profile", "HBM used", "of", "quarantined", "CUBE", "AIV",
       "DMA", "waiting", "CUBE time", "AIV time", "DMA time"}};
  for (const pb::DeviceStatus& status : info.devices()) {
    const pb::Device& device = status.device();
    rows.push_back({absl::StrCat(rows.size() - 1), device.profile(),
                    FormatBytes(status.hbm_used_bytes()),
                    FormatBytes(device.hbm_bytes()),
                    FormatBytes(status.hbm_quarantined_bytes()),
                    UnitsText(status.cube_units_held(), device.cube_units()),
                    UnitsText(status.aiv_units_held(), device.aiv_units()),
                    UnitsText(status.dma_units_held(), device.dma_units()),
                    absl::StrCat(status.tasks_waiting()),
                    FormatNanoseconds(status.cube_unit_ns()),
                    FormatNanoseconds(status.aiv_unit_ns()),
                    FormatNanoseconds(status.dma_unit_ns())});
  }
  return out + FormatTable(rows);
}

std::string PeerText(const pb::Peer& peer) {
  return peer.transport() == "unix" ? absl::StrCat("uid ", peer.uid())
                                    : peer.address();
}

std::string SessionsText(const pb::ListSessionsReply& reply) {
  std::vector<std::vector<std::string>> rows{
      {"session", "program", "pid", "peer", "age", "streams", "events",
       "HBM used", "HBM peak", "kernels", "kernel time", "copies", "copied",
       "copy time", "pending"}};
  for (const pb::Session& session : reply.sessions()) {
    rows.push_back({absl::StrCat(session.id()), session.program(),
                    absl::StrCat(session.peer().pid()),
                    PeerText(session.peer()),
                    FormatNanoseconds(session.age_ns()),
                    absl::StrCat(session.stream_count()),
                    absl::StrCat(session.event_count()),
                    FormatBytes(session.hbm_used_bytes()),
                    FormatBytes(session.hbm_peak_bytes()),
                    absl::StrCat(session.kernel_count()),
                    FormatNanoseconds(session.kernel_ns()),
                    absl::StrCat(session.copy_count()),
                    FormatBytes(session.copied_bytes()),
                    FormatNanoseconds(session.copy_ns()),
                    absl::StrCat(session.tasks_pending())});
  }
  return FormatTable(rows);
}

std::string Json(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string out;
  // Our own messages always have a JSON form.
  (void)google::protobuf::util::MessageToJsonString(message, &out, options);
  return out;
}

absl::Status CannotWrite(const std::string& path) {
  return absl::InternalError(absl::StrCat(
      "the file '", path, "' cannot be written: ", std::strerror(errno)));
}

// A trace may take long to come; it is given up when the daemon goes away.
absl::StatusOr<std::string> SaveTrace(const Arguments& arguments,
                                      pb::Admin::Stub& stub) {
  pb::GetTraceRequest request;
  request.set_format(absl::EndsWith(arguments.file, ".svg")
                         ? pb::GetTraceRequest::FORMAT_SVG
                         : pb::GetTraceRequest::FORMAT_JSON);
  request.set_from_ns(arguments.from_us * 1000);
  request.set_to_ns(arguments.to_us * 1000);
  grpc::ClientContext context;
  const auto reader = stub.GetTrace(&context, request);
  // Opened late: a question that is refused leaves no empty file.
  std::FILE* file = nullptr;
  uint64_t bytes = 0;
  bool is_written = true;
  pb::GetTraceReply reply;
  while (is_written && reader->Read(&reply)) {
    if (file == nullptr) file = std::fopen(arguments.file.c_str(), "we");
    is_written = file != nullptr &&
                 std::fwrite(reply.data().data(), 1, reply.data().size(),
                             file) == reply.data().size();
    bytes += reply.data().size();
  }
  absl::Status result;
  if (!is_written) {
    result = CannotWrite(arguments.file);
    context.TryCancel();
  }
  if (file != nullptr && std::fclose(file) != 0 && result.ok()) {
    result = CannotWrite(arguments.file);
  }
  const grpc::Status status = reader->Finish();
  ASCEND_RETURN_IF_ERROR(result);
  if (status.ok()) {
    return absl::StrCat("wrote ", FormatBytes(bytes), " to ", arguments.file,
                        "\n");
  }
  if (status.error_code() == grpc::StatusCode::FAILED_PRECONDITION) {
    return absl::FailedPreconditionError(status.error_message());
  }
  return NoDaemonError(arguments.address, status.error_message());
}

absl::StatusOr<std::string> Ask(const Arguments& arguments) {
  ASCEND_ASSIGN_OR_RETURN(const DialedChannel dialed,
                          DialChannel(arguments.address));
  const auto stub = pb::Admin::NewStub(dialed.channel);
  if (arguments.question == "trace") return SaveTrace(arguments, *stub);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kAttachTimeout);
  grpc::Status status;
  std::string out;
  if (arguments.question == "info") {
    pb::GetInfoReply reply;
    status = stub->GetInfo(&context, pb::GetInfoRequest(), &reply);
    out = arguments.json ? Json(reply) : InfoText(reply);
  } else {
    pb::ListSessionsReply reply;
    status = stub->ListSessions(&context, pb::ListSessionsRequest(), &reply);
    out = arguments.json ? Json(reply) : SessionsText(reply);
  }
  if (status.ok()) return out;
  return NoDaemonError(arguments.address, status.error_message());
}

int Main(std::span<const char* const> arguments) {
  const absl::StatusOr<Arguments> parsed = Parse(arguments);
  if (!parsed.ok()) {
    std::fprintf(stderr, "ascend-rtctl: %s\n",
                 std::string(parsed.status().message()).c_str());
    return 2;
  }
  if (parsed->help) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  const absl::StatusOr<std::string> answer = Ask(*parsed);
  if (!answer.ok()) {
    std::fprintf(stderr, "ascend-rtctl: %s\n",
                 std::string(answer.status().message()).c_str());
    return 1;
  }
  std::fputs(answer->c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace ascend::client

int main(int argc, char** argv) {
  return ascend::client::Main(
      std::span<const char* const>(argv, static_cast<size_t>(argc)).subspan(1));
}
