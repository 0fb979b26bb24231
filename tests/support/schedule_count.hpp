// Number of random schedules that a test program runs.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstdlib>

namespace heddle::tests {

/// The argument of the test program after `--`; `standard` without one.
inline std::uint64_t schedule_count(std::uint64_t standard) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const long given = suite.argc > 1 ? std::strtol(suite.argv[1], nullptr, 10) : 0;
  return given > 0 ? static_cast<std::uint64_t>(given) : standard;
}

}  // namespace heddle::tests
