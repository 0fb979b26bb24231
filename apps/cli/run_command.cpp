// `run`: a job file, one command as tasks, or the applications of a topology.
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

Result<ParsedCommand> parse_run(std::span<const std::string> words, std::int32_t processors) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const auto own_words = words.first(static_cast<std::size_t>(dashes - words.begin()));
  OptionTable table;
  table.add(run_options()).add(placement_options()).add(output_options());
  auto parsed = parse_options(own_words, table, OptionStyle::unix_like);
  if (!parsed) return parsed.error();
  if (parsed->values.count("help") > 0) return ParsedCommand{Answer{help_of_verb("run")}};
  auto job = read_job_options(parsed->values, processors);
  if (!job) return job.error();
  RunOptions run;
  run.job = std::move(*job);
  if (dashes != words.end()) run.command.assign(dashes + 1, words.end());
  if (dashes != words.end() && run.command.empty()) return Error{Errc::usage, "run: a command must follow --"};
  if (parsed->positional.size() > 1)
    return Error{Errc::usage, fmt::format("run takes one job file; remove \"{}\", or put -- before a command",
                                          parsed->positional[1])};
  if (!parsed->positional.empty()) run.job_file = parsed->positional.front();
  if (!run.command.empty() && !run.job_file.empty())
    return Error{Errc::usage,
                 fmt::format("run takes a job file or a command, not both; remove {} or the command", run.job_file)};
  if (run.command.empty() && run.job_file.empty() && run.job.topology.empty())
    return Error{Errc::usage, "run needs a job file, a command after --, or --topology FILE; see heddle help run"};
  if (parsed->values.count("tasks") > 0) {
    run.tasks = parsed->values["tasks"].as<std::int32_t>();
    run.tasks_were_set = true;
    if (run.command.empty()) return Error{Errc::usage, "--tasks needs a command after --"};
    if (run.tasks < 1) return Error{Errc::usage, fmt::format("--tasks must be 1 or more, not {}", run.tasks)};
  }
  return ParsedCommand{std::move(run)};
}

}  // namespace heddle::apps
