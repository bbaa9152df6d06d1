#include "client/runtime/leak_check.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/runtime/environment.h"

namespace ascend::client {
namespace {

std::string Counted(uint64_t count, const char* noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string Named(const char* kind, const void* handle, core::DeviceId device,
                  const char* end) {
  return absl::StrCat(kind, " 0x",
                      absl::Hex(reinterpret_cast<uintptr_t>(handle)),
                      " of device ", device.value(), end);
}

}  // namespace

LeakCheck::LeakCheck() : is_on_(IsSwitchedOn("ASCEND_RTD_LEAK_CHECK")) {}

void LeakCheck::Add(Kind& kind, std::string line) {
  ++kind.count;
  if (kind.lines.size() < kListedMax) kind.lines.push_back(std::move(line));
}

void LeakCheck::AddMemory(const Allocation& allocation) {
  memory_bytes_ += allocation.bytes;
  Add(memory_, absl::StrCat("memory 0x", absl::Hex(allocation.address),
                            " of device ", allocation.device.value(), ": ",
                            Counted(allocation.bytes, "byte")));
}

void LeakCheck::AddStream(const void* handle, core::DeviceId device,
                          const char* end) {
  Add(streams_, Named("stream", handle, device, end));
}

void LeakCheck::AddEvent(const void* handle, core::DeviceId device,
                         const char* end) {
  Add(events_, Named("event", handle, device, end));
}

std::string LeakCheck::TakeReport() {
  if (memory_.count + streams_.count + events_.count == 0) return "";
  std::string report = absl::StrCat(
      "ascend-rtd: not given back: ", Counted(memory_.count, "allocation"),
      " of ", Counted(memory_bytes_, "byte"), ", ",
      Counted(streams_.count, "stream"), ", ", Counted(events_.count, "event"),
      "\n");
  for (Kind* const kind : {&memory_, &streams_, &events_}) {
    for (const std::string& line : kind->lines) {
      absl::StrAppend(&report, "  ", line, "\n");
    }
    const uint64_t rest = kind->count - kind->lines.size();
    if (rest > 0) absl::StrAppend(&report, "  and ", rest, " more\n");
    *kind = {};
  }
  memory_bytes_ = 0;
  return report;
}

}  // namespace ascend::client
