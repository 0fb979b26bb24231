#include "work/history/avro_schema.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <limits>
#include <map>
#include <optional>

namespace heddle::work {
namespace {

namespace json = boost::json;

struct PlainType {
  std::string_view name;
  AvroKind kind;
};
constexpr PlainType plain_types[] = {{"null", AvroKind::null},
                                     {"boolean", AvroKind::boolean},
                                     {"int", AvroKind::integer},
                                     {"long", AvroKind::integer},
                                     {"string", AvroKind::string}};

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

/// The text of a member; empty if there is none.
std::string_view text_in(const json::object& object, std::string_view key) {
  const auto* found = object.if_contains(key);
  return found != nullptr && found->is_string() ? view(found->get_string()) : std::string_view{};
}

const json::array* array_in(const json::object& object, std::string_view key) {
  const auto* found = object.if_contains(key);
  return found != nullptr ? found->if_array() : nullptr;
}

/// Adds the types of a schema bottom up. Returns the index of a type, or nothing and sets fault().
class SchemaReader {
public:
  using Index = std::optional<std::size_t>;

  Index read(const json::value& value, const std::string& space, bool may_be_null) {
    if (value.is_string()) return read_name(view(value.get_string()), space, may_be_null);
    if (value.is_array()) return read_union(value.get_array(), space);
    const auto* object = value.if_object();
    if (object == nullptr) return refuse("a type is no text, array or object");
    const auto kind = text_in(*object, "type");
    const auto own_space = object->contains("namespace") ? std::string{text_in(*object, "namespace")} : space;
    if (kind == "record") return read_record(*object, own_space);
    if (kind == "enum") return read_enum(*object, own_space);
    if (kind == "array") return read_items(AvroKind::array, *object, "items", space);
    if (kind == "map") return read_items(AvroKind::map, *object, "values", space);
    return read_name(kind, space, may_be_null);
  }
  [[nodiscard]] std::string& fault() { return fault_; }
  [[nodiscard]] std::vector<AvroType>& types() { return types_; }

private:
  Index refuse(std::string why) {
    fault_ = std::move(why);
    return {};
  }
  Index add(AvroType type) {
    types_.push_back(std::move(type));
    return types_.size() - 1;
  }
  static std::string full_name(std::string_view name, const std::string& space) {
    if (name.find('.') != std::string_view::npos || space.empty()) return std::string{name};
    return space + '.' + std::string{name};
  }
  /// A type can be named only behind its definition.
  Index define(AvroType type) {
    const auto name = type.name;
    const auto index = add(std::move(type));
    if (!named_.emplace(name, *index).second) return refuse("the type '" + name + "' is defined twice");
    return index;
  }

  Index read_name(std::string_view name, const std::string& space, bool may_be_null) {
    for (const auto& plain : plain_types)
      if (plain.name == name) {
        if (plain.kind == AvroKind::null && !may_be_null) return refuse("null is allowed in a union only");
        return add({plain.kind, std::string{name}});
      }
    const auto found = named_.find(full_name(name, space));
    if (found == named_.end()) return refuse("the type '" + std::string{name} + "' is not known");
    return found->second;
  }

  Index read_union(const json::array& branches, const std::string& space) {
    AvroType type{AvroKind::union_of, "union"};
    for (const auto& branch : branches) {
      if (branch.is_array()) return refuse("a union is in a union");
      const auto index = read(branch, space, true);
      if (!index) return {};
      type.parts.push_back(*index);
    }
    return add(std::move(type));
  }

  Index read_items(AvroKind kind, const json::object& object, std::string_view key, const std::string& space) {
    const auto* items = object.if_contains(key);
    if (items == nullptr) return refuse("an array or a map has no type of values");
    const auto index = read(*items, space, false);
    if (!index) return {};
    return add({kind, kind == AvroKind::array ? "array" : "map", {}, {}, {*index}});
  }

  Index read_record(const json::object& object, const std::string& space) {
    AvroType type{AvroKind::record, full_name(text_in(object, "name"), space)};
    const auto* fields = array_in(object, "fields");
    if (fields == nullptr || fields->empty()) return refuse("the record '" + type.name + "' has no fields");
    for (const auto& field : *fields) {
      const auto* about = field.if_object();
      const auto* of_field = about == nullptr ? nullptr : about->if_contains("type");
      if (of_field == nullptr) return refuse("a field of '" + type.name + "' has no type");
      const auto index = read(*of_field, space, false);
      if (!index) return {};
      type.fields.emplace_back(text_in(*about, "name"), *index);
    }
    return define(std::move(type));
  }

  Index read_enum(const json::object& object, const std::string& space) {
    AvroType type{AvroKind::enumeration, full_name(text_in(object, "name"), space)};
    const auto* symbols = array_in(object, "symbols");
    if (symbols == nullptr) return refuse("the enum '" + type.name + "' has no symbols");
    for (const auto& symbol : *symbols)
      type.symbols.emplace_back(symbol.is_string() ? view(symbol.get_string()) : std::string_view{});
    return define(std::move(type));
  }

  std::vector<AvroType> types_;
  std::map<std::string, std::size_t> named_;
  std::string fault_;
};

}  // namespace

Result<AvroSchema> parse_avro_schema(std::string_view text) {
  boost::system::error_code failed;
  const auto value = json::parse(text, failed);
  if (failed) return Error{Errc::corrupt, "the schema is no JSON: " + failed.message()};
  SchemaReader reader;
  const auto root = reader.read(value, {}, false);
  if (!root) return Error{Errc::corrupt, "the schema cannot be used: " + reader.fault()};
  if (*root + 1 != reader.types().size()) return Error{Errc::corrupt, "the schema cannot be used: it names a type"};
  return AvroSchema{std::move(reader.types())};
}

AvroDecoder::Outcome AvroDecoder::next(json::value& value) {
  if (position_ == bytes_.size()) return Outcome::end;
  if (decode(schema_.types.size() - 1, value)) return Outcome::value;
  return is_torn_ ? Outcome::torn : Outcome::fault;
}

bool AvroDecoder::tear() {
  is_torn_ = true;
  return false;
}

bool AvroDecoder::fail(std::string why) {
  fault_ = std::move(why);
  return false;
}

bool AvroDecoder::decode(std::size_t type, json::value& value) {
  const auto& of_value = schema_.types[type];
  std::int64_t number = 0;
  std::string_view text;
  std::uint8_t byte = 0;
  switch (of_value.kind) {
    case AvroKind::null: value = nullptr; return true;
    case AvroKind::boolean:
      if (!decode_byte(byte)) return false;
      value = byte != 0;
      return byte <= 1 || fail("a boolean is neither 0 nor 1");
    case AvroKind::integer:
      if (!decode_number(number)) return false;
      value = number;
      return true;
    case AvroKind::string:
      if (!decode_text(text)) return false;
      value = json::string_view{text.data(), text.size()};
      return true;
    case AvroKind::enumeration:
      if (!decode_number(number)) return false;
      if (number < 0 || static_cast<std::size_t>(number) >= of_value.symbols.size())
        return fail("'" + of_value.name + "' has no symbol " + std::to_string(number));
      value = json::string_view{of_value.symbols[static_cast<std::size_t>(number)]};
      return true;
    case AvroKind::record: {
      auto& object = value.emplace_object();
      object.reserve(of_value.fields.size());
      for (const auto& [name, of_field] : of_value.fields)
        if (!decode(of_field, object[name])) return false;
      return true;
    }
    case AvroKind::union_of: return decode_union(of_value, value);
    case AvroKind::array:
    case AvroKind::map: return decode_items(of_value, value);
  }
  return fail("a type has no kind");
}

bool AvroDecoder::decode_union(const AvroType& type, json::value& value) {
  std::int64_t number = 0;
  if (!decode_number(number)) return false;
  if (number < 0 || static_cast<std::size_t>(number) >= type.parts.size())
    return fail("a union has no branch " + std::to_string(number));
  const auto branch = type.parts[static_cast<std::size_t>(number)];
  const auto& of_branch = schema_.types[branch];
  if (of_branch.kind == AvroKind::null) return decode(branch, value);
  return decode(branch, value.emplace_object()[of_branch.name]);
}

/// Items come in blocks with their number before them, until a block of 0 items.
bool AvroDecoder::decode_items(const AvroType& type, json::value& value) {
  auto* array = type.kind == AvroKind::array ? &value.emplace_array() : nullptr;
  auto* map = type.kind == AvroKind::map ? &value.emplace_object() : nullptr;
  while (true) {
    std::int64_t count = 0;
    if (!decode_item_count(count)) return false;
    if (count == 0) return true;
    for (; count > 0; --count) {
      std::string_view key;
      if (map != nullptr && !decode_text(key)) return false;
      if (!decode(type.parts.front(),
                  array != nullptr ? array->emplace_back(nullptr) : (*map)[json::string_view{key.data(), key.size()}]))
        return false;
    }
  }
}

/// A negative number of items has the size of the block behind it.
bool AvroDecoder::decode_item_count(std::int64_t& count) {
  if (!decode_number(count)) return false;
  if (count >= 0) return true;
  std::int64_t size = 0;
  if (count == std::numeric_limits<std::int64_t>::min()) return fail("a block has too many items");
  count = -count;
  return decode_number(size);
}

bool AvroDecoder::decode_number(std::int64_t& number) {
  std::uint64_t bits = 0;
  for (int shift = 0;; shift += 7) {
    if (shift > 63) return fail("a number is too long");
    std::uint8_t byte = 0;
    if (!decode_byte(byte)) return false;
    bits |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) break;
  }
  number = static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
  return true;
}

bool AvroDecoder::decode_text(std::string_view& text) {
  std::int64_t size = 0;
  if (!decode_number(size)) return false;
  if (size < 0) return fail("a text has a negative length");
  if (static_cast<std::uint64_t>(size) > bytes_.size() - position_) return tear();
  text = bytes_.substr(position_, static_cast<std::size_t>(size));
  position_ += text.size();
  return true;
}

bool AvroDecoder::decode_byte(std::uint8_t& byte) {
  if (position_ == bytes_.size()) return tear();
  byte = static_cast<std::uint8_t>(bytes_[position_++]);
  return true;
}

}  // namespace heddle::work
