// One parser and one option table per verb. Help and completion use the same tables as the parsers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "apps/cli/option_table.hpp"
#include "apps/cli/options.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// `verb`: run or submit.
Result<ParsedCommand> parse_run(std::span<const std::string> words, std::int32_t processors, std::string_view verb);
Result<ParsedCommand> parse_map_reduce(std::span<const std::string> words, std::int32_t processors);
/// `list`, `info`, `wait`, `cancel` and `logs`; `words` begin with the verb.
Result<ParsedCommand> parse_application_verb(std::span<const std::string> words, std::int32_t processors);
Result<ParsedCommand> parse_config(std::span<const std::string> words, std::int32_t processors);

[[nodiscard]] OptionTable run_options();
[[nodiscard]] OptionTable submit_options();
[[nodiscard]] OptionTable map_reduce_options();
[[nodiscard]] OptionTable version_options();
[[nodiscard]] OptionTable config_options();
[[nodiscard]] OptionTable application_options(std::string_view verb);

/// All options of a verb: first its own, then those that verbs share.
[[nodiscard]] OptionTable options_of_verb(std::string_view verb);
/// Text of `heddle help`: at most 24 lines, with an example.
[[nodiscard]] std::string help_text();
/// Text of `heddle help VERB`: at most 24 lines, with an example.
[[nodiscard]] std::string help_of_verb(std::string_view verb);
/// Text of `heddle help job-file`: an example job file with comments.
[[nodiscard]] std::string_view job_file_help();
/// Text of `heddle help settings`: the sources of settings and their precedence.
[[nodiscard]] std::string_view settings_help();
/// A completion script for bash, zsh or fish; a usage error for another shell.
Result<std::string> completion_script(std::string_view shell);

}  // namespace heddle::apps
