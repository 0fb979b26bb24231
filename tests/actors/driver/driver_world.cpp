#include "tests/actors/driver/driver_world.hpp"

#include <cstddef>

#include "tests/support/driver_replay.hpp"

namespace heddle::actors {

DriverWorld::~DriverWorld() {
  tests::DriverReplay replay;
  for (const auto& line : events().lines) replay.take(line);
  for (const auto& difference : replay.differences()) BOOST_ERROR(difference);
  std::size_t launched_in_all = 0;
  for (const auto& each : events().lines) {
    const auto line = boost::json::parse(each).as_object();
    if (tests::text(line, "event") == "tasks_launched")
      launched_in_all += static_cast<std::size_t>(tests::number(line, "count"));
  }
  BOOST_TEST(replay.launches.size() == launched_in_all);
}

}  // namespace heddle::actors
