#include "work/tasks/live_counts.hpp"

namespace heddle::work {

void LiveCounts::use(const Sources& sources) {
  const std::lock_guard lock{mutex_};
  sources_ = sources;
}

void LiveCounts::clear() {
  const std::lock_guard lock{mutex_};
  sources_ = {};
  set_bytes_read(0);
  set_maps_copied(0);
}

std::int64_t LiveCounts::records_read() {
  const std::lock_guard lock{mutex_};
  if (sources_.reader != nullptr) return sources_.reader->records_read();
  return sources_.shuffle_reader != nullptr ? sources_.shuffle_reader->records_read() : 0;
}

void LiveCounts::set_task_counters(TaskCounters& counters) {
  const std::lock_guard lock{mutex_};
  const auto& [of_map_reduce, reader, shuffle_reader, groups, shuffle_writer, output_writer, output] = sources_;
  if (!of_map_reduce) return;
  if (reader != nullptr) {
    set_counter(counters, TaskCounter::map_input_records, reader->records_read());
    set_counter(counters, TaskCounter::bytes_read, bytes_read_.load(std::memory_order_relaxed));
  }
  if (shuffle_reader != nullptr) {
    set_counter(counters, TaskCounter::shuffled_maps, maps_copied_.load(std::memory_order_relaxed));
    set_counter(counters, TaskCounter::reduce_input_records, shuffle_reader->records_read());
  }
  if (groups != nullptr) set_counter(counters, TaskCounter::reduce_input_groups, groups->groups());
  if (shuffle_writer != nullptr) count_output(shuffle_writer->counts(), counters);
  if (output_writer != nullptr) count_output(*output_writer, *output, shuffle_reader != nullptr, counters);
}

}  // namespace heddle::work
