// The verbs of `heddle`, each with its sentence. Help, completion and suggestions read this table.
#pragma once

#include <span>
#include <string_view>

namespace heddle::apps {

struct Verb {
  std::string_view name;
  std::string_view usage;
  std::string_view sentence;
  std::string_view example;
};

[[nodiscard]] std::span<const Verb> verbs();
/// Null for a word that is no verb.
[[nodiscard]] const Verb* find_verb(std::string_view name);
[[nodiscard]] std::span<const std::string_view> verb_names();

}  // namespace heddle::apps
