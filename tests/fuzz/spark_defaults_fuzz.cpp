#include "config/spark/spark_defaults.hpp"
#include "config/table/settings.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(spark_defaults) {
  for (const auto& entry : heddle::config::parse_spark_defaults("spark-defaults.conf", input))
    HEDDLE_ASSERT(!entry.key.empty(), input);
}
