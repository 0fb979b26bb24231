// The Avro schema of a .jhist file, made from jhist_fields.hpp.
#pragma once

#include <string>

namespace heddle::work {

/// One line of JSON: record Event of a type and a union of all records.
[[nodiscard]] std::string jhist_schema();

}  // namespace heddle::work
