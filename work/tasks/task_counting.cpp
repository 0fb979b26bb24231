#include "work/tasks/task_counting.hpp"

#include <algorithm>

namespace heddle::work {
namespace {

// Defaults of mapreduce.job.counters.group.name.max and counter.name.max, which a job does not change.
constexpr std::size_t group_name_max = 128;
constexpr std::size_t counter_name_max = 64;

}  // namespace

Result<bool> GroupCounter::next(RecordBatch& batch) {
  auto more = records_.next(batch);
  if (!more || !*more) return more;
  std::int64_t begun = groups() == 0 || batch.front().key != last_key_ ? 1 : 0;
  for (std::size_t i = 1; i < batch.size(); ++i) begun += batch[i].key != batch[i - 1].key ? 1 : 0;
  groups_.add(begun);
  last_key_.assign(batch.back().key);
  return more;
}

void count_input(const RecordReader& reader, TaskCounters& counters) {
  set_counter(counters, TaskCounter::map_input_records, reader.records_read());
  set_counter(counters, TaskCounter::bytes_read, reader.hadoop_bytes_read());
}

void count_input(const ShuffleReader& reader, std::int64_t groups, std::int64_t copied, std::int32_t maps,
                 const MapReduceRules& rules, TaskCounters& counters) {
  set_counter(counters, TaskCounter::reduce_input_groups, groups);
  set_counter(counters, TaskCounter::reduce_input_records, reader.records_read());
  set_counter(counters, TaskCounter::spilled_records, reduce_spilled_records(reader.segment_sizes(maps), rules));
  set_counter(counters, TaskCounter::shuffled_maps, copied);
  set_counter(counters, TaskCounter::merged_map_outputs, copied);
}

void count_output(const ShuffleCounts& written, TaskCounters& counters) {
  set_counter(counters, TaskCounter::map_output_records, written.records_in);
  set_counter(counters, TaskCounter::map_output_bytes, written.serialised_bytes);
  set_counter(counters, TaskCounter::combine_input_records, written.combine_records_in);
  set_counter(counters, TaskCounter::combine_output_records, written.combine_records_out);
  set_counter(counters, TaskCounter::spilled_records, written.spilled_records);
}

void count_output(const OutputWriter& writer, const TextOutput& output, bool is_reduce, TaskCounters& counters) {
  set_counter(counters, is_reduce ? TaskCounter::reduce_output_records : TaskCounter::map_output_records,
              writer.records_written());
  if (output.lazy) return;  // Hadoop's LazyOutputFormat counts no bytes
  set_counter(counters, TaskCounter::bytes_written, writer.bytes_written());
}

ReporterRules reporter_rules(const MapReduceRules& rules) {
  // One more than the job may have: the attempt fails then.
  return {rules.reporter_prefix, static_cast<std::size_t>(rules.counters_max) + 1, group_name_max, counter_name_max};
}

std::string excess_of_counters(const TaskOutcome& outcome, const MapReduceRules& rules) {
  const auto count = std::count_if(outcome.counters.begin(), outcome.counters.end(),
                                   [](const auto& counter) { return !is_counter_of_hadoop(counter.first); });
  return count <= rules.counters_max ? std::string{} : heddle::excess_of_counters(rules);
}

}  // namespace heddle::work
