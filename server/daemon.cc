#include "server/daemon.h"

#include <poll.h>
#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#include "core/base/unique_fd.h"
#include "core/spec/device_spec.h"
#include "proto/malloc_policy.h"
#include "server/descriptor_limit.h"
#include "server/rpc/listener.h"
#include "server/rpc/rpc_server.h"
#include "server/session_log.h"
#include "server/soc_profile.h"
#include "server/trace_file.h"

namespace ascend::server {
namespace {

constexpr std::chrono::seconds kDrain{5};
// That --trace keeps.
constexpr uint32_t kTraceSpansMax = 1'000'000;

// Signals become readable events; threads that are started later never see
// them.
core::UniqueFd TakeSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return core::UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC));
}

// Turns of the machine log too, so no call may wait for standard error.
void StartLog(const std::string& level) {
  spdlog::init_thread_pool(/*q_size=*/1024, /*thread_count=*/1);
  auto logger = std::make_shared<spdlog::async_logger>(
      "ascend-rtd", std::make_shared<spdlog::sinks::stderr_sink_mt>(),
      spdlog::thread_pool(), spdlog::async_overflow_policy::overrun_oldest);
  logger->set_pattern("%Y-%m-%d %H:%M:%S.%e ascend-rtd %l: %v");
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

std::string RandomDaemonId() {
  std::string bytes(8, '\0');
  (void)::getrandom(bytes.data(), bytes.size(), 0);
  return absl::BytesToHexString(bytes);
}

void SayReady(int fd, const std::vector<std::string>& addresses) {
  const std::string line = absl::StrCat(absl::StrJoin(addresses, ","), "\n");
  // A parent that no longer listens is the lifeline's matter.
  (void)!::write(fd, line.data(), line.size());
  ::close(fd);
}

// Returns when a signal has come or the lifeline has ended; says why.
std::string WaitForEnd(int signals, int lifeline) {
  pollfd polled[] = {{.fd = signals, .events = POLLIN},
                     {.fd = lifeline, .events = POLLIN}};
  while (true) {
    // A negative descriptor is ignored by poll.
    if (::poll(polled, std::size(polled), -1) < 0) {
      if (errno == EINTR) continue;
      return "poll fails";
    }
    if (polled[0].revents != 0) {
      signalfd_siginfo info{};
      (void)!::read(signals, &info, sizeof(info));
      return absl::StrCat("signal ", info.ssi_signo);
    }
    if (polled[1].revents != 0) {
      char unused[64];
      const ssize_t got = ::read(lifeline, unused, sizeof(unused));
      if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
        return "the end of the lifeline";
      }
    }
  }
}

absl::StatusOr<RpcServerOptions> RpcOptionsOf(const DaemonOptions& options) {
  RpcServerOptions out{.unix_mode = options.socket_mode,
                       .identity = {.version = ASCEND_RTD_VERSION,
                                    .daemon_id = RandomDaemonId(),
                                    .clock_mode = options.clock.name}};
  for (const std::string& text : options.listen) {
    ASCEND_ASSIGN_OR_RETURN(ListenAddress address, ParseListenAddress(text));
    out.listen.push_back(std::move(address));
  }
  return out;
}

std::vector<core::DeviceScheduling> SchedulingOf(const DaemonOptions& options) {
  std::vector<core::DeviceScheduling> out(options.devices);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].policy = options.policies[options.policies.size() == 1 ? 0 : i];
    if (options.holds.empty()) continue;
    out[i].hold = options.holds[options.holds.size() == 1 ? 0 : i];
  }
  return out;
}

MachineHostOptions HostOptionsOf(const DaemonOptions& options,
                                 core::DeviceSpec spec,
                                 SessionLog& session_log) {
  MachineHostOptions out;
  out.machine.spec = std::move(spec);
  out.machine.device_count = options.devices;
  out.machine.scheduling = SchedulingOf(options);
  out.machine.policy_options = options.policy_options;
  out.machine.seed = options.seed;
  out.machine.rank_weights = options.rank_weights;
  out.machine.waits_for_jobs = options.clock.waits_for_jobs;
  out.clock = options.clock;
  out.record_path = options.record;
  out.kernel_time_limit = std::chrono::seconds(options.kernel_timeout_s);
  out.hbm_quota_per_session_bytes = options.hbm_quota_per_session_bytes;
  out.sessions_max = options.sessions_max;
  if (!options.trace_path.empty()) out.trace_spans_max = kTraceSpansMax;
  out.ignore_tickets_for_test = options.ignore_tickets_for_test;
  out.on_session_closed = [&session_log](const SessionSnapshot& session,
                                         const absl::Status& why) {
    session_log.Write(session, why);
  };
  return out;
}

// A disk that is full is no reason for the daemon to fail.
void LeaveTrace(const core::Trace& trace, TraceFile& file) {
  const absl::Status status = file.Write(trace);
  if (!status.ok()) {
    spdlog::error("{}", std::string(status.message()));
    return;
  }
  spdlog::info("wrote the trace of {} tasks to {}", trace.spans.size(),
               file.path());
  if (trace.dropped_span_count > 0) {
    spdlog::warn("{} earlier tasks are not in the trace, which has the last {}",
                 trace.dropped_span_count, kTraceSpansMax);
  }
}

// From a host to the end of the program's work. `trace_file` may be null.
absl::Status Serve(const DaemonOptions& options, core::DeviceSpec spec,
                   RpcServerOptions rpc_options, int signals,
                   const HostFactory& make_host, TraceFile* trace_file) {
  SessionLog session_log;
  const std::string profile = spec.profile;
  ASCEND_ASSIGN_OR_RETURN(
      std::unique_ptr<MachineHost> host,
      make_host(HostOptionsOf(options, std::move(spec), session_log)));
  ASCEND_ASSIGN_OR_RETURN(std::unique_ptr<RpcServer> rpc,
                          RpcServer::Start(*host, std::move(rpc_options)));
  for (const std::string& address : rpc->addresses()) {
    spdlog::info("version {} with {} devices ({}) listens at {}",
                 ASCEND_RTD_VERSION, options.devices, profile, address);
  }
  if (options.ready_fd >= 0) SayReady(options.ready_fd, rpc->addresses());
  const std::string why = WaitForEnd(signals, options.lifeline_fd);
  spdlog::info("ends on {}; open sessions have {} s", why, kDrain.count());
  rpc->BeginShutdown();
  host->Shutdown(std::chrono::steady_clock::now() + kDrain);
  rpc->Stop();
  if (trace_file != nullptr) {
    const std::optional<core::Trace> trace = host->GetTrace();
    if (trace.has_value()) LeaveTrace(*trace, *trace_file);
  }
  return absl::OkStatus();
}

// The program that made the directory for its own daemon may be gone.
void RemoveEmptyDirectories(const std::vector<std::string>& addresses) {
  for (absl::string_view path : addresses) {
    if (!absl::ConsumePrefix(&path, "unix:")) continue;
    const size_t slash = path.rfind('/');
    if (slash == path.npos || slash == 0) continue;
    (void)::rmdir(std::string(path.substr(0, slash)).c_str());
  }
}

int Fail(const absl::Status& status, int code) {
  std::fprintf(stderr, "ascend-rtd: %s\n",
               std::string(status.message()).c_str());
  return code;
}

}  // namespace

int RunDaemon(int argc, const char* const* argv, const HostFactory& make_host) {
  const absl::StatusOr<DaemonOptions> options =
      ParseOptions(std::span(argv, static_cast<size_t>(argc)).subspan(1));
  if (!options.ok()) return Fail(options.status(), 2);
  if (options->help || options->version) {
    const std::string text = options->help ? std::string(OptionsHelp())
                                           : "ascend-rtd " ASCEND_RTD_VERSION
                                             "\n";
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  absl::StatusOr<RpcServerOptions> rpc_options = RpcOptionsOf(*options);
  if (!rpc_options.ok()) return Fail(rpc_options.status(), 2);
  absl::StatusOr<core::DeviceSpec> spec = LoadSocProfile(options->soc);
  if (!spec.ok()) return Fail(spec.status(), 2);
  std::optional<TraceFile> trace_file;
  if (!options->trace_path.empty()) {
    absl::StatusOr<TraceFile> opened = TraceFile::Open(options->trace_path);
    if (!opened.ok()) return Fail(opened.status(), 2);
    trace_file = *std::move(opened);
  }

  const core::UniqueFd signals = TakeSignals();
  wire::KeepFreedMemory();
  RaiseDescriptorLimit();
  StartLog(options->log_level);
  const absl::Status status =
      Serve(*options, *std::move(spec), *std::move(rpc_options), signals.get(),
            make_host, trace_file.has_value() ? &*trace_file : nullptr);
  if (options->lifeline_fd >= 0) RemoveEmptyDirectories(options->listen);
  spdlog::shutdown();  // writes what is left
  return status.ok() ? 0 : Fail(status, 1);
}

}  // namespace ascend::server
