// Runs task attempts on N slot threads: claims them from ranges, executes them, and reports their outcomes in batches.
//
//   run(range) -> queue of ranges -> a slot claims one attempt at a time -> TaskExecution -> reports of the slot
//                                                                           on_reports <-'   at 512 reports, after
//                                                                                            1 ms, or if idle
//
// A claim is one atomic operation, so that a long task never blocks others; a range needs one allocation, its tasks
// none. Attempts that run longer than a report interval are reported as running; shorter ones only when they end.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "model/result.hpp"
#include "ports/clock.hpp"
#include "ports/shuffle_fetch.hpp"
#include "ports/task_runner.hpp"
#include "work/commands/command_runner.hpp"
#include "work/files/local_file_system.hpp"
#include "work/output/shipped_files.hpp"
#include "work/records/record_reader.hpp"
#include "work/shuffle/shuffle_reader.hpp"
#include "work/shuffle/shuffle_writer.hpp"
#include "work/tasks/function_registry.hpp"
#include "work/tasks/location_tables.hpp"
#include "work/tasks/log_output.hpp"

namespace heddle::work {

struct InstalledStage;
struct QueuedRange;
struct Slot;

struct SlotTaskRunnerSettings {
  std::int32_t slots = 1;
  ports::FileSystem* files = &local_files();  // of inputs and outputs; must outlive the runner
  std::string work_directory;                 // folders of attempts, spills, logs; created when needed
  std::string log_directory;                  // folder of kept standard output; empty: keep none
  LogPlace log_place = LogPlace::stage_folders;
  std::int64_t log_bytes_max = 16 << 20;
  bool has_reporter = true;  // false: no reports of running attempts; ends are sent when no attempt waits for a slot
  std::int64_t report_interval_us = 1000;
  std::int32_t reports_max = 512;
  std::int64_t kill_grace_ms = 250;  // between SIGTERM and SIGKILL of a command
  double slowness = 1.0;             // simulated slow host: a task takes its time times this factor (topology files)
  bool syncs_output = true;          // start to sync part files early, because a commit waits for the sync
  CommandRunnerSettings command;
  RecordReaderSettings reader;
  ShuffleWriterSettings shuffle_writer;  // directory: folder of the application on this node
  ShuffleReaderSettings shuffle_reader;  // spill_directory empty: work_directory
  ports::MakeCopyRules copy_rules;       // empty: the first lost map output fails a task
  ports::MakeMergeRules merge_rules;     // of jobs of MapReduce; empty: shuffle_reader.memory_bytes
};

/// Time between two looks of the reporter at its slots, after so many looks without new tasks or reports. Fixed while
/// tasks are queued: then no slot waits for the Driver's response, and each batch wakes several threads. Otherwise a
/// slot without tasks sends its reports itself, and the reporter only reports tasks that run long, so it looks less
/// often: with an interval of 1 ms after 1, 2, 4, 8, 8 ms.
[[nodiscard]] std::chrono::microseconds reporter_pause(std::chrono::microseconds interval, bool has_queued,
                                                       int quiet_looks);

class SlotTaskRunner final : public ports::TaskRunner {
public:
  /// `functions`, `fetch` and `clock` must outlive the runner.
  SlotTaskRunner(SlotTaskRunnerSettings settings, const FunctionRegistry& functions, ports::ShuffleFetch& fetch,
                 const ports::Clock& clock);
  ~SlotTaskRunner() override;
  SlotTaskRunner(const SlotTaskRunner&) = delete;
  SlotTaskRunner& operator=(const SlotTaskRunner&) = delete;

  /// Starts the slot threads, which wait for start() and for tasks. Errc::io if the system has no threads left.
  [[nodiscard]] Result<Done> make_threads();
  /// Starts the threads if make_threads() was not called; then throws if that fails.
  void start(OnReports on_reports) override;
  void load_stage(std::shared_ptr<const StageProgram> work) override;
  void unload_stage(const StageKey& stage) override;
  void set_locations(std::shared_ptr<const ports::ShuffleLocations> locations) override;
  void run(TaskRange range) override;
  std::vector<TaskRange> retract(std::int32_t count) override;
  void kill(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason) override;
  void drop_all(const std::string& reason) override;
  std::vector<RunningTask> running() override;
  std::optional<ports::TaskProgress> progress(const StageKey& stage, std::int32_t index, std::int32_t attempt) override;
  void stop() override;
  /// Adds a sign of life to the attempts that run.
  void add_sign();
  /// Sends the text for the user as a report of an attempt that runs, because tasks wait. Drops it if none runs, and
  /// within 10 s of the last one. Callers must not hold a lock that a report needs.
  void report_wait(const std::string& text);

private:
  /// Returns true if an installed stage reads the shuffle. Precondition: the mutex is locked.
  [[nodiscard]] bool is_read(ShuffleId shuffle) const;
  /// Reports its tasks as failed; one of them if their number is impossible.
  void refuse(const TaskRange& range, const std::string& text);
  bool kill_running(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason);
  /// Calls act(slot) with the locked slot that runs this attempt. Returns false if no slot does.
  template <class Act>
  bool with_slot_of(const StageKey& stage, std::int32_t index, std::int32_t attempt, const Act& act);
  /// Thread function of a slot: claims and executes attempts until stopped.
  void run_slot(Slot& slot);
  /// Executes one attempt. An exception fails the attempt.
  void execute(Slot& slot, const QueuedRange& range, std::int32_t offset, ports::TaskReport& report);
  std::int64_t run_attempt(Slot& slot, const std::shared_ptr<QueuedRange>& range, std::int32_t offset,
                           std::int64_t start_us);
  /// Returns true if the attempt was killed between its claim and its start; fills the report unless kill() has
  /// reported it.
  bool was_killed(QueuedRange& range, std::int32_t offset, ports::TaskReport& report);
  /// Simulates a slow host: waits until the attempt has taken its time; returns the new end time in microseconds.
  std::int64_t simulate_slowness(std::int64_t start_us, std::int64_t end_us);
  /// Finds the next range with an unclaimed attempt; nullptr when stopped. Returns true if the slot had to wait.
  bool next_range(Slot& slot, std::shared_ptr<QueuedRange>& range);
  /// Sends the reports of one slot.
  void flush(Slot& slot);
  /// Sends the reports of all slots, and of attempts that run longer than the interval, as one batch. Returns true if
  /// slots may soon have more.
  bool flush_all();
  void wake_reporter();
  /// Time until the next look of the reporter, see reporter_pause().
  std::chrono::microseconds pause(int quiet_looks);
  /// Thread function of the reporter: sends reports of busy slots once per interval, and sleeps after a while without
  /// reports. Until then it polls, because waking it for each of many short tasks would cost more.
  void run_reporter();
  /// Precondition and postcondition: the mutex of the reporter is locked.
  void sleep_until_woken(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool is_stopping() const { return is_stopping_.load(); }

  SlotTaskRunnerSettings settings_;
  const FunctionRegistry& functions_;
  const ports::Clock& clock_;
  OnReports on_reports_;
  std::vector<std::unique_ptr<Slot>> slots_;

  std::mutex mutex_;
  std::condition_variable work_available_;
  std::condition_variable stopped_;
  std::deque<std::shared_ptr<QueuedRange>> queue_;
  std::map<StageKey, std::shared_ptr<const InstalledStage>> stages_;
  LocationTables locations_;
  ShippedFiles shipped_;
  std::atomic<bool> is_stopping_{false};
  std::atomic<std::int64_t> next_wait_us_{std::numeric_limits<std::int64_t>::min()};  // earliest time of the next text

  std::mutex reporter_mutex_;
  std::condition_variable reporter_woken_;
  std::atomic<bool> is_reporter_asleep_{false};
  std::thread reporter_;
};

}  // namespace heddle::work
