#include "config/hadoop/fair_scheduler_xml.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(fair_scheduler_xml) {
  const auto read = heddle::config::read_fair_scheduler_xml(input, "fair-scheduler.xml");
  if (!read) HEDDLE_ASSERT(read.error().text.find("fair-scheduler.xml") != std::string::npos, read.error().text);
}
