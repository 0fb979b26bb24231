// Help texts: at most 24 lines per verb, made from the option tables of the parsers.
#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/verb_parsers.hpp"
#include "apps/cli/verbs.hpp"

namespace heddle::apps {
namespace {

void add_all(OptionTable& to, const OptionTable& from) {
  for (const auto& option : from.options()) to.add(option);
}

/// One line per Hadoop option would exceed the screen: only the important options are explained, the others listed.
constexpr std::string_view map_reduce_help = R"(run two commands as a Hadoop Streaming job

usage: heddle mapreduce [options] -input PATH -output FOLDER -mapper COMMAND [-reducer COMMAND]

  -input PATH           input files, folders or globs; repeatable
  -output FOLDER        output folder; it must not exist
  -mapper COMMAND       reads lines on stdin, writes lines on stdout (key TAB value)
  -reducer COMMAND      the same, with lines sorted by key; NONE: map only; aggregate: as in Hadoop
  -combiner COMMAND     a reducer for the output of one map task
  -numReduceTasks N     number of output files (default 1)
  -file, -files FILE    place a file in the folders of the tasks
  -cmdenv NAME=VALUE    environment variable of the commands; repeatable
  -D KEY=VALUE          a setting of Hadoop or heddle; repeatable
  -inputformat -outputformat -partitioner -inputreader -io -lazyOutput -conf -verbose -background
  --framework NAME      driver (default), classic (JobTracker) or yarn (MapReduceMaster), on local-cluster[n,c,m]
  --master MASTER       local[N] (default local[*]), local-cluster[n,c,m] or yarn; with classic, yarn: a local cluster
  --set KEY=VALUE --topology FILE --format FORM --quiet --no-progress
exit codes as in Hadoop: 0 done, 1 wrong options or failed job, 5 refused (missing input, existing output),
unreachable or timed out, 7 cancelled (first Ctrl-C), 130 killed (second Ctrl-C), 70 a defect in heddle

example: count the words of a folder
  heddle mapreduce -input src -output out -mapper 'tr -cs A-Za-z \n' \
    -reducer 'uniq -c' -numReduceTasks 2
)";

/// A job file that runs unchanged after FOLDER is replaced by an existing folder.
constexpr std::string_view job_file_text =
    R"(# A job file, for example: heddle help job-file > words.toml; heddle run words.toml
# Counts the words of all files below FOLDER; the output folder is counts.
name = "words"

[[stage]]                                       # one task per split of the files
name = "split"
input = { text = "FOLDER/**" }                  # files, folders, globs
command = ["tr", "-cs", "A-Za-z", "\n"]         # lines on stdin, lines on stdout; no shell

[[stage]]
name = "count"
after = ["split"]                               # reads the output of split
shuffle = { key_fields = 1, order = "sorted" }  # sorts words; equal words go to one task
partitions = 2                                  # number of tasks and output files
command = ["uniq", "-c"]
output = { text = "counts" }                    # part-00000, ..., then _SUCCESS; must not exist

# Relative paths start at the working folder of heddle, not at the folder of this file.
# Other keys of a stage: tasks = N (instead of input), function, environment, files, cores, memory;
# of its shuffle: separator, combiner, partitioner, comparator; of its output: gzip, prefix.
[settings]                                      # heddle config --list lists them
"heddle.task.max_failures" = 4
)";

constexpr std::string_view settings_text =
    R"(Settings: heddle config --list lists all, --explain KEY explains one, --effective shows values and their sources.

The first source that names a setting wins:
  1  --set KEY=VALUE, --queue, -D of mapreduce; then --master: cores, memory, tries of local[N,F]
  2  [settings]: of an [[application]], of the job file, of the topology, then its hadoop_conf folder
  3  heddle.toml in the working folder, else in $XDG_CONFIG_HOME/heddle (~/.config/heddle)
  4  spark-defaults.conf in $SPARK_CONF_DIR, else in $SPARK_HOME/conf
  5  defaults of the master, then of the setting

local[N] tries each task once, as in Spark. There, heddle.task.max_failures works in --set and in the job file, not in
files 3 and 4. --master yarn finds its cluster in $HADOOP_CONF_DIR; other settings there need a topology that names it.
Keys of Spark and Hadoop are aliases: spark.locality.wait is heddle.locality.wait.

example: heddle.toml
  "heddle.locality.wait" = "1s"
  "heddle.event_log.dir" = "/var/tmp/heddle"      # or in a table [settings], as in a job file
)";

/// A line for each verb, or for several of one group.
std::string verb_lines() {
  std::string text;
  std::string names;  // of the verbs of the group so far
  for (auto verb = verbs().begin(); verb != verbs().end(); ++verb) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", verb->name);
    const auto next = verb + 1;
    if (!verb->group.empty() && next != verbs().end() && next->group == verb->group) continue;
    const bool is_wide = names.size() > 10;
    text +=
        fmt::format("  {:12}{}{}\n", names, is_wide ? "  " : "", verb->group.empty() ? verb->sentence : verb->group);
    names.clear();
  }
  return text;
}

}  // namespace

std::string_view settings_help() { return settings_text; }

std::string_view job_file_help() { return job_file_text; }

OptionTable options_of_verb(std::string_view verb) {
  OptionTable table;
  if (verb == "run" || verb == "submit") add_all(table, run_options());
  if (verb == "submit") add_all(table, submit_options());
  if (verb == "mapreduce") add_all(table, map_reduce_options());
  if (verb == "config") add_all(table, config_options());
  if (verb == "version") add_all(table, version_options());
  if (verb != "submit" && find_verb(verb) != nullptr && !find_verb(verb)->group.empty())
    return application_options(verb);
  if (verb == "run" || verb == "mapreduce" || verb == "config") add_all(table, placement_options());
  if (verb == "run" || verb == "mapreduce" || verb == "config") add_all(table, output_options());
  return table;
}

std::string help_text() {
  std::string text =
      "heddle runs jobs of tasks on this machine or a cluster: split, map, shuffle, reduce.\n\nusage: heddle VERB "
      "[options]\n\n";
  text += verb_lines();
  text +=
      "\nexample: count the words of a folder\n"
      "  heddle mapreduce -input FOLDER -output counts -mapper 'tr -cs A-Za-z \\n' -reducer 'uniq -c'\n"
      "  sort -rn counts/part-* | head\n"
      "\nheddle help VERB shows the options of a verb, heddle help job-file an example job file,\n"
      "heddle help settings the sources of settings, heddle config --list all settings.\n"
      "\nexit codes: 0 done, 1 job failed, 2 wrong options or files, 3 not found, 4 refused, 5 unreachable,\n"
      "6 timed out, 7 cancelled (first Ctrl-C), 130 killed (second Ctrl-C), 70 a defect in heddle;\n"
      "run -- COMMAND: the exit code of COMMAND, 127 command not found\n";
  return text;
}

std::string help_of_verb(std::string_view name) {
  if (name == "mapreduce") return std::string{map_reduce_help};
  const auto* verb = find_verb(name);
  if (verb == nullptr) return help_text();
  auto text = fmt::format("{}\n\nusage: {}\n", verb->sentence, verb->usage);
  const auto options = describe_options(options_of_verb(name));
  if (!options.empty()) text += "\n" + options;
  if (name == "run")
    text +=
        "\nA job file is TOML; - reads it from stdin; heddle help job-file prints an example. With --format json, "
        "stdout\n"
        "has one document; it names the files with the output of the command, and the command has no stdin.\n";
  if (name == "submit")
    text +=
        "\nPrints the id of the application when the ResourceManager has accepted it. heddle wait ID has the exit code "
        "of\nthe job, heddle logs ID the output of commands.\n";
  if (name == "logs")
    text += "\nWith --format json, stdout has one document with the names, sizes and places of the files.\n";
  if (name == "wait")
    text += "\nexit code: 0 succeeded, 1 failed, 7 killed; Ctrl-C ends the wait, the application goes on\n";
  text += fmt::format("\nexample:\n  {}\n", verb->example);
  return text;
}

}  // namespace heddle::apps
