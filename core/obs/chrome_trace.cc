#include "core/obs/chrome_trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/obs/trace_lanes.h"
#include "core/obs/trace_text.h"

namespace ascend::core {
namespace {

constexpr size_t kChunkBytes = 256 * 1024;
// Numbers of processes: devices from 1 on, sessions from their id on.
constexpr uint64_t kFirstDeviceProcess = 1;
constexpr uint64_t kFirstSessionProcess = 1000;
// Of threads in a session's process.
constexpr uint64_t kSubmissionThread = 1;
constexpr uint64_t kFirstLaneThread = 2;
// A submission takes no time of a device; it is drawn so long, or until the
// next one.
constexpr Tick kSubmissionTicks = Microseconds(1);

absl::string_view Category(TraceKind kind) {
  switch (kind) {
    case TraceKind::kKernel:
      return "kernel";
    case TraceKind::kCopy:
      return "copy";
    case TraceKind::kFill:
      return "memset";
    case TraceKind::kSignal:
      return "signal";
    case TraceKind::kHost:
      return "host function";
  }
  return "";
}

// Where an event is drawn.
struct Track {
  uint64_t process = 0;
  uint64_t thread = 0;
};

class Writer {
 public:
  Writer(const Trace& trace, const TraceWindow& window, TraceSink sink)
      : trace_(trace), window_(window), sink_(sink) {}

  bool Write() {
    Append(
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"simulated\",",
        "\"dropped_tasks\":", trace_.dropped_span_count,
        ",\"dropped_samples\":", trace_.dropped_sample_count,
        "},\n\"traceEvents\":[\n");
    for (const SessionLanes& session : ArrangeLanes(trace_, window_)) {
      WriteSession(session);
      if (is_stopped_) return false;
    }
    for (size_t i = 0; i < trace_.devices.size(); ++i) NameDevice(i);
    WriteSamples();
    WriteDropped();
    Append("\n]}\n");
    Flush();
    return !is_stopped_;
  }

 private:
  template <typename... Parts>
  void Append(const Parts&... parts) {
    absl::StrAppend(&out_, parts...);
  }

  void Flush() {
    is_stopped_ = is_stopped_ || !sink_(out_);
    out_.clear();
  }

  // What all events begin with; ends behind "name".
  void BeginEvent(absl::string_view phase, const Track& track,
                  absl::string_view name) {
    if (out_.size() > kChunkBytes) Flush();
    if (has_event_) Append(",\n");
    has_event_ = true;
    Append("{\"ph\":\"", phase, "\",\"pid\":", track.process,
           ",\"tid\":", track.thread, ",\"name\":");
    AppendJsonString(name, &out_);
  }

  void AppendTime(absl::string_view key, Tick tick) {
    Append(",\"", key, "\":");
    AppendMicroseconds(tick, &out_);
  }

  void Name(absl::string_view what, const Track& track,
            absl::string_view name) {
    BeginEvent("M", track, what);
    Append(",\"args\":{\"name\":");
    AppendJsonString(name, &out_);
    Append("}}");
  }

  void Order(absl::string_view what, const Track& track, uint64_t place) {
    BeginEvent("M", track, what);
    Append(",\"args\":{\"sort_index\":", place, "}}");
  }

  void NameThread(const Track& track, absl::string_view name) {
    Name("thread_name", track, name);
    Order("thread_sort_index", track, track.thread);
  }

  void WriteSession(const SessionLanes& session) {
    const uint64_t process = kFirstSessionProcess + session.session.value();
    const Track self{process, 0};
    std::string name = SessionTitle(session);
    if (!session.name.empty()) absl::StrAppend(&name, ": ", session.name);
    if (session.rank != TraceSpan::kNoRank) {
      absl::StrAppend(&name, " (session ", session.session.value(), ")");
    }
    Name("process_name", self, name);
    Order("process_sort_index", self, next_place_++);
    NameThread({process, kSubmissionThread}, "submissions");
    flows_.clear();
    for (size_t i = 0; i < session.lanes.size(); ++i) {
      const Track track{process, kFirstLaneThread + i};
      NameThread(track, LaneTitle(session.lanes[i]));
      for (const size_t span : session.lanes[i].spans) {
        WriteSpan(track, trace_.spans[span]);
        if (is_stopped_) return;
      }
    }
    WriteSubmissions({process, kSubmissionThread});
  }

  void WriteSpan(const Track& track, const TraceSpan& span) {
    if (span.begin_tick() < span.start_tick) {
      BeginEvent("X", track, "queued");
      Append(",\"cat\":\"queue\"");
      AppendTime("ts", span.begin_tick());
      AppendTime("dur", span.start_tick - span.begin_tick());
      Append("}");
    }
    BeginEvent("X", track, span.label);
    Append(",\"cat\":\"", Category(span.kind), "\"");
    AppendTime("ts", span.start_tick);
    AppendTime("dur", span.end_tick - span.start_tick);
    Append(",\"args\":{\"device\":", span.device.value(),
           ",\"task\":", span.value);
    AppendTime("submitted_us", span.admit_tick);
    AppendTime("queued_us", span.start_tick - span.begin_tick());
    AppendUnless0("cube_units", span.units.cube);
    AppendUnless0("aiv_units", span.units.aiv);
    AppendUnless0("dma_units", span.units.dma);
    AppendUnless0("bytes", span.bytes);
    Append("}}");
    if (span.end_tick == span.start_tick) return;  // no slice to lead to
    flows_.push_back({span.admit_tick, next_flow_, span.label});
    WriteFlow("f", track, span.start_tick, next_flow_++);
  }

  void AppendUnless0(absl::string_view key, uint64_t value) {
    if (value != 0) Append(",\"", key, "\":", value);
  }

  // "s": begins here, "f": ends here, both in the slice at that time.
  void WriteFlow(absl::string_view phase, const Track& track, Tick tick,
                 uint64_t flow) {
    BeginEvent(phase, track, "submission");
    Append(",\"cat\":\"submission\",\"id\":", flow);
    if (phase == "f") Append(",\"bp\":\"e\"");
    AppendTime("ts", tick);
    Append("}");
  }

  // One slice for all that was submitted at one tick.
  void WriteSubmissions(const Track& track) {
    std::stable_sort(
        flows_.begin(), flows_.end(),
        [](const Flow& a, const Flow& b) { return a.tick < b.tick; });
    for (size_t i = 0; i < flows_.size() && !is_stopped_;) {
      const Tick tick = flows_[i].tick;
      size_t end = i + 1;
      while (end < flows_.size() && flows_[end].tick == tick) ++end;
      BeginEvent("X", track,
                 end == i + 1 ? absl::StrCat("submit ", flows_[i].label)
                              : absl::StrCat("submit ", end - i, " tasks"));
      Append(",\"cat\":\"submission\"");
      AppendTime("ts", tick);
      AppendTime("dur",
                 end == flows_.size()
                     ? kSubmissionTicks
                     : std::min(kSubmissionTicks, flows_[end].tick - tick));
      Append("}");
      for (; i < end; ++i) WriteFlow("s", track, tick, flows_[i].id);
    }
  }

  void NameDevice(size_t i) {
    const Track self{kFirstDeviceProcess + i, 0};
    Name("process_name", self,
         absl::StrCat("device ", i, ": ", trace_.devices[i].name));
    Order("process_sort_index", self, next_place_++);
  }

  void WriteCounter(const TraceSample& sample, absl::string_view name,
                    double value) {
    BeginEvent("C", {kFirstDeviceProcess + sample.device.value(), 0}, name);
    AppendTime("ts", std::max(sample.tick, window_.from));
    Append(",\"args\":{\"value\":", value, "}}");
  }

  // Of a device: what changed since the last sample.
  void WriteSample(const TraceSample& sample, const TraceSample* last) {
    const auto write = [&](absl::string_view name, double value,
                           double last_value) {
      if (last == nullptr || value != last_value) {
        WriteCounter(sample, name, value);
      }
    };
    static constexpr TraceSample kNone;
    const TraceSample& before = last == nullptr ? kNone : *last;
    write("CUBE units held", sample.held.cube, before.held.cube);
    write("AIV units held", sample.held.aiv, before.held.aiv);
    write("DMA units held", sample.held.dma, before.held.dma);
    write("tasks waiting for units", sample.waiting_count,
          before.waiting_count);
    constexpr double kGiga = 1e9;
    write("HBM GB/s (kernels)", sample.hbm_bytes_per_second / kGiga,
          before.hbm_bytes_per_second / kGiga);
  }

  void WriteSamples() {
    // By device: what was written last, and what holds when the window begins.
    std::vector<const TraceSample*> last(trace_.devices.size(), nullptr);
    std::vector<const TraceSample*> at_begin = last;
    for (size_t i = 0; i < trace_.samples.size() && !is_stopped_; ++i) {
      const TraceSample& sample = trace_.samples[i];
      const size_t device = sample.device.value();
      if (sample.tick >= window_.to) break;
      if (sample.tick < window_.from) {
        at_begin[device] = &sample;
        continue;
      }
      if (const TraceSample* first = std::exchange(at_begin[device], nullptr)) {
        if (sample.tick > window_.from) {
          WriteSample(*first, nullptr);
          last[device] = first;
        }
      }
      WriteSample(sample, last[device]);
      last[device] = &sample;
    }
    for (const TraceSample* const sample : at_begin) {
      if (sample != nullptr) WriteSample(*sample, nullptr);
    }
  }

  // So that it is seen and not only in the metadata.
  void WriteDropped() {
    if (trace_.dropped_span_count == 0 || trace_.spans.size() == 0) return;
    BeginEvent("i", {kFirstDeviceProcess, 0},
               absl::StrCat(trace_.dropped_span_count,
                            " earlier tasks are not in this trace"));
    Append(",\"s\":\"g\"");
    AppendTime("ts", std::max(trace_.spans[0].start_tick, window_.from));
    Append("}");
  }

  struct Flow {
    Tick tick = 0;
    uint64_t id = 0;
    absl::string_view label;
  };

  const Trace& trace_;
  const TraceWindow window_;
  const TraceSink sink_;
  std::string out_;
  bool has_event_ = false;
  bool is_stopped_ = false;
  uint64_t next_place_ = 0;
  uint64_t next_flow_ = 1;
  std::vector<Flow> flows_;  // of the session that is being written
};

}  // namespace

bool WriteChromeTrace(const Trace& trace, const TraceWindow& window,
                      TraceSink sink) {
  return Writer(trace, window, sink).Write();
}

}  // namespace ascend::core
