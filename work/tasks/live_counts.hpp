// Counts of the running attempt of a task slot: set by its threads, read by any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "model/stage_work.hpp"
#include "work/output/output_writer.hpp"
#include "work/records/record_reader.hpp"
#include "work/shuffle/shuffle_reader.hpp"
#include "work/shuffle/shuffle_writer.hpp"
#include "work/tasks/task_counting.hpp"

namespace heddle::work {

class LiveCounts {
public:
  /// Input and output of the attempt; null: not open, or it has none.
  struct Sources {
    bool of_map_reduce = false;  // the attempt is one of a MapReduce job
    const RecordReader* reader = nullptr;
    const ShuffleReader* shuffle_reader = nullptr;
    const GroupCounter* groups = nullptr;  // of a reduce of a MapReduce job
    const ShuffleWriter* shuffle_writer = nullptr;
    const OutputWriter* output_writer = nullptr;
    const TextOutput* output = nullptr;  // of the output writer
  };
  /// The sources must live until clear().
  void use(const Sources& sources);
  void clear();
  void set_bytes_read(std::int64_t bytes) { bytes_read_.store(bytes, std::memory_order_relaxed); }
  void set_maps_copied(std::int64_t maps) { maps_copied_.store(maps, std::memory_order_relaxed); }

  [[nodiscard]] std::int64_t records_read();
  /// Sets the counters that an attempt of a MapReduce job has before its end.
  void set_task_counters(TaskCounters& counters);

private:
  std::atomic<std::int64_t> bytes_read_{0};
  std::atomic<std::int64_t> maps_copied_{0};
  std::mutex mutex_;
  Sources sources_;
};

}  // namespace heddle::work
