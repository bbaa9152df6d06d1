// Report: the rungs as a table and as JSON.
//
// Threading: one thread. Ownership: value type.
#ifndef ASCEND_TESTS_BENCH_LADDER_REPORT_H_
#define ASCEND_TESTS_BENCH_LADDER_REPORT_H_

#include <optional>
#include <string>
#include <vector>

namespace ascend::ladder {

// One figure. The target bounds the ratio where there is a floor, else the
// value; without a target the row only informs.
struct Rung {
  std::string name;
  std::string unit;
  double value = 0;
  std::optional<double> floor;
  std::optional<double> target;
  bool more_is_better = false;

  double Judged() const { return floor ? value / *floor : value; }
  bool Met() const {
    return !target ||
           (more_is_better ? Judged() >= *target : Judged() <= *target);
  }
};

class Report {
 public:
  void Add(Rung rung) { rungs_.push_back(std::move(rung)); }

  std::string Table() const;
  std::string Json(const std::string& transport) const;
  bool AllMet() const;

 private:
  std::vector<Rung> rungs_;
};

}  // namespace ascend::ladder

#endif  // ASCEND_TESTS_BENCH_LADDER_REPORT_H_
