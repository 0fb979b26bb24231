// Parses the arguments of the command line into the options of a verb.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "apps/cli/options.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// `words`: the arguments without the program name. `processors`: number of task slots of local[*]. An unknown verb or
/// option is a usage error that suggests the nearest known name. Reads only the files of -conf and -additionalconfspec.
Result<ParsedCommand> parse_command_line(std::span<const std::string> words, std::int32_t processors);

/// The value of --format before `--`. Works with invalid arguments too, because their error is printed in this format.
[[nodiscard]] Format wanted_format(std::span<const std::string> words);

}  // namespace heddle::apps
