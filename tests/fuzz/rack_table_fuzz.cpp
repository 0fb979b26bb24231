#include "config/hadoop/rack_table.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(rack_table) {
  const auto table = heddle::config::parse_rack_table("rack.table", std::string_view{input});
  for (const auto& [host, rack] : table.rack_of)
    HEDDLE_ASSERT(!host.empty() && !rack.empty() && host.front() != '#', host);
}
