// Option tables by Boost.Program_options, its exceptions turned into Results. Guessing of shortened names is off.
#pragma once

#include <boost/program_options.hpp>
#include <span>
#include <string>
#include <vector>

#include "apps/cli/options.hpp"
#include "model/result.hpp"

namespace heddle::apps {

using OptionTable = boost::program_options::options_description;
using OptionValues = boost::program_options::variables_map;

/// --format, --quiet, --no-progress, --help.
[[nodiscard]] OptionTable output_options();
/// --master, --deploy-mode, --topology, --set.
[[nodiscard]] OptionTable placement_options();

struct ParsedOptions {
  OptionValues values;
  std::vector<std::string> positional;
};

enum class OptionStyle { unix_like, single_dash };

/// Reads words; what is no option becomes positional, in order.
Result<ParsedOptions> parse_options(std::span<const std::string> words, const OptionTable& table, OptionStyle style);

/// The options of output_options and placement_options as values.
Result<JobOptions> read_job_options(const OptionValues& values, std::int32_t processors);
Result<Format> read_format(const OptionValues& values);

/// The value of a text option, or an empty text.
[[nodiscard]] std::string text_of(const OptionValues& values, const char* name);
[[nodiscard]] std::vector<std::string> texts_of(const OptionValues& values, const char* name);

/// Rows "  --name VALUE   sentence" of a table, one option per line.
[[nodiscard]] std::string describe_options(const OptionTable& table);

}  // namespace heddle::apps
