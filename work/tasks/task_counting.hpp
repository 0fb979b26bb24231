// What a task attempt of a MapReduce job counts as Hadoop does.
#pragma once

#include <cstdint>
#include <string>

#include "model/stage_work.hpp"
#include "work/commands/command_runner.hpp"
#include "work/files/single_writer_counter.hpp"
#include "work/output/output_writer.hpp"
#include "work/records/record.hpp"
#include "work/records/record_reader.hpp"
#include "work/shuffle/shuffle_reader.hpp"
#include "work/shuffle/shuffle_writer.hpp"

namespace heddle::work {

/// Passes records on and counts runs of equal keys. Copies one key per batch. Any thread may read the count.
class GroupCounter final : public RecordStream {
public:
  explicit GroupCounter(RecordStream& records) : records_{records} {}
  [[nodiscard]] Result<bool> next(RecordBatch& batch) override;
  [[nodiscard]] std::int64_t groups() const { return groups_.value(); }

private:
  RecordStream& records_;
  std::string last_key_;
  SingleWriterCounter groups_;
};

/// Input of a map.
void count_input(const RecordReader& reader, TaskCounters& counters);
/// Input of a reduce that has copied the outputs of `copied` of `maps` maps. Precondition: it was read to its end.
void count_input(const ShuffleReader& reader, std::int64_t groups, std::int64_t copied, std::int32_t maps,
                 const MapReduceRules& rules, TaskCounters& counters);
/// Output of a map that reduces read.
void count_output(const ShuffleCounts& written, TaskCounters& counters);
/// Output of a reduce, or of a map without reduces.
void count_output(const OutputWriter& writer, const TextOutput& output, bool is_reduce, TaskCounters& counters);

[[nodiscard]] ReporterRules reporter_rules(const MapReduceRules& rules);
/// Why the attempt fails: it has more counters of its user than the job may have. Empty if it has not.
[[nodiscard]] std::string excess_of_counters(const TaskOutcome& outcome, const MapReduceRules& rules);

}  // namespace heddle::work
