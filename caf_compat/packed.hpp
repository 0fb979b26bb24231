// Fast encoding of messages on the path of a task. CAF encodes a message with one virtual call per field; here one pass
// over the fields of the same inspect() makes one text, which CAF sends as a whole.
//
//   Example: {std::int32_t 7, std::string "ab"} becomes 07 00 00 00 | 02 00 00 00 'a' 'b'.
//
// Numbers have the byte order of the machine: all processes of an application run the same program. The largest value
// of an enumeration is last_of(Enumeration), found beside it.
#pragma once

#include <algorithm>
#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/meta/annotation.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/save_callback.hpp>
#include <caf/none.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace heddle::caf_compat {

namespace detail {

template <class Value>
inline constexpr bool is_number = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;

template <class Value>
inline constexpr bool is_vector = false;
template <class Item>
inline constexpr bool is_vector<std::vector<Item>> = true;

template <class Value>
inline constexpr bool is_pair = false;
template <class First, class Second>
inline constexpr bool is_pair<std::pair<First, Second>> = true;

template <class Value>
inline constexpr bool is_optional = false;
template <class Value>
inline constexpr bool is_optional<std::optional<Value>> = true;

template <class Value>
inline constexpr bool is_variant = false;
template <class... Values>
inline constexpr bool is_variant<std::variant<Values...>> = true;

/// What inspect() passes beside fields: the name of the type, or a function to call once the fields are read.
template <class Value>
inline constexpr bool is_annotation = caf::meta::is_annotation<Value>::value;
template <class Value>
inline constexpr bool is_load_callback = caf::meta::is_load_callback<Value>::value;
template <class Value>
inline constexpr bool is_save_callback = caf::meta::is_save_callback<Value>::value;

}  // namespace detail

/// An inspector that appends fields to a text.
class PackWriter {
public:
  using result_type = void;
  explicit PackWriter(std::string& out) : out_{out} {}

  template <class... Fields>
  void operator()(Fields&&... fields) {
    (put(fields), ...);
  }

private:
  template <class Value>
  void put(Value& value) {
    using Plain = std::remove_const_t<Value>;
    static_assert(!detail::is_save_callback<Plain>, "a packed message cannot have a save callback");
    if constexpr (detail::is_annotation<Plain>) return;
    else if constexpr (detail::is_number<Plain>) out_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    else if constexpr (std::is_same_v<Plain, std::string>) put_text(value);
    else if constexpr (detail::is_vector<Plain>) put_items(value);
    else if constexpr (detail::is_pair<Plain>) (*this)(value.first, value.second);
    else if constexpr (detail::is_optional<Plain>) put_optional(value);
    else if constexpr (detail::is_variant<Plain>) put_variant(value);
    else inspect(*this, value);
  }
  void put_size(std::size_t size) {
    const auto count = static_cast<std::uint32_t>(size);
    out_.append(reinterpret_cast<const char*>(&count), sizeof(count));
  }
  void put_text(const std::string& text) {
    put_size(text.size());
    out_.append(text);
  }
  template <class Items>
  void put_items(Items& items) {
    put_size(items.size());
    for (auto& item : items) put(item);
  }
  template <class Optional>
  void put_optional(Optional& value) {
    out_.push_back(value ? '\1' : '\0');
    if (value) put(*value);
  }
  template <class Variant>
  void put_variant(Variant& value) {
    out_.push_back(static_cast<char>(value.index()));
    std::visit([this](auto& each) { this->put(each); }, value);
  }

  std::string& out_;
};

/// An inspector that reads fields from a text. After a fault it reads nothing more.
class PackReader {
public:
  using result_type = void;
  explicit PackReader(std::string_view text) : rest_{text} {}

  template <class... Fields>
  void operator()(Fields&&... fields) {
    (get(fields), ...);
  }
  /// All fields were there, and nothing else.
  [[nodiscard]] bool is_whole() const { return is_sound_ && rest_.empty(); }

private:
  template <class Value>
  void get(Value& value) {
    using Plain = std::remove_const_t<Value>;
    if constexpr (detail::is_load_callback<Plain>) call(value);
    else if constexpr (detail::is_annotation<Plain>) return;
    else if constexpr (std::is_same_v<Plain, bool>) value = take_byte() != 0;
    else if constexpr (detail::is_number<Plain>) get_number(value);
    else if constexpr (std::is_same_v<Plain, std::string>) value = take(take_size());
    else if constexpr (detail::is_vector<Plain>) get_items(value);
    else if constexpr (detail::is_pair<Plain>) (*this)(value.first, value.second);
    else if constexpr (detail::is_optional<Plain>) get_optional(value);
    else if constexpr (detail::is_variant<Plain>) get_variant(value);
    else inspect(*this, value);
  }
  void fail() {
    is_sound_ = false;
    rest_ = {};
  }
  /// Only after all fields before it were read: it makes a value of them.
  template <class Callback>
  void call(Callback& callback) {
    if (is_sound_ && callback.fun()) fail();
  }
  std::string_view take(std::size_t bytes) {
    if (bytes > rest_.size()) {
      fail();
      return {};
    }
    const auto taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  std::uint8_t take_byte() {
    const auto taken = take(1);
    return taken.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(taken.front());
  }
  template <class Number>
  void get_number(Number& number) {
    const auto taken = take(sizeof(number));
    if (taken.empty()) return;
    if constexpr (std::is_enum_v<Number>) {
      auto read = std::underlying_type_t<Number>{};
      std::memcpy(&read, taken.data(), sizeof(read));
      if (read > static_cast<std::underlying_type_t<Number>>(last_of(Number{}))) return fail();
      number = static_cast<Number>(read);
    } else {
      std::memcpy(&number, taken.data(), sizeof(number));
    }
  }
  std::size_t take_size() {
    std::uint32_t size = 0;
    get_number(size);
    return size;
  }
  /// Grows item by item: a wrong size must not allocate what the text does not hold.
  template <class Items>
  void get_items(Items& items) {
    items.clear();
    const auto size = take_size();
    if constexpr (detail::is_number<typename Items::value_type>)
      items.reserve(std::min(size, rest_.size() / sizeof(typename Items::value_type)));
    for (std::size_t i = 0; i < size && is_sound_; ++i) {
      typename Items::value_type item{};
      get(item);
      items.push_back(std::move(item));
    }
  }
  template <class Optional>
  void get_optional(Optional& value) {
    value.reset();
    if (take_byte() != 0) get(value.emplace());
  }
  template <class Variant>
  void get_variant(Variant& value) {
    const auto index = take_byte();
    if (index >= std::variant_size_v<Variant>) return fail();
    get_alternative(value, index, std::make_index_sequence<std::variant_size_v<Variant>>{});
  }
  template <class Variant, std::size_t... indices>
  void get_alternative(Variant& value, std::size_t index, std::index_sequence<indices...>) {
    static_cast<void>(((index == indices && (get(value.template emplace<indices>()), true)) || ...));
  }

  std::string_view rest_;
  bool is_sound_ = true;
};

/// Encoded size in bytes of a value inside a packed message.
template <class Value>
[[nodiscard]] std::int64_t packed_bytes(const Value& value) {
  std::string text;
  PackWriter writer{text};
  inspect(writer, const_cast<Value&>(value));  // a writer changes nothing; inspect() serves readers too
  return static_cast<std::int64_t>(text.size());
}

/// Called by inspect() of a HEDDLE_PACKED_MESSAGE.
template <class Message>
caf::error pack(caf::serializer& sink, Message& message) {
  std::string text;
  text.reserve(500);  // of most messages
  PackWriter writer{text};
  inspect(writer, message);
  return sink(text);
}

template <class Message>
caf::error unpack(caf::deserializer& source, Message& message) {
  std::string text;
  if (auto fault = source(text)) return fault;
  PackReader reader{text};
  inspect(reader, message);
  if (!reader.is_whole()) return caf::sec::invalid_argument;
  return caf::none;
}

}  // namespace heddle::caf_compat
