#include "config/hadoop/hadoop_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>

#include "config/text/value_text.hpp"

namespace heddle::config {
namespace {

/// Line numbers of positions in a text; ascending positions take one pass.
class LineCount {
public:
  explicit LineCount(std::string_view content) : content_{content} {}
  std::int64_t line_of(std::ptrdiff_t place) {
    const auto at = std::clamp<std::ptrdiff_t>(place, counted_, static_cast<std::ptrdiff_t>(content_.size()));
    line_ += std::count(content_.begin() + counted_, content_.begin() + at, '\n');
    counted_ = at;
    return line_;
  }

private:
  std::string_view content_;
  std::int64_t line_ = 1;
  std::ptrdiff_t counted_ = 0;
};

}  // namespace

Result<std::vector<HadoopProperty>> read_hadoop_properties(const std::string& name, std::string_view content) {
  pugi::xml_document document;
  LineCount lines{content};
  const auto parsed = document.load_buffer(content.data(), content.size());
  if (!parsed)
    return Error{Errc::usage, fmt::format("{}:{}: not well-formed XML: {}", name, lines.line_of(parsed.offset),
                                          parsed.description())};
  const auto root = document.child("configuration");
  if (!root) return Error{Errc::usage, fmt::format("{}:1: the root element must be <configuration>", name)};
  std::vector<HadoopProperty> properties;
  for (const auto property : root.children("property")) {
    // Hadoop accepts both forms: child elements, and attributes of the property.
    const auto part = [&property](const char* of) {
      return property.child(of) ? property.child_value(of) : property.attribute(of).value();
    };
    const auto line = lines.line_of(property.offset_debug());
    const auto key = trimmed(part("name"));
    if (key.empty()) return Error{Errc::usage, fmt::format("{}:{}: a <property> has no <name>", name, line)};
    properties.push_back({std::string{key}, part("value"), line});
  }
  return properties;
}

Result<std::vector<SettingEntry>> parse_hadoop_xml(const std::string& name, std::string_view content) {
  auto properties = read_hadoop_properties(name, content);
  if (!properties) return properties.error();
  std::vector<SettingEntry> entries;
  for (auto& [key, value, line] : *properties)
    entries.push_back({std::move(key), std::string{trimmed(value)}, fmt::format("{}:{}", name, line)});
  return entries;
}

}  // namespace heddle::config
