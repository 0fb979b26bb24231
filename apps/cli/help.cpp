// Help, within one screen of 24 lines for each verb, from the tables that are parsed.
#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/verb_parsers.hpp"
#include "apps/cli/verbs.hpp"

namespace heddle::apps {
namespace {

void add_all(OptionTable& to, const OptionTable& from) {
  for (const auto& option : from.options()) to.add(option);
}

/// Hadoop's long list does not fit on a screen as rows: names only, the important ones explained.
constexpr std::string_view map_reduce_help = R"(run two commands as Hadoop Streaming would

usage: heddle mapreduce [options] -input PATH -output FOLDER -mapper COMMAND [-reducer COMMAND]

  -input PATH           files, folders or globs; repeatable
  -output FOLDER        committed once; must not exist
  -mapper COMMAND       lines on stdin, lines on stdout (key TAB value)
  -reducer COMMAND      the same, sorted by key; NONE: map only; aggregate: Hadoop's
  -combiner COMMAND     a reducer over one map task's output
  -numReduceTasks N     parts of the output (default 1)
  -file, -files FILE    put into the tasks' folder
  -cmdenv NAME=VALUE    environment of the commands; repeatable
  -D KEY=VALUE          a setting of Hadoop's or heddle's; repeatable
  -inputformat -outputformat -partitioner -inputreader -io -lazyOutput -conf -verbose
  --master MASTER       local[N] (default local[*]) or local-cluster[n,c,m]
  --set KEY=VALUE --topology FILE --format FORM --quiet --no-progress
exit codes, Hadoop's: 1 wrong words or job failed, 5 refused, as for missing input or existing output

example: count the words of a folder
  heddle mapreduce -input src -output out -mapper 'tr -cs A-Za-z \n' \
    -reducer 'uniq -c' -numReduceTasks 2
)";

/// A job file that runs as it stands once FOLDER is one of the reader's.
constexpr std::string_view job_file_text =
    R"(# A job file, for example: heddle help job-file > words.toml; heddle run words.toml
# Counts the words of every file below FOLDER into the folder counts.
name = "words"

[[stage]]                                       # one task for each split of the files
name = "split"
input = { text = "FOLDER/**" }                  # files, folders, globs
command = ["tr", "-cs", "A-Za-z", "\n"]         # lines on stdin, lines on stdout; no shell

[[stage]]
name = "count"
after = ["split"]                               # reads what split has written
shuffle = { key_fields = 1, order = "sorted" }  # equal words meet in one task, next to each other
partitions = 2                                  # tasks, and files of the output
command = ["uniq", "-c"]
output = { text = "counts" }                    # part-00000, ..., then _SUCCESS; must not exist

# Paths start at the folder in which heddle is called, wherever this file is.
# A stage may also say: tasks = N (instead of input), function, environment, files, cores, memory;
# its shuffle: separator, combiner, partitioner, comparator; its output: gzip, prefix.
[settings]                                      # as of heddle config --list
"heddle.task.max_failures" = 4
)";

constexpr std::string_view settings_text =
    R"(Settings: heddle config --list names them, --explain KEY tells one, --effective what counts here and why.

The first of these that names a key counts:
  1  --set KEY=VALUE, --queue, -D of mapreduce; then what --master says: cores, memory, tries of local[N,F]
  2  [settings]: of an [[application]], of the job file, of the topology, then its hadoop_conf folder
  3  heddle.toml: the one in the working folder, else in $XDG_CONFIG_HOME/heddle (~/.config/heddle)
  4  spark-defaults.conf in $SPARK_CONF_DIR, else in $SPARK_HOME/conf
  5  defaults: of the master, then of the setting

local[N] tries each task once, as Spark does: heddle.task.max_failures counts there from --set or from the job file,
not from files 3 and 4. $HADOOP_CONF_DIR and $YARN_CONF_DIR are not read: a topology names such a folder.
Keys of Spark and Hadoop are other names of heddle's: spark.locality.wait is heddle.locality.wait.

example: heddle.toml
  "heddle.locality.wait" = "1s"
  "heddle.event_log.dir" = "/var/tmp/heddle"      # a [settings] table may hold them, as in a job file
)";

}  // namespace

std::string_view settings_help() { return settings_text; }

std::string_view job_file_help() { return job_file_text; }

OptionTable options_of_verb(std::string_view verb) {
  OptionTable table;
  if (verb == "run") add_all(table, run_options());
  if (verb == "mapreduce") add_all(table, map_reduce_options());
  if (verb == "config") add_all(table, config_options());
  if (verb == "version") add_all(table, version_options());
  if (verb == "run" || verb == "mapreduce" || verb == "config") add_all(table, placement_options());
  if (verb == "run" || verb == "mapreduce" || verb == "config") add_all(table, output_options());
  return table;
}

std::string help_text() {
  std::string text =
      "heddle runs jobs of tasks on this machine or a cluster: split, map, shuffle, reduce.\n\nusage: heddle VERB "
      "[options]\n\n";
  for (const auto& verb : verbs()) text += fmt::format("  {:12}{}\n", verb.name, verb.sentence);
  text +=
      "\nexample: count the words of a folder\n"
      "  heddle mapreduce -input FOLDER -output counts -mapper 'tr -cs A-Za-z \\n' -reducer 'uniq -c'\n"
      "  sort -rn counts/part-* | head\n"
      "\nheddle help VERB shows a verb's options, heddle help job-file a job file to start from,\n"
      "heddle help settings where settings come from, heddle config --list every setting.\n"
      "\nexit codes: 0 done, 1 job failed, 2 wrong words or files, 3 not found, 4 refused, 5 unreachable, 6 timed "
      "out,\n"
      "7 cancelled (first Ctrl-C), 130 the second, 70 a defect; run -- COMMAND: the command's own, 127 not "
      "found\n";
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
        "\nA job file is TOML, - is stdin; heddle help job-file prints one to start from. With --format json stdout "
        "has\n"
        "one document, and what a command says is in the files that it names; the command reads nothing.\n";
  text += fmt::format("\nexample:\n  {}\n", verb->example);
  return text;
}

}  // namespace heddle::apps
