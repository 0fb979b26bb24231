// Option tables on Boost.Program_options; its exceptions become Results. Abbreviated option names are not accepted.
#pragma once

#include <boost/program_options.hpp>
#include <functional>
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
/// --master, --deploy-mode, --topology, --queue, --set.
[[nodiscard]] OptionTable placement_options();

struct ParsedOptions {
  OptionValues values;
  std::vector<std::string> positional;
};

enum class OptionStyle { unix_like, single_dash };

/// Parses `words`. Arguments that are not options become positional, in order.
Result<ParsedOptions> parse_options(std::span<const std::string> words, const OptionTable& table, OptionStyle style);

/// The framework that all sources select: topology, --set, settings files and options of the verb.
using FrameworkFinder = std::function<Result<config::Framework>(const JobOptions&)>;
/// Values of the options of output_options and placement_options. An error about the master offers those that the
/// framework can use; none: the Driver.
Result<JobOptions> read_job_options(const OptionValues& values, std::int32_t processors,
                                    const FrameworkFinder& find_framework = {});
Result<Format> read_format(const OptionValues& values);

/// The value of an option that takes one text; empty if it is not given.
[[nodiscard]] std::string text_of(const OptionValues& values, const char* name);
/// The values of a repeatable option, in order.
[[nodiscard]] std::vector<std::string> texts_of(const OptionValues& values, const char* name);

/// One line per option: "  --name VALUE   sentence".
[[nodiscard]] std::string describe_options(const OptionTable& table);

}  // namespace heddle::apps
