// Parsing inside Hadoop Streaming option values: commands, path lists, old key names.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "apps/cli/streaming_job.hpp"

namespace heddle::apps {

Result<std::vector<std::string>> split_streaming_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  std::size_t quote_at = 0;
  bool has_word = false;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char letter = command[at];
    if (quote != '\0') {
      if (letter == quote) quote = '\0';
      else word += letter;
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
      quote_at = at;
      has_word = true;
    } else if (letter == ' ') {
      if (has_word) words.push_back(std::exchange(word, {}));
      has_word = false;
    } else {
      word += letter;
      has_word = true;
    }
  }
  if (quote != '\0')
    return Error{Errc::usage,
                 fmt::format("the quote {} at character {} is not closed: {}", quote, quote_at + 1, command)};
  if (has_word) words.push_back(word);
  return words;
}

std::vector<std::string> split_input_paths(std::string_view paths) {
  std::vector<std::string> result;
  std::string path;
  int depth = 0;
  for (const char letter : paths) {
    if (letter == '{') ++depth;
    if (letter == '}' && depth > 0) --depth;
    if (letter == ',' && depth == 0) {
      if (!path.empty()) result.push_back(std::exchange(path, {}));
    } else {
      path += letter;
    }
  }
  if (!path.empty()) result.push_back(path);
  return result;
}

std::string present_hadoop_name(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 27> names{{
      {"map.output.key.field.separator", "mapreduce.map.output.key.field.separator"},
      {"mapred.reduce.tasks", "mapreduce.job.reduces"},
      {"mapred.map.tasks", "mapreduce.job.maps"},
      {"mapred.job.name", "mapreduce.job.name"},
      {"mapred.job.map.memory.mb", "mapreduce.map.memory.mb"},
      {"mapred.job.reduce.memory.mb", "mapreduce.reduce.memory.mb"},
      {"mapred.text.key.partitioner.options", "mapreduce.partition.keypartitioner.options"},
      {"mapred.text.key.comparator.options", "mapreduce.partition.keycomparator.options"},
      {"mapred.output.key.comparator.class", "mapreduce.job.output.key.comparator.class"},
      {"mapred.textoutputformat.separator", "mapreduce.output.textoutputformat.separator"},
      {"mapred.output.compress", "mapreduce.output.fileoutputformat.compress"},
      {"mapred.output.compression.codec", "mapreduce.output.fileoutputformat.compress.codec"},
      {"key.value.separator.in.input.line", "mapreduce.input.keyvaluelinerecordreader.key.value.separator"},
      {"mapred.line.input.format.linespermap", "mapreduce.input.lineinputformat.linespermap"},
      {"mapred.input.dir.recursive", "mapreduce.input.fileinputformat.input.dir.recursive"},
      {"mapred.min.split.size", "mapreduce.input.fileinputformat.split.minsize"},
      {"mapred.max.split.size", "mapreduce.input.fileinputformat.split.maxsize"},
      {"io.sort.mb", "mapreduce.task.io.sort.mb"},
      {"io.sort.factor", "mapreduce.task.io.sort.factor"},
      {"io.sort.spill.percent", "mapreduce.map.sort.spill.percent"},
      {"min.num.spills.for.combine", "mapreduce.map.combine.minspills"},
      {"mapred.max.map.failures.percent", "mapreduce.map.failures.maxpercent"},
      {"mapred.job.shuffle.input.buffer.percent", "mapreduce.reduce.shuffle.input.buffer.percent"},
      {"mapred.job.shuffle.merge.percent", "mapreduce.reduce.shuffle.merge.percent"},
      {"mapred.job.reduce.input.buffer.percent", "mapreduce.reduce.input.buffer.percent"},
      {"mapred.job.reduce.total.mem.bytes", "mapreduce.reduce.memory.totalbytes"},
      {"mapreduce.job.counters.limit", "mapreduce.job.counters.max"},
  }};
  for (const auto& [old_name, name] : names)
    if (old_name == key) return std::string{name};
  return std::string{key};
}

}  // namespace heddle::apps
