#include "config/spark/spark_pools_xml.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(spark_pools_xml) {
  const auto read = heddle::config::read_spark_pools_xml(input, "fairscheduler.xml");
  if (!read) HEDDLE_ASSERT(!read.error().text.empty(), input);
}
