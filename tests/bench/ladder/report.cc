#include "tests/bench/ladder/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/table.h"

namespace ascend::ladder {
namespace {

std::string Number(double value) {
  return value >= 1000 ? absl::StrFormat("%.0f", value)
                       : absl::StrFormat("%.3g", value);
}

std::string Target(const Rung& rung) {
  if (!rung.target) return "-";
  return absl::StrCat(rung.more_is_better ? ">= " : "<= ", Number(*rung.target),
                      rung.floor ? " x" : "");
}

std::string Verdict(const Rung& rung) {
  if (!rung.target) return "";
  return rung.Met() ? "met" : "MISSED";
}

}  // namespace

std::string Report::Table() const {
  std::vector<std::vector<std::string>> rows = {
      {"measure", "value", "unit", "floor", "ratio", "target", ""}};
  for (const Rung& rung : rungs_) {
    rows.push_back({rung.name, Number(rung.value), rung.unit,
                    rung.floor ? Number(*rung.floor) : "-",
                    rung.floor ? absl::StrFormat("%.2f", rung.Judged()) : "-",
                    Target(rung), Verdict(rung)});
  }
  return client::FormatTable(rows);
}

std::string Report::Json(const std::string& transport) const {
  nlohmann::json out = {{"transport", transport},
                        {"rungs", nlohmann::json::array()}};
  for (const Rung& rung : rungs_) {
    nlohmann::json row = {{"name", rung.name},
                          {"unit", rung.unit},
                          {"value", rung.value},
                          {"met", rung.Met()}};
    if (rung.floor) {
      row["floor"] = *rung.floor;
      row["ratio"] = rung.Judged();
    }
    if (rung.target) row["target"] = *rung.target;
    out["rungs"].push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

bool Report::AllMet() const {
  return std::all_of(rungs_.begin(), rungs_.end(),
                     [](const Rung& rung) { return rung.Met(); });
}

}  // namespace ascend::ladder
