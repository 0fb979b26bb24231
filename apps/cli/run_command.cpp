// `run`: a job file, one command as tasks, or the applications of a topology. `submit`: the first two.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/cli/verb_parsers.hpp"

namespace heddle::apps {

namespace options = boost::program_options;

OptionTable run_options() {
  OptionTable table;
  table.add_options()("tasks", options::value<std::int32_t>()->value_name("N"),
                      "number of tasks of COMMAND; each has its index in HEDDLE_TASK_INDEX");
  return table;
}

OptionTable submit_options() {
  OptionTable table;
  auto add = table.add_options();
  add("master", options::value<std::string>()->value_name("MASTER"), "yarn: the cluster of $HADOOP_CONF_DIR");
  add("queue", options::value<std::string>()->value_name("QUEUE"), "queue for the application");
  add("set", options::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
      "set a setting (repeatable); heddle config --list lists them");
  add("format", options::value<std::string>()->value_name("FORM"), "output format: table (default), json or jsonl");
  add("quiet", "print only results and errors");
  add("help", "show this help");
  return table;
}

namespace {

/// Reads the job file, or the command with its number of tasks. `verb`: run or submit.
Result<Done> read_work(std::string_view verb, std::span<const std::string> command, bool has_command,
                       const ParsedOptions& parsed, RunOptions& run) {
  run.command.assign(command.begin(), command.end());
  if (has_command && command.empty()) return Error{Errc::usage, fmt::format("{}: a command must follow --", verb)};
  if (parsed.positional.size() > 1)
    return Error{Errc::usage, fmt::format("{} takes one job file; remove \"{}\", or put -- before a command", verb,
                                          parsed.positional[1])};
  if (!parsed.positional.empty()) run.job_file = parsed.positional.front();
  if (!run.command.empty() && !run.job_file.empty())
    return Error{Errc::usage, fmt::format("{} takes a job file or a command, not both; remove {} or the command", verb,
                                          run.job_file)};
  if (parsed.values.count("tasks") == 0) return Done{};
  run.tasks = parsed.values["tasks"].as<std::int32_t>();
  run.tasks_were_set = true;
  if (run.command.empty()) return Error{Errc::usage, "--tasks needs a command after --"};
  if (run.tasks < 1) return Error{Errc::usage, fmt::format("--tasks must be 1 or more, not {}", run.tasks)};
  return Done{};
}

}  // namespace

Result<ParsedCommand> parse_run(std::span<const std::string> words, std::int32_t processors, std::string_view verb) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const auto own_words = words.first(static_cast<std::size_t>(dashes - words.begin()));
  const bool has_command = dashes != words.end();
  auto parsed = parse_options(own_words, options_of_verb(verb), OptionStyle::unix_like);
  if (!parsed) return parsed.error();
  if (parsed->values.count("help") > 0) return ParsedCommand{Answer{help_of_verb(verb)}};
  auto job = read_job_options(parsed->values, processors);
  if (!job) return job.error();
  RunOptions run;
  run.job = std::move(*job);
  run.is_submitted = verb == "submit";
  const auto command = words.subspan(has_command ? own_words.size() + 1 : words.size());
  if (auto read = read_work(verb, command, has_command, *parsed, run); !read) return read.error();
  const bool has_work = !run.command.empty() || !run.job_file.empty();
  if (run.is_submitted) {
    if (!run.job.master || run.job.master->kind != config::MasterKind::yarn)
      return Error{Errc::usage, "submit needs --master yarn: a local cluster ends with the command that started it"};
    if (!has_work) return Error{Errc::usage, "submit needs a job file, or a command after --; see heddle help submit"};
    run.job.deploy_mode = DeployMode::cluster;
  } else if (!has_work && run.job.topology.empty()) {
    return Error{Errc::usage, "run needs a job file, a command after --, or --topology FILE; see heddle help run"};
  }
  return ParsedCommand{std::move(run)};
}

}  // namespace heddle::apps
