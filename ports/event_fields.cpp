#include "ports/event_fields.hpp"

#include <algorithm>
#include <cstdint>

namespace heddle::ports {
namespace {

constexpr std::size_t usual_bytes = 200;  // of the fields of most events; saves growing step by step

/// Length in bytes of the well-formed UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const auto lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Second bytes that would make the sequence overlong, a surrogate, or larger than U+10FFFF.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
  if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
  return length;
}

/// Length of the start of `text` that needs no escape.
std::size_t plain_length(std::string_view text) {
  const auto is_plain = [](char symbol) {
    const auto byte = static_cast<std::uint8_t>(symbol);
    return byte >= 0x20 && byte < 0x80 && symbol != '"' && symbol != '\\';
  };
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
}

void append_escaped(std::string& out, char symbol) {
  switch (symbol) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
      if (static_cast<std::uint8_t>(symbol) < 0x20) out += fmt::format("\\u{:04x}", static_cast<unsigned>(symbol));
      else out += symbol;
  }
}

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const auto plain = plain_length(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto length = sequence_length(text);
    if (length == 0) out += "\\ufffd";
    else if (length == 1) append_escaped(out, text.front());
    else out.append(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void EventFields::begin(std::string_view key) {
  if (text_.empty()) text_.reserve(usual_bytes);
  else text_ += ',';
  text_.append("\"").append(key).append("\":");
}

EventFields& EventFields::add(std::string_view key, std::string_view value) {
  begin(key);
  append_json_text(text_, value);
  return *this;
}

EventFields& EventFields::add(std::string_view key, double value) {
  begin(key);
  text_ += fmt::format("{}", value);
  return *this;
}

EventFields& EventFields::add(std::string_view key, const EventFields& object) {
  begin(key);
  text_.append("{").append(object.text_).append("}");
  return *this;
}

}  // namespace heddle::ports
