// Avro schemas as far as history files need them, and values in Avro's binary encoding.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

enum class AvroKind : std::uint8_t {
  null,
  boolean,
  integer,  // int and long have the same encoding
  string,
  enumeration,
  array,
  map,
  record,
  union_of,
};

/// A type of a schema. Indexes refer to AvroSchema::types.
struct AvroType {
  AvroKind kind = AvroKind::null;
  std::string name;                    // of a record or an enum with its namespace, else of the kind
  std::vector<std::string> symbols{};  // enumeration
  std::vector<std::pair<std::string, std::size_t>> fields{};  // record
  std::vector<std::size_t> parts{};  // array and map: the type of values; union_of: the branches
};

/// The last type is the one of a value.
struct AvroSchema {
  std::vector<AvroType> types;
};

/// Refuses types that hold themselves, records without fields and null outside of a union: each value of an accepted
/// type takes at least one byte, so the time to decode is bounded by the length of the input.
[[nodiscard]] Result<AvroSchema> parse_avro_schema(std::string_view text);

/// Decodes values one after the other. A value gets the form of Avro-JSON.
class AvroDecoder {
public:
  enum class Outcome : std::uint8_t { value, end, torn, fault };
  /// Both must outlive the decoder.
  AvroDecoder(const AvroSchema& schema, std::string_view bytes) : schema_{schema}, bytes_{bytes} {}
  /// end: no byte is left. torn: the input ends within a value.
  [[nodiscard]] Outcome next(boost::json::value& value);
  [[nodiscard]] std::size_t position() const { return position_; }
  /// After Outcome::fault.
  [[nodiscard]] const std::string& fault() const { return fault_; }

private:
  [[nodiscard]] bool decode(std::size_t type, boost::json::value& value);
  [[nodiscard]] bool decode_items(const AvroType& type, boost::json::value& value);
  [[nodiscard]] bool decode_union(const AvroType& type, boost::json::value& value);
  [[nodiscard]] bool decode_item_count(std::int64_t& count);
  [[nodiscard]] bool decode_number(std::int64_t& number);
  [[nodiscard]] bool decode_text(std::string_view& text);
  [[nodiscard]] bool decode_byte(std::uint8_t& byte);
  bool tear();
  bool fail(std::string why);

  const AvroSchema& schema_;
  std::string_view bytes_;
  std::size_t position_ = 0;
  bool is_torn_ = false;
  std::string fault_;
};

}  // namespace heddle::work
