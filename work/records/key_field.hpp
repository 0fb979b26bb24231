// Key fields in the syntax of `sort -k`, with the semantics of Hadoop's KeyFieldHelper, including its edge cases.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

/// -kF[.C][,F[.C]][nr]. Fields and characters count from 1. End field 0: to the end of the key. End character 0: to the
/// end of the field.
struct KeyField {
  std::int32_t begin_field = 1;
  std::int32_t begin_character = 1;
  std::int32_t end_field = 0;
  std::int32_t end_character = 0;
  bool numeric = false;
  bool reverse = false;
};

/// Parsed options. Without fields, the whole key counts.
struct KeyFields {
  std::vector<KeyField> fields;
  bool has_positions = false;  // true if there is a -k: keys are split at the separator
};

/// Parses "-k1,1 -k2nr -r". Errc::usage for a malformed -k; ignores other words.
[[nodiscard]] Result<KeyFields> parse_key_fields(std::string_view options);

/// Converts num.key.fields.for.partition to options: the first `count` fields; empty for 0.
[[nodiscard]] inline std::string options_of_first_fields(std::int32_t count) {
  return count >= 1 ? "-k1," + std::to_string(count) : std::string{};
}

/// Byte range [begin, end) of a key. `begin` -1: the key has no such field. `end` can be less than `begin`.
struct KeyRange {
  std::int32_t begin = -1;
  std::int32_t end = 0;
};

/// Finds the byte ranges of key fields.
class KeyCutter {
public:
  KeyCutter() = default;
  KeyCutter(KeyFields fields, std::string_view separator);

  [[nodiscard]] const std::vector<KeyField>& fields() const { return fields_.fields; }
  /// Stores the lengths of the key's fields in `lengths`. As in Hadoop, the search for a separator of several bytes
  /// continues one byte after the last match.
  void cut(std::string_view key, std::vector<std::int32_t>& lengths) const;
  [[nodiscard]] KeyRange range(std::string_view key, const std::vector<std::int32_t>& lengths,
                               const KeyField& field) const;

private:
  KeyFields fields_;
  std::string separator_ = "\t";
};

}  // namespace heddle::work
