// From the words of the command line to what they ask for.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "apps/cli/options.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// `words` without the program's name. An unknown verb or option is a usage error that names the nearest known one.
/// Looks at no file but those that -conf names. `processors` is what local[*] means.
Result<ParsedCommand> parse_command_line(std::span<const std::string> words, std::int32_t processors);

/// The value of --format ahead of `--`, even where the other words are wrong: their refusal has this form too.
[[nodiscard]] Format wanted_format(std::span<const std::string> words);

}  // namespace heddle::apps
