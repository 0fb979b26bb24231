// Key fields as `sort -k` names them, with the reading of Hadoop's KeyFieldHelper.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

/// -kF[.C][,F[.C]][nr]; counted from 1; an end field of 0 is the end of the key, an end character of 0 the end of its field.
struct KeyField {
  std::int32_t begin_field = 1;
  std::int32_t begin_character = 1;
  std::int32_t end_field = 0;
  std::int32_t end_character = 0;
  bool numeric = false;
  bool reverse = false;
};

struct KeyFieldOptions {
  std::vector<KeyField> fields;
  bool numeric = false;  // a global -n
  bool reverse = false;  // a global -r
};

[[nodiscard]] Result<KeyFieldOptions> parse_key_fields(std::string_view options);

/// Where the fields of a key begin and end. `cuts` is reused from key to key.
struct FieldCuts {
  std::vector<std::int32_t> lengths;  // of each field; empty: separator not looked for
};

}  // namespace heddle::work
