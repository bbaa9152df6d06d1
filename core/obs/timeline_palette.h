// TimelinePalette: the colour of each label of a trace.
//
// Kernels have colours by the alphabetical order of all labels in the trace, so
// that pictures of different windows of it agree; what is no kernel has muted
// colours of its own.
//
// Threading: immutable once made. Ownership: borrows labels.
#ifndef ASCEND_CORE_OBS_TIMELINE_PALETTE_H_
#define ASCEND_CORE_OBS_TIMELINE_PALETTE_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/obs/trace.h"

namespace ascend::core {

class TimelinePalette {
 public:
  explicit TimelinePalette(const Trace& trace);

  // Of the colour, from 0 on; the label is one of the trace.
  size_t IndexOf(absl::string_view label) const {
    return indices_.find(label)->second;
  }
  size_t size() const { return indices_.size(); }
  absl::string_view LabelOf(size_t index) const { return labels_[index]; }
  // "#rrggbb" of a box, and of text on it.
  absl::string_view FillOf(size_t index) const { return fills_[index]; }
  absl::string_view InkOf(size_t index) const;

 private:
  std::map<absl::string_view, size_t> indices_;
  std::vector<absl::string_view> labels_;
  std::vector<absl::string_view> fills_;
};

}  // namespace ascend::core

#endif  // ASCEND_CORE_OBS_TIMELINE_PALETTE_H_
