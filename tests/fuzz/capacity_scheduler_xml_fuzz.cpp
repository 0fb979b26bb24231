#include "config/hadoop/capacity_scheduler_xml.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(capacity_scheduler_xml) {
  const auto read = heddle::config::read_capacity_scheduler_xml(input, "capacity-scheduler.xml");
  if (!read) HEDDLE_ASSERT(!read.error().text.empty(), input);
}
