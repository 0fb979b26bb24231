#include "config/hadoop_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

#include "config/value_text.hpp"

namespace heddle::config {

Result<std::vector<SettingEntry>> parse_hadoop_xml(const std::string& name, std::string_view content) {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(content.data(), content.size());
  if (!parsed) return Error{Errc::usage, fmt::format("{}: byte {}: {}", name, parsed.offset, parsed.description())};
  const auto root = document.child("configuration");
  if (!root) return Error{Errc::usage, fmt::format("{}: <configuration> was expected at the top", name)};
  std::vector<SettingEntry> entries;
  std::ptrdiff_t line = 1;
  std::ptrdiff_t counted = 0;
  for (const auto property : root.children("property")) {
    // Hadoop takes both forms: child elements, and attributes of the property.
    const auto part = [&property](const char* of) {
      return property.child(of) ? trimmed(property.child_value(of)) : trimmed(property.attribute(of).value());
    };
    const auto key = part("name");
    const auto at = std::clamp<std::ptrdiff_t>(property.offset_debug(), counted, static_cast<std::ptrdiff_t>(content.size()));
    line += std::count(content.begin() + counted, content.begin() + at, '\n');
    counted = at;
    const auto place = fmt::format("{}:{}", name, line);
    if (key.empty()) return Error{Errc::usage, fmt::format("{}: a <property> has no <name>", place)};
    entries.push_back({std::string{key}, std::string{part("value")}, place});
  }
  return entries;
}

}  // namespace heddle::config
