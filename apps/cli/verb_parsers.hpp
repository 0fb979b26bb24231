// One parser per verb, its option table beside it, so that help and completion show what is parsed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "apps/cli/option_table.hpp"
#include "apps/cli/options.hpp"
#include "model/result.hpp"

namespace heddle::apps {

Result<ParsedCommand> parse_run(std::span<const std::string> words, std::int32_t processors);
Result<ParsedCommand> parse_map_reduce(std::span<const std::string> words, std::int32_t processors);
Result<ParsedCommand> parse_config(std::span<const std::string> words, std::int32_t processors);

[[nodiscard]] OptionTable run_options();
[[nodiscard]] OptionTable map_reduce_options();
[[nodiscard]] OptionTable version_options();
[[nodiscard]] OptionTable config_options();

/// All options of a verb, its own first.
[[nodiscard]] OptionTable options_of_verb(std::string_view verb);
/// The first screen of `heddle help` and of `heddle help VERB`: at most 24 lines, with an example.
[[nodiscard]] std::string help_text();
[[nodiscard]] std::string help_of_verb(std::string_view verb);
/// A commented job file, to start from.
[[nodiscard]] std::string_view job_file_help();
/// Where settings come from, and which one counts.
[[nodiscard]] std::string_view settings_help();
/// A completion script for bash, zsh or fish; a usage error for another shell.
Result<std::string> completion_script(std::string_view shell);

}  // namespace heddle::apps
