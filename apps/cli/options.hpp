// Options of the command line as plain values, one struct per verb. parse_command_line fills them, apps/commands/
// executes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/table/framework.hpp"
#include "config/table/master.hpp"
#include "model/job_graph.hpp"

namespace heddle::apps {

enum class Format : std::uint8_t { table, json, jsonl };
enum class DeployMode : std::uint8_t { client, cluster };

/// Options of every verb that runs jobs.
struct JobOptions {
  std::optional<config::MasterUrl> master;  // absent: --topology decides, else local[*]
  DeployMode deploy_mode = DeployMode::client;
  std::string topology;                  // path; empty: none
  std::vector<std::string> assignments;  // KEY=VALUE of --set, in order
  Format format = Format::table;
  bool quiet = false;
  bool no_progress = false;
};

/// `run JOB.toml`, `run -- COMMAND…` or `run --topology FILE`; `submit JOB.toml` or `submit -- COMMAND…`.
struct RunOptions {
  JobOptions job;
  std::string job_file;              // empty: a command, or the topology's applications
  std::vector<std::string> command;  // empty: a job file
  std::int32_t tasks = 1;            // tasks that run the command
  bool tasks_were_set = false;
  bool is_submitted = false;  // nobody waits for its end
};

/// `mapreduce …`: the graph is complete; input and output paths are not checked yet.
struct MapReduceOptions {
  JobOptions job;
  std::optional<config::Framework> framework = {};  // absent: the setting decides
  JobGraph graph;
  std::vector<std::string> notices;  // shown to the user before the job runs
  bool in_background = false;        // nobody waits for its end
};

enum class ConfigQuestion : std::uint8_t { list, explain, effective };

struct ConfigOptions {
  ConfigQuestion question = ConfigQuestion::list;
  std::string key;  // of --explain
  JobOptions job;
};

enum class ApplicationVerb : std::uint8_t { list, info, wait, cancel, logs };

/// `list`, `info ID`, `wait ID`, `cancel ID`, `logs ID`: applications of a running cluster.
struct ApplicationOptions {
  ApplicationVerb verb = ApplicationVerb::list;
  JobOptions job;           // master, assignments, format, quiet, no_progress
  std::string application;  // id, as written
  bool with_ended = false;
  bool with_all_types = false;
  std::string container;           // of logs; empty: all
  std::vector<std::string> files;  // names of log files; empty: those that heddle and its tasks write
  bool with_all_files = false;
};

/// Text to print on stdout; the exit code is 0.
struct Answer {
  std::string text;
  bool is_document = false;  // text is already JSON; with --format json any other text is wrapped in a document
};

using ParsedCommand = std::variant<Answer, RunOptions, MapReduceOptions, ConfigOptions, ApplicationOptions>;

}  // namespace heddle::apps
