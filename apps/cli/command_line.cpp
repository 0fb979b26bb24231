#include "apps/cli/command_line.hpp"

#include <fmt/format.h>

#include "apps/cli/verb_parsers.hpp"
#include "apps/cli/verbs.hpp"
#include "config/text/did_you_mean.hpp"

namespace heddle::apps {
namespace {

namespace options = boost::program_options;

Error unknown_verb(const std::string& word) {
  if (word.starts_with('-'))
    return Error{Errc::usage,
                 fmt::format("the verb comes first, then its options: \"{}\" is no verb; heddle help lists "
                             "the verbs",
                             word)};
  const auto hint = config::suggestion(word, verb_names());
  return Error{Errc::usage,
               fmt::format("unknown verb \"{}\"{}", word, hint.empty() ? "; heddle help lists the verbs" : hint)};
}

/// Removes --format FORM, which `wanted_format` has read.
std::vector<std::string> without_format(std::span<const std::string> words) {
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--format") ++i;
    else if (words[i].rfind("--format=", 0) != 0) rest.push_back(words[i]);
  }
  return rest;
}

Result<ParsedCommand> parse_help(std::span<const std::string> all_words) {
  const auto words = without_format(all_words);
  if (words.empty()) return ParsedCommand{Answer{help_text()}};
  if (words.front() == "job-file") return ParsedCommand{Answer{std::string{job_file_help()}}};
  if (words.front() == "settings") return ParsedCommand{Answer{std::string{settings_help()}}};
  if (find_verb(words.front()) == nullptr && words.front() != "--help") return unknown_verb(words.front());
  return ParsedCommand{Answer{help_of_verb(words.front() == "--help" ? "help" : words.front())}};
}

Result<ParsedCommand> parse_completion(std::span<const std::string> all_words) {
  const auto words = without_format(all_words);
  if (words.size() == 1 && words.front() == "--help") return ParsedCommand{Answer{help_of_verb("completion")}};
  if (words.size() != 1) return Error{Errc::usage, "completion needs one shell: bash, zsh or fish"};
  auto script = completion_script(words.front());
  if (!script) return script.error();
  return ParsedCommand{Answer{std::move(*script)}};
}

Result<ParsedCommand> parse_version(std::span<const std::string> words) {
  const auto parsed = parse_options(words, options_of_verb("version"), OptionStyle::unix_like);
  if (!parsed) return parsed.error();
  if (parsed->values.count("help") > 0) return ParsedCommand{Answer{help_of_verb("version")}};
  if (!parsed->positional.empty())
    return Error{Errc::usage, fmt::format("version takes no arguments; remove \"{}\"", parsed->positional.front())};
  const auto format = read_format(parsed->values);
  if (!format) return format.error();
  if (*format == Format::table) return ParsedCommand{Answer{"heddle " HEDDLE_VERSION "\n"}};
  return ParsedCommand{Answer{"{\"schema\":1,\"heddle\":\"" HEDDLE_VERSION "\"}\n", true}};
}

}  // namespace

OptionTable version_options() {
  OptionTable table;
  auto add = table.add_options();
  add("format", options::value<std::string>()->value_name("FORM"), "table, json or jsonl");
  add("help", "show this help");
  return table;
}

OptionTable config_options() {
  OptionTable table;
  auto add = table.add_options();
  add("list", "list all settings with their defaults");
  add("explain", options::value<std::string>()->value_name("KEY"),
      "explain one setting: meaning, bounds, other names; part of a key lists the matches");
  add("effective", "list the values in effect with their sources");
  return table;
}

Result<ParsedCommand> parse_config(std::span<const std::string> words, std::int32_t processors) {
  auto parsed = parse_options(words, options_of_verb("config"), OptionStyle::unix_like);
  if (!parsed) return parsed.error();
  const auto& values = parsed->values;
  if (values.count("help") > 0) return ParsedCommand{Answer{help_of_verb("config")}};
  if (!parsed->positional.empty())
    return Error{Errc::usage,
                 fmt::format("config takes no argument \"{}\"; see heddle help config", parsed->positional.front())};
  const auto questions = values.count("list") + values.count("explain") + values.count("effective");
  if (questions == 0) return ParsedCommand{Answer{help_of_verb("config")}};
  if (questions > 1) return Error{Errc::usage, "config takes only one of --list, --explain KEY and --effective"};
  ConfigOptions config;
  auto job = read_job_options(values, processors);
  if (!job) return job.error();
  config.job = std::move(*job);
  config.key = text_of(values, "explain");
  config.question = values.count("list") > 0      ? ConfigQuestion::list
                    : values.count("explain") > 0 ? ConfigQuestion::explain
                                                  : ConfigQuestion::effective;
  return ParsedCommand{std::move(config)};
}

Format wanted_format(std::span<const std::string> words) {
  const auto form_of = [](std::string_view word) {
    return word == "json" ? Format::json : word == "jsonl" ? Format::jsonl : Format::table;
  };
  auto format = Format::table;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const auto name = std::string_view{words[i]}.substr(0, words[i].find('='));
    if (name != "--format" && name != "-format") continue;
    if (name.size() < words[i].size()) format = form_of(std::string_view{words[i]}.substr(name.size() + 1));
    else if (i + 1 < words.size()) format = form_of(words[i + 1]);
  }
  return format;
}

Result<ParsedCommand> parse_command_line(std::span<const std::string> words, std::int32_t processors) {
  if (words.empty()) return Error{Errc::usage, "a verb is missing; heddle help lists the verbs"};
  const auto& verb = words.front();
  const auto rest = words.subspan(1);
  if (verb == "help" || verb == "--help" || verb == "-h") return parse_help(rest);
  if (verb == "version" || verb == "--version") return parse_version(rest);
  if (verb == "completion") return parse_completion(rest);
  if (verb == "run" || verb == "submit") return parse_run(rest, processors, verb);
  if (verb == "mapreduce") return parse_map_reduce(rest, processors);
  if (verb == "config") return parse_config(rest, processors);
  if (verb == "list" || verb == "info" || verb == "wait" || verb == "cancel" || verb == "logs")
    return parse_application_verb(words, processors);
  return unknown_verb(verb);
}

}  // namespace heddle::apps
