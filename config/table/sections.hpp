// Sections of the settings as plain structs, one per role or policy, generated from the settings table. An actor gets
// its section by value; a default-constructed section holds the defaults. Fields, units and meanings:
// config/table/settings_table.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "config/table/settings_table.hpp"
#include "config/text/units.hpp"

namespace heddle::config {

namespace field_type {
using count = std::int64_t;
using ratio = double;
using flag = bool;
using duration = Duration;
using size = std::int64_t;
using amount = std::int64_t;
using text = std::string;
using choice = std::string;
}  // namespace field_type

#define HEDDLE_SETTING_FIELD(field, kind, key, standard, lower, upper, unit, aliases, restart, sentence) \
  field_type::kind field = standard;
#define HEDDLE_SETTING_STRUCT(Section, accessor, ROWS) \
  struct Section {                                     \
    ROWS(HEDDLE_SETTING_FIELD)                         \
    bool operator==(const Section&) const = default;   \
  };
HEDDLE_SETTINGS_SECTIONS(HEDDLE_SETTING_STRUCT)
#undef HEDDLE_SETTING_STRUCT
#undef HEDDLE_SETTING_FIELD

}  // namespace heddle::config
