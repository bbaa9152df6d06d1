// ascend-rtctl: what operators ask of a daemon. Uses the admin service and
// nothing else.
#include <google/protobuf/util/json_util.h>
#include <grpcpp/client_context.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
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

  info                the daemon, its devices and what they have done
  sessions            the attached processes and what they hold and used
  --address ADDRESS   unix:PATH or HOST:PORT (ASCEND_RTD_ADDRESS, else
                      unix:/run/ascend-rtd/ascend-rtd.sock)
  --json              the reply of admin.proto as JSON; numbers of 64 bits are
                      strings, as JSON of protobuf has them
  --help              print this and exit

Times of kernels, copies and units are simulated, ages are not.
Exit code: 0 it answered, 1 no daemon answers, 2 wrong usage.

examples:
  ascend-rtctl info
  ascend-rtctl --address 127.0.0.1:7700 sessions
  ascend-rtctl sessions --json | jq '.sessions[] | {program, hbm_used_bytes}'
)";

struct Arguments {
  std::string address;
  std::string question;
  bool json = false;
  bool help = false;
};

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
    } else if ((argument == "info" || argument == "sessions") &&
               out.question.empty()) {
      out.question = std::string(argument);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "argument '", argument, "' is not understood; see --help"));
    }
  }
  if (out.question.empty() && !out.help) {
    return absl::InvalidArgumentError(
        "it is not said what to ask: info or sessions; see --help");
  }
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
      info.policy(), ", HBM quota per session ",
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

absl::StatusOr<std::string> Ask(const Arguments& arguments) {
  ASCEND_ASSIGN_OR_RETURN(const DialedChannel dialed,
                          DialChannel(arguments.address));
  const auto stub = pb::Admin::NewStub(dialed.channel);
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
