// Durations, sizes, numbers, master URLs and serialised settings: must give a value or an error, and the same value
// after another round trip.
#include "config/table/master.hpp"
#include "config/table/settings.hpp"
#include "config/text/value_text.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace config = heddle::config;

HEDDLE_FUZZ_TARGET(value_text) {
  for (const auto unit :
       {config::SettingUnit::none, config::SettingUnit::ms, config::SettingUnit::s, config::SettingUnit::bytes}) {
    const auto duration = config::parse_duration(input, unit);
    const auto size = config::parse_size(input, unit);
    HEDDLE_ASSERT(duration.has_value() || !duration.error().text.empty(), input);
    HEDDLE_ASSERT(size.has_value() || !size.error().text.empty(), input);
  }
  if (const auto number = config::parse_integer(input)) HEDDLE_ASSERT(config::parse_real(input).has_value(), input);
  static_cast<void>(config::parse_flag(input));
  if (const auto master = config::parse_master(input, 2))
    HEDDLE_ASSERT(master->slots >= 0 && master->nodes >= 0, input);
}
