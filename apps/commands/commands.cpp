#include "apps/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "apps/cli/command_line.hpp"
#include "apps/cli/config_command.hpp"
#include "apps/cli/exit_code.hpp"
#include "apps/commands/application_verbs.hpp"
#include "apps/commands/interrupts.hpp"
#include "apps/commands/job_runner.hpp"
#include "apps/commands/loaded_settings.hpp"
#include "apps/commands/topology_runner.hpp"
#include "apps/output/document_output.hpp"
#include "apps/output/summary.hpp"
#include "apps/roles/last_words.hpp"
#include "apps/roles/leftover_watch.hpp"
#include "apps/session/session_request.hpp"
#include "config/files/job_file.hpp"
#include "config/files/settings_sources.hpp"
#include "config/text/text_file.hpp"
#include "work/commands/process_tree.hpp"

namespace heddle::apps {
namespace {

/// Prints the error on stderr, and with a document format as the only document on stdout.
int report(const Error& error, Format format, int code) {
  const auto* kind = to_string(error.code);
  if (format != Format::table) print_documents(print_error(format, kind, error.text));
  fmt::print(stderr, "{}", print_error(Format::table, kind, error.text));
  return code;
}

void print_answer(const std::string& text, Format format) {
  if (format == Format::table) fmt::print("{}", text);
  else print_documents(text);
}

int config_verb(const ConfigOptions& options) {
  auto loaded = load_settings_of(options.job);
  if (!loaded) return report(loaded.error(), options.job.format, exit_code_of(loaded.error().code));
  auto answer = answer_config(options, *loaded);
  if (!answer) return report(answer.error(), options.job.format, exit_code_of(answer.error().code));
  if (options.question == ConfigQuestion::effective && !options.job.quiet) {
    if (const auto unread = config::unread_hadoop_folder(config::read_environment());
        !unread.empty() && options.job.topology.empty())
      loaded->warnings.push_back(unread);
    for (const auto& warning : loaded->warnings) fmt::print(stderr, "heddle: {}\n", warning);
  }
  print_answer(*answer, options.job.format);
  return 0;
}

int act(const ParsedCommand& command, Format format) {
  if (const auto* answer = std::get_if<Answer>(&command)) {
    const bool is_ready = answer->is_document || format == Format::table;
    print_answer(is_ready ? answer->text : text_json(answer->text), format);
    return 0;
  }
  if (const auto* run = std::get_if<RunOptions>(&command)) return run_verb(*run);
  if (const auto* job = std::get_if<MapReduceOptions>(&command)) return map_reduce_verb(*job);
  if (const auto* question = std::get_if<ConfigOptions>(&command)) return config_verb(*question);
  if (const auto* applications = std::get_if<ApplicationOptions>(&command)) {
    watch_interrupts();
    const auto code = application_verb(*applications);
    return code ? *code : report(code.error(), format, exit_code_of(code.error().code));
  }
  return 70;
}

/// Builds a job of one stage that runs the command in each task.
JobRequest command_request(const RunOptions& options) {
  JobRequest request;
  request.options = options.job;
  StageDescription stage;
  stage.name = std::filesystem::path{options.command.front()}.filename().string();
  stage.bodies.push_back(CommandBody{options.command, {}, {}});
  stage.partitions = options.tasks;
  // If stdout is for a document, the output of the command goes to files that the document names. Nobody reads the
  // output of a submitted one.
  stage.pass_through = options.tasks == 1 && options.job.format == Format::table && !options.is_submitted;
  stage.keep_standard_output = !stage.pass_through;
  request.graph.name = stage.name;
  request.graph.stages.push_back(std::move(stage));
  request.prints_summary = options.tasks > 1;
  if (options.tasks == 1) {
    request.options.no_progress = true;
    request.fallback_settings.emplace_back("heddle.task.max_failures", "1");
  }
  return request;
}

Result<config::JobFile> read_job_of_stdin() {
  const auto content = config::read_text_file("/dev/stdin");
  if (!content) return content.error();
  return config::parse_job_file("stdin", *content);
}

/// Returns a warning for each stage that reads records and whose output is neither kept nor read. Stages without input
/// run for their side effects.
std::vector<std::string> dropped_records(const JobGraph& graph) {
  std::vector<bool> is_read(graph.stages.size(), false);
  for (const auto& stage : graph.stages)
    for (const auto parent : stage.parents) is_read[static_cast<std::size_t>(parent)] = true;
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < graph.stages.size(); ++i) {
    const auto& stage = graph.stages[i];
    const bool reads = !stage.inputs.empty() || !stage.parents.empty();
    if (reads && !is_read[i] && !stage.output)
      warnings.push_back(
          fmt::format("stage '{}' has no output and no stage after it: the records of its tasks "
                      "are dropped; to keep them, add output = {{ text = \"FOLDER\" }}",
                      stage.name));
  }
  return warnings;
}

/// `streaming`: exit codes of Hadoop Streaming.
int submit(const JobRequest& request, bool streaming) {
  const auto submitted = submit_job(request);
  if (submitted) return 0;
  const auto code = submitted.error().code;
  return report(submitted.error(), request.options.format,
                streaming ? streaming_exit_code_of(code) : exit_code_of(code));
}

int exit_code_of_command(const JobFinished& job) {
  if (job.status == JobStatus::failed && job.failure == FailureKind::command_not_found) return exit_command_not_found;
  if (job.status == JobStatus::failed && job.exit_code != 0) return job.exit_code;
  return exit_code_of(job);
}

}  // namespace

int exit_code_of(const JobFinished& end) {
  if (end.status == JobStatus::succeeded) return 0;
  if (end.status == JobStatus::cancelled) return exit_cancelled;
  return end.failure == FailureKind::unreachable ? exit_code_of(Errc::unreachable) : 1;
}

int run_verb(const RunOptions& options) {
  if (options.command.empty() && options.job_file.empty()) {
    const auto end = run_topology(options.job);
    if (!end) return report(end.error(), options.job.format, exit_code_of(end.error().code));
    if (end->was_cancelled) return exit_cancelled;
    if (end->was_unreachable) return exit_code_of(Errc::unreachable);
    return end->succeeded ? 0 : 1;
  }
  JobRequest request;
  if (!options.command.empty()) {
    request = command_request(options);
  } else {
    const bool is_stdin = options.job_file == "-";
    auto file = is_stdin ? read_job_of_stdin() : config::read_job_file(options.job_file);
    if (!file) return report(file.error(), options.job.format, exit_code_of(file.error().code));
    request.options = options.job;
    request.graph = std::move(file->graph);
    if (!options.job.quiet)
      for (const auto& warning : dropped_records(request.graph)) fmt::print(stderr, "heddle: {}\n", warning);
    request.entries = std::move(file->settings);
  }
  if (options.is_submitted) return submit(request, false);
  const bool is_one_command = !options.command.empty() && options.tasks == 1;
  auto end = run_job(std::move(request));
  if (!end) return report(end.error(), options.job.format, exit_code_of(end.error().code));
  if (end->was_cancelled) return exit_cancelled;
  return is_one_command ? exit_code_of_command(end->finished) : exit_code_of(end->finished);
}

int map_reduce_verb(const MapReduceOptions& options) {
  JobRequest request;
  request.options = options.job;
  request.graph = options.graph;
  request.is_map_reduce = true;
  request.framework = options.framework;
  // Also with --quiet: a misspelt key changes the job.
  for (const auto& notice : options.notices) fmt::print(stderr, "heddle: {}\n", notice);
  if (options.in_background) return submit(request, true);
  auto end = run_job(std::move(request));
  if (!end) return report(end.error(), options.job.format, streaming_exit_code_of(end.error().code));
  return end->was_cancelled ? exit_cancelled : exit_code_of(end->finished);
}

int run_command_line(int argc, char** argv) {
  install_terminate_handler([] { print_sudden_document(SuddenEnd::no_resources); });
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto format = wanted_format(words);
  prepare_sudden_documents(format);
  work::own_all_children();
  allow_leftover_watches();
  const auto processors = static_cast<std::int32_t>(std::max(1U, std::thread::hardware_concurrency()));
  const auto command = parse_command_line(words, processors);
  if (command) {
    const int code = act(*command, format);
    work::kill_orphans();
    wait_if_interrupted_twice();
    return code;
  }
  const bool is_map_reduce = !words.empty() && words.front() == "mapreduce";
  return report(command.error(), format,
                is_map_reduce ? streaming_exit_code_of(command.error().code) : exit_code_of(command.error().code));
}

}  // namespace heddle::apps
