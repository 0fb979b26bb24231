#include "apps/cli/verbs.hpp"

#include <array>
#include <vector>

namespace heddle::apps {
namespace {

constexpr std::string_view of_applications = "start, show, await or end applications of a Hadoop cluster";

constexpr std::array<Verb, 12> table{{
    {"run", "heddle run [options] JOB.toml | - | [options] -- COMMAND…",
     "run a job file, or one command as tasks, and wait",
     "heddle run --master local[2] --tasks 4 -- sh -c 'echo task $HEDDLE_TASK_INDEX'"},
    {"mapreduce", "heddle mapreduce [options] -input PATH -output FOLDER -mapper COMMAND [-reducer COMMAND]",
     "run two commands as a Hadoop Streaming job",
     "heddle mapreduce -input src -output out -mapper 'tr -cs A-Za-z \\n' -reducer 'uniq -c' -numReduceTasks 2"},
    {"submit", "heddle submit --master yarn [options] JOB.toml | - | [options] -- COMMAND…",
     "start an application that needs no client, and print its id",
     "heddle submit --master yarn --queue night words.toml", of_applications},
    {"list", "heddle list --master yarn [options]", "list the applications of heddle that have not ended",
     "heddle list --master yarn --ended --format json", of_applications},
    {"info", "heddle info --master yarn [options] ID", "show an application: state, diagnostics, attempts, containers",
     "heddle info --master yarn application_1700000000000_0007", of_applications},
    {"wait", "heddle wait --master yarn [options] ID", "wait until an application has ended",
     "heddle wait --master yarn application_1700000000000_0007 && echo succeeded", of_applications},
    {"cancel", "heddle cancel --master yarn [options] ID", "kill an application, and wait until it has ended",
     "heddle cancel --master yarn application_1700000000000_0007", of_applications},
    {"logs", "heddle logs --master yarn [options] ID", "print the logs of the containers of an application",
     "heddle logs --master yarn --file stderr application_1700000000000_0007", of_applications},
    {"config", "heddle config --list | --explain KEY | --effective", "show settings: all, one, or the values in effect",
     "heddle config --explain spark.locality.wait"},
    {"completion", "heddle completion bash|zsh|fish", "print a completion script for a shell",
     "source <(heddle completion bash)"},
    {"help", "heddle help [VERB|job-file|settings]",
     "show the help of a verb, an example job file, or the sources of settings", "heddle help run"},
    {"version", "heddle version [--format FORM]", "show the version", "heddle version"},
}};

}  // namespace

std::span<const Verb> verbs() { return table; }

const Verb* find_verb(std::string_view name) {
  for (const auto& verb : table)
    if (verb.name == name) return &verb;
  return nullptr;
}

std::span<const std::string_view> verb_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const auto& verb : table) all.push_back(verb.name);
    return all;
  }();
  return names;
}

}  // namespace heddle::apps
