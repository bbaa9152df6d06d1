#include "core/obs/trace_log.h"

#include <utility>

namespace ascend::core {

TraceLog::TraceLog(std::vector<TraceDevice> devices, size_t spans_max,
                   size_t samples_max)
    : devices_(std::move(devices)), spans_(spans_max), samples_(samples_max) {}

void TraceLog::OpenSession(SessionId id, std::string name) {
  names_.insert_or_assign(id, std::move(name));
}

void TraceLog::CloseSession(SessionId id) {
  closed_.push_back({id, spans_.added()});
}

void TraceLog::Add(const TraceSpan& span) {
  if (!spans_.Add(span)) return;
  while (!closed_.empty() && closed_.front().spans_added <= spans_.dropped()) {
    names_.erase(closed_.front().id);
    closed_.pop_front();
  }
}

Trace TraceLog::Snapshot() const {
  Trace trace;
  trace.devices = devices_;
  for (const auto& [id, name] : names_) trace.sessions.push_back({id, name});
  trace.spans = spans_.Snapshot();
  trace.samples = samples_.Snapshot();
  trace.dropped_span_count = spans_.dropped();
  trace.dropped_sample_count = samples_.dropped();
  return trace;
}

}  // namespace ascend::core
