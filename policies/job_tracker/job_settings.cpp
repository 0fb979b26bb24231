#include "policies/job_tracker/job_settings.hpp"

#include <fmt/format.h>

#include <string_view>

namespace heddle::policies {
namespace {

void add(JobSettings& settings, std::string_view key, std::string value) {
  settings.emplace_back(key, std::move(value));
}

template <class Number>
void add_number(JobSettings& settings, std::string_view key, Number value) {
  add(settings, key, fmt::format("{}", value));
}

void add_rules(JobSettings& settings, const MapReduceRules& rules) {
  add_number(settings, "mapreduce.task.io.sort.mb", rules.sort_mib);
  add_number(settings, "mapreduce.task.io.sort.factor", rules.sort_factor);
  add_number(settings, "mapreduce.map.sort.spill.percent", rules.spill_part);
  add_number(settings, "mapreduce.map.combine.minspills", rules.combine_spills_min);
  add_number(settings, "mapreduce.reduce.memory.totalbytes", rules.reduce_memory);
  add_number(settings, "mapreduce.reduce.shuffle.input.buffer.percent", rules.copy_part);
  add_number(settings, "mapreduce.reduce.shuffle.memory.limit.percent", rules.single_part);
  add_number(settings, "mapreduce.reduce.shuffle.merge.percent", rules.merge_part);
  add_number(settings, "mapreduce.reduce.input.buffer.percent", rules.kept_part);
  add_number(settings, "mapreduce.job.counters.max", rules.counters_max);
  add(settings, "stream.stderr.reporter.prefix", rules.reporter_prefix);
}

}  // namespace

void add_job_settings(JobSettings& settings, const JobWork& work, const std::string& user, const std::string& queue) {
  settings.insert(settings.begin(), work.properties().begin(), work.properties().end());
  add(settings, "mapreduce.job.name", work.name());
  add(settings, "mapreduce.job.user.name", user);
  add(settings, "mapreduce.job.queuename", queue);
  add_number(settings, "mapreduce.job.maps", work.tasks(false));
  add_number(settings, "mapreduce.job.reduces", work.tasks(true));
  std::string inputs;
  for (const auto& input : work.program(false).inputs)
    for (const auto& path : input.paths) inputs += (inputs.empty() ? "" : ",") + path;
  if (!inputs.empty()) add(settings, "mapreduce.input.fileinputformat.inputdir", std::move(inputs));
  for (const auto& output : work.outputs()) add(settings, "mapreduce.output.fileoutputformat.outputdir", output.path);
  if (const auto& rules = work.program(false).map_reduce) add_rules(settings, *rules);
}

}  // namespace heddle::policies
