// The table of verbs of `heddle`. Help, completion and suggestions for unknown verbs read it.
#pragma once

#include <span>
#include <string_view>

namespace heddle::apps {

struct Verb {
  std::string_view name;
  std::string_view usage;
  std::string_view sentence;  // one line of `heddle help`
  std::string_view example;
  std::string_view group = {};  // neighbours of one group share a line of `heddle help`, with this text
};

[[nodiscard]] std::span<const Verb> verbs();
/// Null if no verb has this name.
[[nodiscard]] const Verb* find_verb(std::string_view name);
[[nodiscard]] std::span<const std::string_view> verb_names();

}  // namespace heddle::apps
