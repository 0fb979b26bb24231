// One value as the content of a file: its fields, packed as in messages, in sealed bytes (model/sealed_bytes.hpp).
// `Fields`: a function (inspector, value) that calls inspector(field, …) with the fields, for writers and readers.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "caf_compat/packed.hpp"
#include "model/result.hpp"
#include "model/sealed_bytes.hpp"

namespace heddle {

/// Errc::refused: it would have more than form.bytes_max bytes.
template <class Value, class Fields>
Result<std::string> write_sealed_fields(const SealForm& form, const Value& value, Fields fields) {
  std::string content;
  caf_compat::PackWriter writer{content};
  fields(writer, const_cast<Value&>(value));  // a writer changes nothing
  const auto bytes = seal_header_bytes + content.size();
  if (bytes > form.bytes_max)
    return Error{Errc::refused,
                 fmt::format("the {} has {} bytes, the maximum is {}", form.name, bytes, form.bytes_max)};
  return seal(form, content);
}

/// Reads the bytes after the header. `fault_of_value`: what is wrong with a value; empty if nothing is. Errc::corrupt.
template <class Value, class Fields, class Fault>
Result<Value> read_packed_fields(const SealForm& form, std::string_view bytes, Fields fields, Fault fault_of_value) {
  Value value;
  caf_compat::PackReader reader{bytes};
  fields(reader, value);
  const std::string fault =
      reader.is_whole() ? fault_of_value(value) : fmt::format("its bytes do not match the fields of a {}", form.name);
  if (fault.empty()) return value;
  return Error{Errc::corrupt, fmt::format("the {} is damaged: {} ({} bytes)", form.name, fault, bytes.size())};
}

}  // namespace heddle
