// Interface between heddle-conformance and a kind of recorded cases: a function that runs production code on one case.
#pragma once

#include <boost/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::conformance {

/// A difference between heddle and the original.
struct Difference {
  int step = -1;  // -1: the case has no steps
  std::string field;
  std::string expected;
  std::string got;
};

/// Collects the differences of a case. A case without differences passes.
class Report {
public:
  void differ(int step, std::string_view field, const boost::json::value& expected, const boost::json::value& got) {
    differences_.push_back({step, std::string{field}, boost::json::serialize(expected), boost::json::serialize(got)});
  }
  /// Reports a difference unless both values are equal.
  void check(int step, std::string_view field, const boost::json::value& expected, const boost::json::value& got) {
    if (expected != got) differ(step, field, expected, got);
  }
  [[nodiscard]] const std::vector<Difference>& differences() const { return differences_; }

private:
  std::vector<Difference> differences_;
};

/// Refuses a case with invalid values: its line has the reason, and the other cases run.
inline void require(bool is_sensible, const std::string& otherwise) {
  if (!is_sensible) throw std::runtime_error{otherwise};
}

/// Runs one case. Throws std::exception if the case does not have the form of the kind.
using RunCase = void (*)(const boost::json::object& test_case, Report& report);

/// Registers a kind: an object at namespace scope in the kind's source file, named as the file KIND.json.
struct Kind {
  Kind(std::string_view kind_name, RunCase function);
  std::string_view name;
  RunCase run;
};

}  // namespace heddle::conformance
