// Runs task attempts on N slot threads: claims them from ranges, composes input, bodies and output, and reports in
// batches.
//
//   run(range) -> queue of ranges -> a slot claims one index at a time -> TaskExecution -> reports of the slot
//                                                                                          '-> on_reports: 512, 1 ms,
//                                                                                          or idle
//
// A claim is one atomic step, so that a long task never holds others back; a range costs one allocation, its tasks
// none. Attempts that are still running after a report interval are reported as running; shorter ones only by their
// end.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
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
#include "work/records/record_reader.hpp"
#include "work/shuffle/shuffle_reader.hpp"
#include "work/shuffle/shuffle_writer.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::work {

struct InstalledStage;
struct QueuedRange;
struct Slot;

struct SlotTaskRunnerSettings {
  std::int32_t slots = 1;
  std::string work_directory;  // attempts' folders, spills, logs; made when needed
  std::string
      log_directory;  // of kept standard outputs: <stage>.<stage attempt>/<index>.<attempt>.stdout; empty: none kept
  std::int64_t log_bytes_max = 16 << 20;
  std::int64_t report_interval_us = 1000;
  std::int32_t reports_max = 512;
  std::int64_t kill_grace_ms = 250;  // between SIGTERM and SIGKILL of a command that is to end
  double slowness = 1.0;             // a task is held until this many times its time has passed (topology files)
  bool syncs_output = true;          // a commit will wait until part files are on the disk
  CommandRunnerSettings command;
  RecordReaderSettings reader;
  ShuffleWriterSettings shuffle_writer;  // directory: of the application on this node
  ShuffleReaderSettings shuffle_reader;  // spill_directory empty: work_directory
};

class SlotTaskRunner final : public ports::TaskRunner {
public:
  /// What is handed in outlives the runner.
  SlotTaskRunner(SlotTaskRunnerSettings settings, const FunctionRegistry& functions, ports::ShuffleFetch& fetch,
                 const ports::Clock& clock);
  ~SlotTaskRunner() override;
  SlotTaskRunner(const SlotTaskRunner&) = delete;
  SlotTaskRunner& operator=(const SlotTaskRunner&) = delete;

  /// Starts the threads of the slots, which wait for start() and for tasks. An Error where the system has no more.
  [[nodiscard]] Result<Done> make_threads();
  /// Makes the threads where nobody has; throws where that cannot be done.
  void start(OnReports on_reports) override;
  void install_stage(std::shared_ptr<const StageProgram> work) override;
  void forget_stage(const StageKey& stage) override;
  void set_locations(std::shared_ptr<const ports::ShuffleLocations> locations) override;
  void run(TaskRange range) override;
  std::vector<TaskRange> retract(std::int32_t count) override;
  void kill(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason) override;
  void drop_all(const std::string& reason) override;
  std::vector<RunningTask> running() override;
  void stop() override;

private:
  std::shared_ptr<const ports::ShuffleLocations> locations_of(ShuffleId shuffle);
  /// By a stage that is installed. Under the mutex.
  [[nodiscard]] bool is_read(ShuffleId shuffle) const;
  void refuse(const QueuedRange& range);
  bool kill_running(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason);
  /// One slot's thread: claims and executes until stopped.
  void serve(Slot& slot);
  /// What a slot does to an attempt that it may run. An exception fails the attempt.
  void execute(Slot& slot, const QueuedRange& range, std::int32_t offset, ports::TaskReport& report);
  std::int64_t serve_one(Slot& slot, const std::shared_ptr<QueuedRange>& range, std::int32_t offset,
                         std::int64_t start_us);
  /// An attempt that was killed after its claim and before it ran; fills the report unless kill() has told already.
  bool was_killed(QueuedRange& range, std::int32_t offset, ports::TaskReport& report);
  /// A slow host, played: waits until the attempt has taken its time.
  std::int64_t hold(std::int64_t start_us, std::int64_t end_us);
  /// The next range with something to claim; nullptr when stopped. True if the slot had to wait.
  bool next_range(Slot& slot, std::shared_ptr<QueuedRange>& range);
  /// Hands on what a slot has to report.
  void flush(Slot& slot);
  /// Hands on what all slots have to report, and what they have been at for long, as one word. True if they may have
  /// more soon.
  bool flush_all();
  void wake_reporter();
  /// Between two looks of the reporter. While slots find their next task in the queue nobody waits for what they have
  /// to say, and each word costs the turns of several threads.
  std::chrono::microseconds pause();
  /// The reporter's thread: what slots that are busy have to say, once per interval; sleeps when there has been nothing
  /// for a while. Before that it looks by itself: tasks that come one by one would each have to wake it.
  void report_late();
  /// Holds the lock of the reporter before and after.
  void sleep_until_woken(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool is_silent() const { return is_stopping_.load(); }

  SlotTaskRunnerSettings settings_;
  const FunctionRegistry& functions_;
  const ports::Clock& clock_;
  OnReports on_reports_;
  std::vector<std::unique_ptr<Slot>> slots_;

  std::mutex mutex_;
  std::condition_variable work_came_;
  std::condition_variable stopped_;
  std::deque<std::shared_ptr<QueuedRange>> queue_;
  std::map<StageKey, std::shared_ptr<const InstalledStage>> stages_;
  std::map<ShuffleId, std::shared_ptr<const ports::ShuffleLocations>> locations_;
  std::atomic<bool> is_stopping_{false};

  std::mutex reporter_mutex_;
  std::condition_variable reporter_woken_;
  std::atomic<bool> is_reporter_asleep_{false};
  std::thread reporter_;
};

}  // namespace heddle::work
