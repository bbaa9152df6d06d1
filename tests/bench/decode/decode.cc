#include "tests/bench/decode/decode.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "acl/acl.h"
#include "acl/ascend_rtd_ext.h"
#include "client/cli/table.h"
#include "tests/bench/decode/rank.h"
#include "tests/bench/ladder/program.h"
#include "tests/testing/child_program.h"
#include "tests/testing/daemon_process.h"

namespace ascend::decode {
namespace {

using nlohmann::json;

json ToJson(const Shape& s) {
  return {s.name,     s.layers,    s.hidden,       s.heads,
          s.kv_heads, s.head_size, s.feed_forward, s.vocabulary,
          s.ranks,    s.context,   s.rows,         s.host_us};
}

Shape ShapeOf(const json& in) {
  return {in[0], in[1], in[2], in[3], in[4],  in[5],
          in[6], in[7], in[8], in[9], in[10], in[11]};
}

// Tokens of `ends` up to `time`, with a share of the one that is under way.
double TokensAt(const std::vector<uint64_t>& ends, double time) {
  double begin = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    const auto end = static_cast<double>(ends[i]);
    if (end > time) {
      return static_cast<double>(i) + (time - begin) / (end - begin);
    }
    begin = end;
  }
  return static_cast<double>(ends.size());
}

struct Figures {
  std::vector<double> tokens_per_s;  // by stream
  double total = 0;
  double window_ms = 0;  // in which tokens are counted
  double kernels_per_wall_s = 0;
  json run;
  json info;  // of the daemon
};

// The window in which all streams are busy: from the first token of the last
// one to the last token of the first.
Figures Count(const std::vector<StreamResult>& streams) {
  double from = 0;
  double to = 1e300;
  for (const auto& [ends, wall_begin, wall_end] : streams) {
    from = std::max(from, static_cast<double>(ends.front()));
    to = std::min(to, static_cast<double>(ends.back()));
  }
  Figures figures;
  figures.window_ms = std::max(0.0, (to - from) / 1e9);
  for (const auto& [ends, wall_begin, wall_end] : streams) {
    const double tokens =
        to > from ? TokensAt(ends, to) - TokensAt(ends, from) : 0;
    figures.tokens_per_s.push_back(to > from ? tokens / ((to - from) / 1e12)
                                             : 0);
  }
  figures.total = std::accumulate(figures.tokens_per_s.begin(),
                                  figures.tokens_per_s.end(), 0.0);
  return figures;
}

// From the beginning of the first stream to the end of the last one.
double WallSeconds(const std::vector<StreamResult>& streams) {
  int64_t begin = streams.front().wall_begin_ns;
  int64_t end = 0;
  for (const StreamResult& stream : streams) {
    begin = std::min(begin, stream.wall_begin_ns);
    end = std::max(end, stream.wall_end_ns);
  }
  return static_cast<double>(end - begin) / 1e9;
}

json RankJson(const DecodeOptions& options, size_t process) {
  const auto begin = options.streams.begin();
  const auto here = begin + static_cast<std::ptrdiff_t>(process);
  return {{"shape", ToJson(options.shape)},
          {"tokens", options.tokens},
          {"streams", *here},
          {"first_rank", std::accumulate(begin, here, 0)},
          {"participants", std::accumulate(begin, options.streams.end(), 0)},
          {"executed", options.is_executed},
          {"seed", options.seed}};
}

std::vector<StreamResult> RunProcesses(const DecodeOptions& options,
                                       const std::string& self) {
  std::mt19937_64 random(std::random_device{}());
  std::vector<size_t> order(options.streams.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (options.delay_ms_max > 0) {
    std::shuffle(order.begin(), order.end(), random);
  }
  std::vector<std::unique_ptr<testing::ChildProgram>> children(order.size());
  for (const size_t process : order) {
    if (options.delay_ms_max > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(
          random() % static_cast<uint64_t>(options.delay_ms_max)));
    }
    children[process] =
        std::make_unique<testing::ChildProgram>(std::vector<std::string>{
            self, "role", "decode-rank", RankJson(options, process).dump()});
  }
  std::vector<StreamResult> streams;
  for (const auto& child : children) {
    const json out = json::parse(child->ReadLine(), nullptr, false);
    if (!out.is_array() || child->Wait() != 0) {
      std::fprintf(stderr, "ascend-rtd-bench: a decoding process fails\n");
      std::exit(1);
    }
    for (const json& stream : out) {
      streams.push_back({stream["token_ends"], stream["wall_begin_ns"],
                         stream["wall_end_ns"]});
    }
  }
  return streams;
}

json RunAndParse(const std::vector<std::string>& command) {
  const testing::ProgramResult result = testing::RunProgram(command);
  if (result.exit_code == 0) return json::parse(result.out);
  std::fprintf(stderr, "ascend-rtd-bench: %s fails: %s\n", command[0].c_str(),
               result.err.c_str());
  std::exit(1);
}

// Whether the daemon knows all of `flags`; it says itself which one it does
// not.
bool TakesFlags(const std::vector<std::string>& flags) {
  // Help comes first: behind a flag without its value it would be the value.
  std::vector<std::string> command = {LADDER_DAEMON, "--help"};
  command.insert(command.end(), flags.begin(), flags.end());
  const testing::ProgramResult result = testing::RunProgram(command);
  std::fputs(result.err.c_str(), stderr);
  return result.exit_code == 0;
}

// The published figures (timing model, section 1), for one rank of eight.
double PublishedFor(size_t streams) {
  switch (streams) {
    case 1:
      return 28;
    case 2:
      return 42;
    case 4:
      return 51;
    default:
      return 0;
  }
}

// 64-bit numbers are strings in the JSON of protobuf.
double NumberOf(const json& in, const char* key) {
  if (!in.contains(key)) return 0;
  const json& value = in[key];
  return value.is_string() ? std::atof(value.get<std::string>().c_str())
                           : value.get<double>();
}

double Use(const json& device, const char* busy_ns, const char* units,
           double span_ns) {
  return 100 * NumberOf(device, busy_ns) /
         (NumberOf(device["device"], units) * span_ns);
}

void Print(const DecodeOptions& options, const Figures& figures,
           double span_ns) {
  const json& info = figures.info;
  const json& device = info["devices"][0];
  std::printf(
      "%s: rank of %lld, %lld layers, %lld kernels and %.2f GB a token\n",
      options.shape.name.c_str(), static_cast<long long>(options.shape.ranks),
      static_cast<long long>(options.shape.layers),
      static_cast<long long>(options.shape.KernelsPerStep()),
      static_cast<double>(options.shape.WeightBytes() +
                          options.shape.CacheBytes()) /
          1e9);
  std::printf("device %s, policy %s, hold %s, clock %s\n\n",
              device["device"]["profile"].get<std::string>().c_str(),
              info["policy"].get<std::string>().c_str(),
              info["hold"].get<std::string>().c_str(),
              info["clock_mode"].get<std::string>().c_str());
  std::vector<std::vector<std::string>> rows = {
      {"stream", "tokens/s", "share"}};
  for (size_t i = 0; i < figures.tokens_per_s.size(); ++i) {
    rows.push_back({absl::StrCat(i),
                    absl::StrFormat("%.2f", figures.tokens_per_s[i]),
                    absl::StrFormat("%.1f %%", 100 * figures.tokens_per_s[i] /
                                                   figures.total)});
  }
  rows.push_back({"all", absl::StrFormat("%.2f", figures.total), ""});
  std::printf("%s\n", client::FormatTable(rows).c_str());
  const double published = PublishedFor(figures.tokens_per_s.size());
  if (published > 0 && options.shape.name == Shape().name) {
    std::printf("published for gang and fifo: %.0f tokens/s (%+.1f %%)\n",
                published, 100 * (figures.total / published - 1));
  }
  const double bytes_per_s =
      figures.total * static_cast<double>(options.shape.WeightBytes() +
                                          options.shape.CacheBytes());
  std::printf(
      "over all %.1f ms: CUBE %.1f %%, AIV %.1f %%, DMA %.1f %% held; memory "
      "%.0f GB/s while all decode\n",
      span_ns / 1e6, Use(device, "cube_unit_ns", "cube_units", span_ns),
      Use(device, "aiv_unit_ns", "aiv_units", span_ns),
      Use(device, "dma_unit_ns", "dma_units", span_ns), bytes_per_s / 1e9);
  std::printf(
      "%.2f million kernels per second of wall time\n"
      "trace hash %s of %llu tasks; late %llu, demoted %llu, evicted "
      "%llu%s\n",
      figures.kernels_per_wall_s / 1e6,
      figures.run["trace_hash"].get<std::string>().c_str(),
      figures.run["tasks"].get<unsigned long long>(),
      figures.run["late"].get<unsigned long long>(),
      figures.run["demoted"].get<unsigned long long>(),
      figures.run["evicted"].get<unsigned long long>(),
      figures.run["degraded"].get<unsigned long long>() == 0
          ? ""
          : ": the times depend on the speed of the host");
}

}  // namespace

int PlayDecodeRank(const std::string& text) {
  const json in = json::parse(text);
  RankOptions options;
  options.shape = ShapeOf(in["shape"]);
  options.tokens = in["tokens"];
  options.streams = in["streams"];
  options.first_rank = in["first_rank"];
  options.participants = in["participants"];
  options.is_executed = in["executed"];
  options.seed = in["seed"];
  json out = json::array();
  for (const StreamResult& result : RunRank(options)) {
    out.push_back({{"token_ends", result.token_ends},
                   {"wall_begin_ns", result.wall_begin_ns},
                   {"wall_end_ns", result.wall_end_ns}});
  }
  std::printf("%s\n", out.dump().c_str());
  return 0;
}

int PlayRunInfo() {
  ladder::Require(aclInit(nullptr), "aclInit");
  ascrtRunInfo info;
  ladder::Require(ascrtGetRunInfo(&info), "ascrtGetRunInfo");
  const json out = {
      {"trace_hash", absl::StrFormat("%016x", info.traceHash)},
      {"tasks", info.tasks},
      {"late", info.lateCalls},
      {"demoted", info.demotedLanes},
      {"evicted", info.evictedLanes},
      {"degraded", info.lateCalls + info.demotedLanes + info.evictedLanes}};
  std::printf("%s\n", out.dump().c_str());
  return 0;
}

int RunDecode(const DecodeOptions& options) {
  const absl::Status checked = CheckShape(options.shape);
  if (!checked.ok()) {
    std::fprintf(stderr, "ascend-rtd-bench: %s\n",
                 std::string(checked.message()).c_str());
    return 2;
  }
  std::vector<std::string> flags = {"--log-level=warn"};
  flags.insert(flags.end(), options.daemon_flags.begin(),
               options.daemon_flags.end());
  if (!TakesFlags(flags)) return 2;
  testing::DaemonProcess daemon(LADDER_DAEMON, flags);
  ::setenv("ASCEND_RTD_ADDRESS", daemon.unix_address().c_str(), 1);
  const std::string self = "/proc/self/exe";
  const std::vector<StreamResult> streams = RunProcesses(options, self);
  Figures figures = Count(streams);
  figures.kernels_per_wall_s =
      static_cast<double>(options.shape.KernelsPerStep()) * options.tokens *
      static_cast<double>(streams.size()) / WallSeconds(streams);
  figures.run = RunAndParse({self, "role", "run-info"});
  figures.info = RunAndParse({LADDER_RTCTL, "info", "--json"});
  // Not killed: it may have files to write, such as that of --trace.
  if (daemon.Terminate() != 0) {
    std::fprintf(stderr, "ascend-rtd-bench: the daemon fails at its end\n");
  }
  double span_ns = 0;
  for (const StreamResult& stream : streams) {
    span_ns =
        std::max(span_ns, static_cast<double>(stream.token_ends.back()) / 1e3);
  }
  Print(options, figures, span_ns);
  if (options.json.empty()) return 0;
  const json out = {{"total_tokens_per_s", figures.total},
                    {"tokens_per_s", figures.tokens_per_s},
                    {"window_ms", figures.window_ms},
                    {"trace_hash", figures.run["trace_hash"]},
                    {"tasks", figures.run["tasks"]},
                    {"kernels_per_wall_s", figures.kernels_per_wall_s},
                    {"degraded", figures.run["degraded"]}};
  if ((std::ofstream(options.json) << out.dump(2) << "\n").flush()) return 0;
  std::fprintf(stderr, "ascend-rtd-bench: %s cannot be written\n",
               options.json.c_str());
  return 1;
}

}  // namespace ascend::decode
