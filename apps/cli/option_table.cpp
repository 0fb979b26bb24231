#include "apps/cli/option_table.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "config/text/did_you_mean.hpp"

namespace heddle::apps {
namespace {

namespace options = boost::program_options;

std::vector<std::string> names_of(const OptionTable& table) {
  std::vector<std::string> names;
  for (const auto& option : table.options()) names.push_back(option->long_name());
  return names;
}

std::string unknown_option(const std::string& written, const OptionTable& table, OptionStyle style) {
  const auto first = written.find_first_not_of('-');
  const auto word = first == std::string::npos ? written : written.substr(first, written.find('=') - first);
  const auto names = names_of(table);
  std::vector<std::string_view> views{names.begin(), names.end()};
  auto best = config::nearest(word, views);
  // A word that is part of an option name, such as --progress of --no-progress, suggests that option.
  for (auto name = views.begin(); best.empty() && word.size() > 3 && name != views.end(); ++name)
    if (name->find(word) != std::string_view::npos) best = *name;
  const auto* dashes = style == OptionStyle::unix_like ? "--" : "-";
  if (best.empty()) return fmt::format("unknown option {}", written);
  return fmt::format("unknown option {}; did you mean {}{}?", written, dashes, best);
}

/// Boost.Program_options exposes the invalid value only in its message: the argument ('x') for option …
std::string value_of(const options::invalid_option_value& failure) {
  const std::string sentence = failure.what();
  const auto begin = sentence.find("('");
  const auto end = sentence.find("')");
  return begin == std::string::npos || end < begin ? std::string{} : sentence.substr(begin + 2, end - begin - 2);
}

int style_bits(OptionStyle style) {
  namespace styles = options::command_line_style;
  if (style == OptionStyle::unix_like) return styles::unix_style & ~styles::allow_guessing;
  return styles::allow_long | styles::allow_long_disguise | styles::long_allow_next | styles::long_allow_adjacent;
}

}  // namespace

OptionTable output_options() {
  OptionTable table;
  auto add = table.add_options();
  add("format", options::value<std::string>()->value_name("FORM"), "output format: table (default), json or jsonl");
  add("quiet", "print only results and errors");
  add("no-progress", "print no progress");
  add("help", "show this help");
  return table;
}

OptionTable placement_options() {
  OptionTable table;
  auto add = table.add_options();
  add("master", options::value<std::string>()->value_name("MASTER"),
      "local[N] (default local[*]), local-cluster[n,c,m] or yarn");
  add("deploy-mode", options::value<std::string>()->value_name("MODE"),
      "process of the Driver: client (default) or cluster (the master container)");
  add("topology", options::value<std::string>()->value_name("FILE"),
      "topology file: racks, hosts and applications of a local cluster");
  add("queue", options::value<std::string>()->value_name("QUEUE"), "queue for the application");
  add("set", options::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
      "set a setting (repeatable); heddle config --list lists them");
  return table;
}

namespace {

/// The first option that is repeated and cannot be, as the user wrote it; empty if there is none.
std::string given_twice(const options::parsed_options& parsed, const OptionTable& table) {
  std::set<std::string> seen;
  for (const auto& option : parsed.options) {
    if (option.position_key >= 0) continue;
    const auto* known = table.find_nothrow(option.string_key, false);
    const bool is_single =
        known != nullptr && !known->semantic()->is_composing() && known->semantic()->max_tokens() > 0;
    if (is_single && !seen.insert(option.string_key).second) {
      const auto& token = option.original_tokens.front();
      return token.substr(0, token.find('='));
    }
  }
  return {};
}

}  // namespace

Result<ParsedOptions> parse_options(std::span<const std::string> words, const OptionTable& table, OptionStyle style) {
  try {
    const std::vector<std::string> list{words.begin(), words.end()};
    const auto parsed =
        options::command_line_parser(list).options(table).style(style_bits(style)).allow_unregistered().run();
    ParsedOptions result;
    for (const auto& option : parsed.options) {
      if (option.unregistered) return Error{Errc::usage, unknown_option(option.original_tokens.front(), table, style)};
      const bool is_dashed =
          option.position_key >= 0 && option.value.front().size() > 1 && option.value.front().front() == '-';
      if (is_dashed) return Error{Errc::usage, unknown_option(option.value.front(), table, style)};
      if (option.position_key >= 0)
        result.positional.insert(result.positional.end(), option.value.begin(), option.value.end());
    }
    if (const auto twice = given_twice(parsed, table); !twice.empty())
      return Error{Errc::usage, twice + " is given twice; it takes one value"};
    auto named = options::parsed_options{&table, parsed.m_options_prefix};
    for (const auto& option : parsed.options)
      if (option.position_key < 0) named.options.push_back(option);
    options::store(named, result.values);
    return result;
  } catch (const options::invalid_option_value& failure) {
    return Error{Errc::usage,
                 fmt::format("{} must be a whole number, not \"{}\"", failure.get_option_name(), value_of(failure))};
  } catch (const options::error& failure) { return Error{Errc::usage, failure.what()}; }
}

Result<Format> read_format(const OptionValues& values) {
  const auto word = text_of(values, "format");
  if (word.empty() || word == "table") return Format::table;
  if (word == "json") return Format::json;
  if (word == "jsonl") return Format::jsonl;
  static constexpr std::array<std::string_view, 3> forms{"table", "json", "jsonl"};
  return Error{Errc::usage, fmt::format("--format must be table, json or jsonl, not \"{}\"{}", word,
                                        config::suggestion(word, forms))};
}

namespace {

Error refused_master(const std::string& master, std::int32_t processors, const JobOptions& job,
                     const FrameworkFinder& find_framework) {
  const auto framework = find_framework ? find_framework(job) : Result{config::Framework::driver};
  if (!framework) return framework.error();
  return config::parse_master(master, processors, config::usable_masters(*framework, !job.topology.empty())).error();
}

}  // namespace

Result<JobOptions> read_job_options(const OptionValues& values, std::int32_t processors,
                                    const FrameworkFinder& find_framework) {
  JobOptions job;
  job.topology = text_of(values, "topology");
  job.assignments = texts_of(values, "set");
  if (values.count("master") > 0) {
    const auto text = text_of(values, "master");
    const auto master = config::parse_master(text, processors);
    if (!master) return refused_master(text, processors, job, find_framework);
    job.master = *master;
  }
  static constexpr std::array<std::string_view, 2> deploy_modes{"client", "cluster"};
  const auto mode = text_of(values, "deploy-mode");
  if (!mode.empty() && mode != "client" && mode != "cluster")
    return Error{Errc::usage, fmt::format("--deploy-mode must be client or cluster, not \"{}\"{}", mode,
                                          config::suggestion(mode, deploy_modes))};
  job.deploy_mode = mode == "cluster" ? DeployMode::cluster : DeployMode::client;
  if (values.count("queue") > 0) job.assignments.push_back("heddle.application.queue=" + text_of(values, "queue"));
  const auto format = read_format(values);
  if (!format) return format.error();
  job.format = *format;
  job.quiet = values.count("quiet") > 0;
  job.no_progress = values.count("no-progress") > 0;
  const bool is_local = job.master ? job.master->kind == config::MasterKind::local : job.topology.empty();
  if (is_local && !job.topology.empty())
    return Error{Errc::usage, fmt::format("--topology needs --master {}, or no --master",
                                          config::to_string(config::usable_masters(config::Framework::driver, true)))};
  if (is_local && job.deploy_mode == DeployMode::cluster)
    return Error{Errc::usage, "--deploy-mode cluster needs a cluster: --master local-cluster[n,c,m]"};
  return job;
}

std::string text_of(const OptionValues& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? std::string{} : found->second.as<std::string>();
}

std::vector<std::string> texts_of(const OptionValues& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? std::vector<std::string>{} : found->second.as<std::vector<std::string>>();
}

std::string describe_options(const OptionTable& table) {
  std::string text;
  for (const auto& option : table.options()) {
    const auto parameter = option->semantic()->max_tokens() == 0 ? std::string{} : " " + option->semantic()->name();
    text += fmt::format("  {:24}  {}\n", "--" + option->long_name() + parameter, option->description());
  }
  return text;
}

}  // namespace heddle::apps
