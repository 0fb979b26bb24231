// Runs task attempts on N slot threads: claims them from ranges, composes input, bodies and output, and reports in batches.
//
//   run(range) -> queue of ranges -> a slot claims one index at a time -> TaskExecution -> reports of the slot
//                                                                                          '-> on_reports: 512, 1 ms, or idle
//
// A claim is one atomic step, so that a long task never holds others back; a range costs one allocation, its tasks none.
// Attempts that are still running after a report interval are reported as running; shorter ones only by their end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ports/clock.hpp"
#include "ports/shuffle_fetch.hpp"
#include "ports/task_runner.hpp"
#include "work/command_runner.hpp"
#include "work/function_registry.hpp"
#include "work/record_reader.hpp"
#include "work/shuffle_reader.hpp"
#include "work/shuffle_writer.hpp"

namespace heddle::work {

struct SlotTaskRunnerSettings {
  std::int32_t slots = 1;
  std::string work_directory;  // attempts' folders, spills, logs; made when needed
  std::string log_directory;   // of kept standard outputs: <stage>.<stage attempt>/<index>.<attempt>.stdout; empty: none kept
  std::int64_t log_bytes_max = 16 << 20;
  std::int64_t report_interval_us = 1000;
  std::int32_t reports_max = 512;
  std::int64_t kill_grace_ms = 250;  // between SIGTERM and SIGKILL of a command that is to end
  double slowness = 1.0;             // a task is held until this many times its time has passed (topology files)
  CommandRunnerSettings command;
  RecordReaderSettings reader;
  ShuffleWriterSettings shuffle_writer;  // directory: of the application on this node
  ShuffleReaderSettings shuffle_reader;  // spill_directory empty: work_directory
};

class SlotTaskRunner final : public ports::TaskRunner {
public:
  /// What is handed in outlives the runner.
  SlotTaskRunner(SlotTaskRunnerSettings settings, const FunctionRegistry& functions, ports::ShuffleFetch& fetch, const ports::Clock& clock);
  ~SlotTaskRunner() override;
  SlotTaskRunner(const SlotTaskRunner&) = delete;
  SlotTaskRunner& operator=(const SlotTaskRunner&) = delete;

  void start(OnReports on_reports) override;
  void install_stage(std::shared_ptr<const StageWork> work) override;
  void forget_stage(const StageKey& stage) override;
  void set_locations(std::shared_ptr<const ports::ShuffleLocations> locations) override;
  void run(TaskRange range) override;
  std::vector<TaskRange> retract(std::int32_t count) override;
  void kill(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason) override;
  void drop_all(const std::string& reason) override;
  std::vector<RunningTask> running() override;
  void stop() override;

private:
  class Slots;
  std::unique_ptr<Slots> slots_;
};

}  // namespace heddle::work
