// What a kind of recorded cases plugs into heddle-conformance: a function that drives production code through one case.
#pragma once

#include <boost/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::conformance {

/// One place where heddle differs from the original.
struct Difference {
  int step = -1;  // -1: the case has no steps
  std::string field;
  std::string expected;
  std::string got;
};

/// Where a case reports what differs. An empty report is a pass.
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

/// Refuses a case whose values make no sense: its line says why, the other cases go on.
inline void require(bool is_sensible, const std::string& otherwise) {
  if (!is_sensible) throw std::runtime_error{otherwise};
}

/// Runs one case; throws std::exception for a case that is not of the kind's form.
using RunCase = void (*)(const boost::json::object& test_case, Report& report);

/// Declares a kind: a namespace-scope object in the kind's source file, named after the file KIND.json.
struct Kind {
  Kind(std::string_view kind_name, RunCase function);
  std::string_view name;
  RunCase run;
};

}  // namespace heddle::conformance
