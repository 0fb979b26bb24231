// Key fields as `sort -k` names them, with the reading of Hadoop's KeyFieldHelper, its corners included.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

/// -kF[.C][,F[.C]][nr]; counted from 1; an end field of 0 is the end of the key, an end character of 0 the end of its
/// field.
struct KeyField {
  std::int32_t begin_field = 1;
  std::int32_t begin_character = 1;
  std::int32_t end_field = 0;
  std::int32_t end_character = 0;
  bool numeric = false;
  bool reverse = false;
};

/// What a text of options says. No fields: nothing was said, keys are taken whole.
struct KeyFields {
  std::vector<KeyField> fields;
  bool has_positions = false;  // some -k was given: keys are cut at the separator
};

/// "-k1,1 -k2nr -r"; usage for a -k of another form; other words are passed over.
[[nodiscard]] Result<KeyFields> parse_key_fields(std::string_view options);

/// num.key.fields.for.partition as options: the first `count` fields, or nothing.
[[nodiscard]] inline std::string options_of_first_fields(std::int32_t count) {
  return count >= 1 ? "-k1," + std::to_string(count) : std::string{};
}

/// A range of bytes of a key. `begin` -1: the key has no such field. `end` is one behind, and may lie before `begin`.
struct KeyRange {
  std::int32_t begin = -1;
  std::int32_t end = 0;
};

/// Finds the ranges that fields name in one key after the other.
class KeyCutter {
public:
  KeyCutter() = default;
  KeyCutter(KeyFields fields, std::string_view separator);

  [[nodiscard]] const std::vector<KeyField>& fields() const { return fields_.fields; }
  /// Lengths of the key's fields into `lengths`; a separator of several bytes is searched for as the original does,
  /// from one byte behind the last hit.
  void cut(std::string_view key, std::vector<std::int32_t>& lengths) const;
  [[nodiscard]] KeyRange range(std::string_view key, const std::vector<std::int32_t>& lengths,
                               const KeyField& field) const;

private:
  KeyFields fields_;
  std::string separator_ = "\t";
};

}  // namespace heddle::work
