#include "config/hadoop/hadoop_references.hpp"

#include <fmt/format.h>

#include "config/text/environment.hpp"

namespace heddle::config {
namespace {

constexpr int replacements_max = 20;

struct Reference {
  std::size_t begin = 0;  // position of "${"
  std::size_t end = 0;    // position after "}"
  std::string name;
};

/// The first "${name}" with a name that is not empty and has no blank and no "$".
std::optional<Reference> first_reference(const std::string& text) {
  for (std::size_t begin = text.find("${"); begin != std::string::npos; begin = text.find("${", begin + 1)) {
    const std::size_t stop = text.find_first_of("} $", begin + 2);
    if (stop == std::string::npos) return std::nullopt;
    if (text[stop] == '}' && stop > begin + 2)
      return Reference{begin, stop + 1, text.substr(begin + 2, stop - begin - 2)};
  }
  return std::nullopt;
}

std::optional<std::string> of_environment(const std::string& name, const NameLookup& variable) {
  const std::size_t mark = name.find_first_of(":-");
  for (std::size_t at = mark; at != std::string::npos; at = name.find_first_of(":-", at + 1)) {
    const bool unless_empty = name[at] == ':';
    if (unless_empty && (at + 1 >= name.size() || name[at + 1] != '-')) continue;
    const auto value = variable(name.substr(0, at));
    if (value && !(unless_empty && value->empty())) return value;
    return name.substr(at + (unless_empty ? 2 : 1));
  }
  return variable(name);
}

std::optional<std::string> meaning_of(const std::string& name, const NameLookup& property, const NameLookup& variable) {
  constexpr std::string_view environment = "env.";
  if (name.size() > environment.size() && name.starts_with(environment))
    if (auto value = of_environment(name.substr(environment.size()), variable)) return value;
  return property(name);
}

}  // namespace

Result<std::string> expand_references(const std::string& value, const NameLookup& property,
                                      const NameLookup& variable) {
  std::string expanded = value;
  for (int i = 0; i < replacements_max; ++i) {
    const auto reference = first_reference(expanded);
    if (!reference) return expanded;
    const auto meaning = meaning_of(reference->name, property, variable);
    if (!meaning) return expanded;
    const std::string written = expanded.substr(reference->begin, reference->end - reference->begin);
    if (meaning->find(written) != std::string::npos) return value;
    expanded.replace(reference->begin, written.size(), *meaning);
  }
  return Error{Errc::usage, fmt::format("\"{}\" refers to other values more than {} times", value, replacements_max)};
}

Result<Done> expand_entries(std::vector<SettingEntry>& entries) {
  std::map<std::string, std::string> written;
  for (const SettingEntry& entry : entries) written.insert_or_assign(entry.key, entry.value);
  const auto property = [&](const std::string& name) {
    const auto row = written.find(name);
    return row == written.end() ? std::nullopt : std::optional{row->second};
  };
  for (SettingEntry& entry : entries) {
    auto expanded = expand_references(entry.value, property, environment_variable);
    if (!expanded)
      return Error{expanded.error().code, fmt::format("{}: {}: {}", entry.place, entry.key, expanded.error().text)};
    entry.value = std::move(*expanded);
  }
  return Done{};
}

Result<Done> expand_configuration(std::map<std::string, std::string, std::less<>>& configuration) {
  std::vector<SettingEntry> entries;
  for (const auto& [key, value] : configuration) entries.push_back({key, value, "the configuration"});
  if (auto done = expand_entries(entries); !done) return done;
  for (SettingEntry& entry : entries) configuration.insert_or_assign(entry.key, std::move(entry.value));
  return Done{};
}

}  // namespace heddle::config
