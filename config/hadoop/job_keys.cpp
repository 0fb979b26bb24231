#include "config/hadoop/job_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace heddle::config {

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

bool is_job_key(std::string_view key) {
  constexpr std::array<std::string_view, 12> keys{"mapreduce.job.reduces",
                                                  "mapreduce.job.maps",
                                                  "mapreduce.job.counters.max",
                                                  "mapreduce.task.io.sort.mb",
                                                  "mapreduce.task.io.sort.factor",
                                                  "mapreduce.map.sort.spill.percent",
                                                  "mapreduce.map.combine.minspills",
                                                  "mapreduce.reduce.shuffle.input.buffer.percent",
                                                  "mapreduce.reduce.shuffle.memory.limit.percent",
                                                  "mapreduce.reduce.shuffle.merge.percent",
                                                  "mapreduce.reduce.input.buffer.percent",
                                                  "mapreduce.reduce.memory.totalbytes"};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace heddle::config
