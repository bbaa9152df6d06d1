#include "core/obs/timeline_palette.h"

#include <iterator>

namespace ascend::core {
namespace {

// Told apart by people who see colours differently, too, as far as twelve can.
constexpr absl::string_view kKernelFills[] = {
    "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948",
    "#b07aa1", "#ff9da7", "#9c755f", "#2f4b7c", "#a0cbe8", "#8cd17d"};
constexpr absl::string_view kCopyFills[] = {"#5b6b7b", "#93a3b3", "#37424d"};
constexpr absl::string_view kFillFill = "#b8a88a";
constexpr absl::string_view kSignalFill = "#c4c9cf";
constexpr absl::string_view kHostFill = "#7a4f9a";

constexpr absl::string_view kDarkInk = "#1b1f24";
constexpr absl::string_view kLightInk = "#ffffff";

int HexDigit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

// 0 to 255.
int Luminance(absl::string_view fill) {
  const auto channel = [&](size_t at) {
    return 16 * HexDigit(fill[at]) + HexDigit(fill[at + 1]);
  };
  return (299 * channel(1) + 587 * channel(3) + 114 * channel(5)) / 1000;
}

}  // namespace

TimelinePalette::TimelinePalette(const Trace& trace) {
  std::map<absl::string_view, TraceKind> kinds;
  for (size_t i = 0; i < trace.spans.size(); ++i) {
    kinds.emplace(trace.spans[i].label, trace.spans[i].kind);
  }
  size_t kernel_count = 0;
  size_t copy_count = 0;
  for (const auto& [label, kind] : kinds) {
    indices_[label] = labels_.size();
    labels_.push_back(label);
    switch (kind) {
      case TraceKind::kKernel:
        fills_.push_back(
            kKernelFills[kernel_count++ % std::size(kKernelFills)]);
        break;
      case TraceKind::kCopy:
        fills_.push_back(kCopyFills[copy_count++ % std::size(kCopyFills)]);
        break;
      case TraceKind::kFill:
        fills_.push_back(kFillFill);
        break;
      case TraceKind::kSignal:
        fills_.push_back(kSignalFill);
        break;
      case TraceKind::kHost:
        fills_.push_back(kHostFill);
        break;
    }
  }
}

absl::string_view TimelinePalette::InkOf(size_t index) const {
  constexpr int kBright = 140;
  return Luminance(fills_[index]) > kBright ? kDarkInk : kLightInk;
}

}  // namespace ascend::core
