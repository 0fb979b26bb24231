#include "work/slot_task_runner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "work/process_tree.hpp"
#include "work/task_execution.hpp"

namespace heddle::work {
namespace {

struct StageState {
  std::shared_ptr<const StageWork> work;
  StageFunctions functions;
};

/// A range in the queue. `window` holds what is not claimed, as offsets from first_index: begin in the low half, end in the high one.
/// Slots move the begin, retract moves the end, each in one step.
struct QueuedRange {
  std::shared_ptr<const StageState> stage;
  TaskRange range;
  std::atomic<std::uint64_t> window{0};
  std::atomic<bool> has_killed{false};
  std::map<std::int32_t, bool> killed;  // offset, and whether it was reported; guarded by the runner's mutex
  std::string kill_reason;

  static std::uint64_t pack(std::uint32_t begin, std::uint32_t end) { return (static_cast<std::uint64_t>(end) << 32) | begin; }
  static std::uint32_t begin_of(std::uint64_t packed) { return static_cast<std::uint32_t>(packed); }
  static std::uint32_t end_of(std::uint64_t packed) { return static_cast<std::uint32_t>(packed >> 32); }

  /// The next offset, or -1.
  std::int32_t claim() {
    auto seen = window.load();
    while (begin_of(seen) < end_of(seen)) {
      if (window.compare_exchange_weak(seen, pack(begin_of(seen) + 1, end_of(seen)))) return static_cast<std::int32_t>(begin_of(seen));
    }
    return -1;
  }
  /// Takes up to `count` off the end; answers the first offset taken and how many.
  std::pair<std::int32_t, std::int32_t> take_back(std::int32_t count) {
    auto seen = window.load();
    while (true) {
      const auto begin = begin_of(seen);
      const auto end = end_of(seen);
      const auto taken = std::min<std::uint32_t>(end - begin, static_cast<std::uint32_t>(count));
      if (window.compare_exchange_weak(seen, pack(begin, end - taken))) {
        return {static_cast<std::int32_t>(end - taken), static_cast<std::int32_t>(taken)};
      }
    }
  }
  [[nodiscard]] bool is_empty() const {
    const auto seen = window.load();
    return begin_of(seen) >= end_of(seen);
  }
};

/// What a slot works on, and what it has not reported. Guarded by its mutex; `flush` keeps the order of its reports.
struct Slot {
  std::mutex flush;
  std::mutex mutex;
  std::shared_ptr<QueuedRange> range;   // nullptr: idle
  std::shared_ptr<QueuedRange> source;  // what it claims from, in the queue or not any more; guarded by the runner's mutex
  std::int32_t offset = 0;
  std::int64_t start_us = 0;
  bool is_reported_running = false;
  std::string kill_reason;
  std::vector<ports::TaskReport> reports;
  std::unique_ptr<TaskExecution> execution;
  std::thread thread;
};

ports::TaskReport report_of(const QueuedRange& range, std::int32_t offset) {
  ports::TaskReport report;
  report.stage = range.range.stage;
  report.index = range.range.first_index + offset;
  report.attempt = range.range.attempt;
  return report;
}

}  // namespace

class SlotTaskRunner::Slots {
public:
  Slots(SlotTaskRunnerSettings settings, const FunctionRegistry& functions, ports::ShuffleFetch& fetch, const ports::Clock& clock)
      : settings_{std::move(settings)}, functions_{functions}, clock_{clock} {
    for (std::int32_t i = 0; i < std::max(settings_.slots, 1); ++i) {
      slots_.push_back(std::make_unique<Slot>());
      slots_.back()->execution =
          std::make_unique<TaskExecution>(settings_, fetch, [this](ShuffleId shuffle) { return locations_of(shuffle); });
    }
  }

  void start(OnReports on_reports) {
    const std::lock_guard lock{mutex_};
    if (is_stopping_) return;  // a session may end before its executor has begun
    on_reports_ = std::move(on_reports);
    become_subreaper();
    for (auto& slot : slots_) slot->thread = std::thread{[this, one = slot.get()] { serve(*one); }};
    reporter_ = std::thread{[this] { report_late(); }};
  }

  void install_stage(std::shared_ptr<const StageWork> work) {
    auto state = std::make_shared<StageState>();
    state->functions = find_functions(*work, functions_);
    state->work = std::move(work);
    const std::lock_guard lock{mutex_};
    const StageKey key = state->work->key;
    stages_[key] = std::move(state);
  }

  void forget_stage(const StageKey& stage) {
    const std::lock_guard lock{mutex_};
    if (const auto found = stages_.find(stage); found != stages_.end()) {
      const auto state = std::move(found->second);
      stages_.erase(found);
      for (const auto& input : state->work->shuffle_inputs)
        if (!is_read(input.shuffle)) locations_.erase(input.shuffle);
    }
    for (auto& range : queue_) {
      if (range->range.stage == stage) range->take_back(range->range.count);
    }
  }

  void set_locations(std::shared_ptr<const ports::ShuffleLocations> locations) {
    const std::lock_guard lock{mutex_};
    const ShuffleId shuffle = locations->shuffle;
    locations_[shuffle] = std::move(locations);
  }

  void run(TaskRange range) {
    if (range.count <= 0) return;
    auto queued = std::make_shared<QueuedRange>();
    queued->window = QueuedRange::pack(0, static_cast<std::uint32_t>(range.count));
    queued->range = std::move(range);
    bool is_single = queued->range.count == 1;
    {
      const std::lock_guard lock{mutex_};
      const auto stage = stages_.find(queued->range.stage);
      if (stage != stages_.end()) {
        queued->stage = stage->second;
        queue_.push_back(queued);
      }
    }
    if (!queued->stage) return refuse(*queued);
    if (is_single) work_came_.notify_one();
    else work_came_.notify_all();
  }

  std::vector<TaskRange> retract(std::int32_t count) {
    std::vector<TaskRange> result;
    const std::lock_guard lock{mutex_};
    for (auto range = queue_.rbegin(); range != queue_.rend() && count > 0; ++range) {
      const auto [first, taken] = (*range)->take_back(count);
      if (taken == 0) continue;
      count -= taken;
      TaskRange part;
      part.stage = (*range)->range.stage;
      part.first_index = (*range)->range.first_index + first;
      part.count = taken;
      part.attempt = (*range)->range.attempt;
      const auto& splits = (*range)->range.splits;
      if (!splits.empty()) part.splits.assign(splits.begin() + first, splits.begin() + first + taken);
      const auto& devices = (*range)->range.devices;
      if (!devices.empty()) part.devices.assign(devices.begin() + first, devices.begin() + first + taken);
      result.push_back(std::move(part));
    }
    return result;
  }

  void kill(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason) {
    std::vector<ports::TaskReport> reports;
    {
      const std::lock_guard lock{mutex_};
      if (kill_running(stage, index, attempt, reason)) return;
      const auto mark = [&](QueuedRange& range) {
        const std::int32_t offset = index - range.range.first_index;
        if (range.range.stage != stage || range.range.attempt != attempt || offset < 0 || offset >= range.range.count) return;
        range.kill_reason = reason;
        auto& is_reported = range.killed[offset];
        range.has_killed = true;
        // Either this sees the claim, or the claimer sees the entry.
        const auto window = range.window.load();
        const auto at = static_cast<std::uint32_t>(offset);
        if (at >= QueuedRange::begin_of(window) && at < QueuedRange::end_of(window) && !is_reported) {
          is_reported = true;
          reports.push_back(killed_report(range, offset, reason));
        }
      };
      for (const auto& range : queue_) mark(*range);
      // A range leaves the queue with its last claim, before the claimer has begun: its slot knows it longer.
      for (const auto& slot : slots_)
        if (slot->source) mark(*slot->source);
    }
    if (!reports.empty()) on_reports_(std::move(reports));
  }

  void drop_all(const std::string& reason) {
    const std::lock_guard lock{mutex_};
    const auto drop = [&reason](QueuedRange& range) {
      range.take_back(range.range.count);
      // What was claimed and has not begun is skipped, as if it had been reported.
      for (std::int32_t offset = 0; offset < range.range.count; ++offset) range.killed[offset] = true;
      range.kill_reason = reason;
      range.has_killed = true;
    };
    for (const auto& range : queue_) drop(*range);
    for (auto& slot : slots_) {
      if (slot->source) drop(*slot->source);
      const std::lock_guard one{slot->mutex};
      if (!slot->range) continue;
      slot->kill_reason = reason;
      slot->execution->kill();
    }
  }

  std::vector<RunningTask> running() {
    std::vector<RunningTask> found;
    const auto now_us = clock_.now().time_since_epoch().count();
    for (const auto& slot : slots_) {
      const std::lock_guard lock{slot->mutex};
      if (!slot->range) continue;
      const auto records = slot->execution->records_read();
      if (records == 0) continue;
      const auto& range = slot->range->range;
      found.push_back({range.stage, range.first_index + slot->offset, range.attempt, records, now_us - slot->start_us});
    }
    return found;
  }

  void stop() {
    {
      const std::lock_guard lock{mutex_};
      if (is_stopping_) return;
      is_stopping_ = true;
      for (auto& range : queue_) range->take_back(range->range.count);
    }
    work_came_.notify_all();
    stopped_.notify_all();
    for (auto& slot : slots_) {
      const std::lock_guard lock{slot->mutex};
      if (slot->range) slot->execution->kill();
    }
    wake_reporter();
    for (auto& slot : slots_) {
      if (slot->thread.joinable()) slot->thread.join();
    }
    if (reporter_.joinable()) reporter_.join();
  }

private:
  std::shared_ptr<const ports::ShuffleLocations> locations_of(ShuffleId shuffle) {
    const std::lock_guard lock{mutex_};
    const auto found = locations_.find(shuffle);
    return found == locations_.end() ? nullptr : found->second;
  }

  /// By a stage that is installed. Under the mutex.
  [[nodiscard]] bool is_read(ShuffleId shuffle) const {
    return std::any_of(stages_.begin(), stages_.end(), [&](const auto& stage) {
      const auto& inputs = stage.second->work->shuffle_inputs;
      return std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) { return input.shuffle == shuffle; });
    });
  }

  void refuse(const QueuedRange& range) {
    std::vector<ports::TaskReport> reports;
    for (std::int32_t offset = 0; offset < range.range.count; ++offset) {
      reports.push_back(report_of(range, offset));
      reports.back().outcome.state = TaskState::failed;
      reports.back().outcome.failure = FailureKind::internal;
      reports.back().outcome.text = "a task came whose stage is not known here";
    }
    on_reports_(std::move(reports));
  }

  static ports::TaskReport killed_report(const QueuedRange& range, std::int32_t offset, const std::string& reason) {
    auto report = report_of(range, offset);
    report.outcome.state = TaskState::killed;
    report.outcome.failure = FailureKind::killed;
    report.outcome.text = reason;
    return report;
  }

  bool kill_running(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason) {
    for (auto& slot : slots_) {
      const std::lock_guard lock{slot->mutex};
      if (!slot->range || slot->range->range.stage != stage || slot->range->range.attempt != attempt) continue;
      if (slot->range->range.first_index + slot->offset != index) continue;
      slot->kill_reason = reason;
      slot->execution->kill();
      return true;
    }
    return false;
  }

  /// One slot's thread: claims and executes until stopped.
  void serve(Slot& slot) {
    std::shared_ptr<QueuedRange> range;
    bool is_first = true;
    std::int64_t now_us = 0;
    while (true) {
      std::int32_t offset = range ? range->claim() : -1;
      if (offset < 0) {
        const bool waited = next_range(slot, range);
        if (!range) return;
        is_first = is_first || waited;
        continue;
      }
      // Tasks in a row share a reading of the clock: the end of one is the start of the next.
      if (is_first) now_us = clock_.now().time_since_epoch().count();
      is_first = false;
      now_us = serve_one(slot, range, offset, now_us);
    }
  }

  std::int64_t serve_one(Slot& slot, const std::shared_ptr<QueuedRange>& range, std::int32_t offset, std::int64_t start_us) {
    slot.execution->prepare();
    {
      const std::lock_guard lock{slot.mutex};
      slot.range = range;
      slot.offset = offset;
      slot.start_us = start_us;
      slot.is_reported_running = false;
    }
    ports::TaskReport report = report_of(*range, offset);
    const bool is_skipped = range->has_killed.load() && was_killed(*range, offset, report);
    std::int64_t end_us = start_us;
    if (!is_skipped) {
      if (is_reporter_asleep_.load()) wake_reporter();
      const auto& splits = range->range.splits;
      const auto& devices = range->range.devices;
      const TaskAttempt attempt{range->stage->work.get(),
                                &range->stage->functions,
                                report.index,
                                report.attempt,
                                splits.empty() ? nullptr : &splits[static_cast<std::size_t>(offset)],
                                devices.empty() ? nullptr : &devices[static_cast<std::size_t>(offset)]};
      slot.execution->execute(attempt, report.outcome);
      end_us = clock_.now().time_since_epoch().count();
      if (settings_.slowness > 1.0) end_us = hold(start_us, end_us);
    }
    report.outcome.start_us = start_us;
    report.outcome.run_us = end_us - start_us;
    std::size_t waiting = 0;
    {
      const std::lock_guard lock{slot.mutex};
      if (report.outcome.state == TaskState::killed && report.outcome.text.empty()) report.outcome.text = slot.kill_reason;
      slot.range.reset();
      // An attempt that was reported when it was killed is not reported again.
      if (!is_skipped || !report.outcome.text.empty()) slot.reports.push_back(std::move(report));
      waiting = slot.reports.size();
    }
    if (waiting >= static_cast<std::size_t>(settings_.reports_max)) flush(slot);
    return end_us;
  }

  /// An attempt that was killed after its claim and before it ran; fills the report unless kill() has told already.
  bool was_killed(QueuedRange& range, std::int32_t offset, ports::TaskReport& report) {
    const std::lock_guard lock{mutex_};
    const auto found = range.killed.find(offset);
    if (found == range.killed.end()) return false;
    if (!found->second) report = killed_report(range, offset, range.kill_reason.empty() ? "killed" : range.kill_reason);
    found->second = true;
    return true;
  }

  /// A slow host, played: waits until the attempt has taken its time.
  std::int64_t hold(std::int64_t start_us, std::int64_t end_us) {
    const auto longer = static_cast<std::int64_t>(static_cast<double>(end_us - start_us) * (settings_.slowness - 1.0));
    std::unique_lock lock{mutex_};
    stopped_.wait_for(lock, std::chrono::microseconds{longer}, [this] { return is_stopping_.load(); });
    return clock_.now().time_since_epoch().count();
  }

  /// The next range with something to claim; nullptr when stopped. True if the slot had to wait.
  bool next_range(Slot& slot, std::shared_ptr<QueuedRange>& range) {
    range.reset();
    std::unique_lock lock{mutex_};
    const auto find = [&] {
      while (!queue_.empty() && queue_.front()->is_empty()) queue_.pop_front();
      if (!queue_.empty()) range = queue_.front();
      return range != nullptr || is_stopping_;
    };
    if (find()) {
      if (is_stopping_) range.reset();
      slot.source = range;
      return false;
    }
    slot.source.reset();
    lock.unlock();
    flush(slot);
    lock.lock();
    work_came_.wait(lock, find);
    if (is_stopping_) range.reset();
    slot.source = range;
    return true;
  }

  /// Hands on what a slot has to report.
  void flush(Slot& slot) {
    const std::lock_guard order{slot.flush};
    std::vector<ports::TaskReport> reports;
    {
      const std::lock_guard lock{slot.mutex};
      reports.swap(slot.reports);
      slot.reports.reserve(std::min<std::size_t>(reports.size(), static_cast<std::size_t>(settings_.reports_max)));
    }
    if (!reports.empty() && !is_silent()) on_reports_(std::move(reports));
  }

  /// Hands on what all slots have to report, and what they have been at for long, as one word. True if they may have more soon.
  bool flush_all() {
    std::vector<std::unique_lock<std::mutex>> orders;
    std::vector<ports::TaskReport> reports;
    bool is_active = false;
    for (auto& slot : slots_) {
      orders.emplace_back(slot->flush);
      const std::lock_guard lock{slot->mutex};
      is_active = is_active || !slot->reports.empty();
      reports.insert(reports.end(), std::make_move_iterator(slot->reports.begin()), std::make_move_iterator(slot->reports.end()));
      slot->reports.clear();
      if (!slot->range || slot->is_reported_running) continue;
      is_active = true;
      if (clock_.now().time_since_epoch().count() - slot->start_us < settings_.report_interval_us) continue;
      slot->is_reported_running = true;
      reports.push_back(report_of(*slot->range, slot->offset));
      reports.back().outcome.state = TaskState::running;
      reports.back().outcome.start_us = slot->start_us;
    }
    if (!reports.empty() && !is_silent()) on_reports_(std::move(reports));
    return is_active;
  }

  [[nodiscard]] bool is_silent() const { return is_stopping_.load(); }

  void wake_reporter() {
    const std::lock_guard lock{reporter_mutex_};
    is_reporter_asleep_ = false;
    reporter_woken_.notify_one();
  }

  /// Between two looks of the reporter. While slots find their next task in the queue nobody waits for what they have to say,
  /// and each word costs the turns of several threads.
  std::chrono::microseconds pause() {
    constexpr int patience = 4;
    const std::lock_guard lock{mutex_};
    const bool has_more = std::any_of(queue_.begin(), queue_.end(), [](const auto& range) { return !range->is_empty(); });
    return std::chrono::microseconds{settings_.report_interval_us * (has_more ? patience : 1)};
  }

  /// The reporter's thread: what slots that are busy have to say, once per interval; sleeps when there has been nothing for a while.
  /// Before that it looks by itself: tasks that come one by one would each have to wake it.
  void report_late() {
    constexpr int quiet_looks_max = 20;
    int quiet_looks = 0;
    while (!is_silent()) {
      quiet_looks = flush_all() ? 0 : quiet_looks + 1;
      const auto until_next = pause();
      std::unique_lock lock{reporter_mutex_};
      if (quiet_looks < quiet_looks_max) {
        reporter_woken_.wait_for(lock, until_next, [this] { return is_stopping_.load(); });
        continue;
      }
      is_reporter_asleep_ = true;
      lock.unlock();
      // A task that began before the line above did not wake anybody.
      bool is_busy = false;
      for (auto& slot : slots_) {
        const std::lock_guard one{slot->mutex};
        is_busy = is_busy || (slot->range && !slot->is_reported_running) || !slot->reports.empty();
      }
      lock.lock();
      if (!is_busy) reporter_woken_.wait(lock, [this] { return !is_reporter_asleep_.load() || is_stopping_.load(); });
      is_reporter_asleep_ = false;
    }
  }

  SlotTaskRunnerSettings settings_;
  const FunctionRegistry& functions_;
  const ports::Clock& clock_;
  OnReports on_reports_;
  std::vector<std::unique_ptr<Slot>> slots_;

  std::mutex mutex_;
  std::condition_variable work_came_;
  std::condition_variable stopped_;
  std::deque<std::shared_ptr<QueuedRange>> queue_;
  std::map<StageKey, std::shared_ptr<const StageState>> stages_;
  std::map<ShuffleId, std::shared_ptr<const ports::ShuffleLocations>> locations_;
  std::atomic<bool> is_stopping_{false};

  std::mutex reporter_mutex_;
  std::condition_variable reporter_woken_;
  std::atomic<bool> is_reporter_asleep_{false};
  std::thread reporter_;
};

SlotTaskRunner::SlotTaskRunner(SlotTaskRunnerSettings settings, const FunctionRegistry& functions, ports::ShuffleFetch& fetch,
                               const ports::Clock& clock)
    : slots_{std::make_unique<Slots>(std::move(settings), functions, fetch, clock)} {}

SlotTaskRunner::~SlotTaskRunner() { slots_->stop(); }

void SlotTaskRunner::start(OnReports on_reports) { slots_->start(std::move(on_reports)); }
void SlotTaskRunner::install_stage(std::shared_ptr<const StageWork> work) { slots_->install_stage(std::move(work)); }
void SlotTaskRunner::forget_stage(const StageKey& stage) { slots_->forget_stage(stage); }
void SlotTaskRunner::set_locations(std::shared_ptr<const ports::ShuffleLocations> locations) {
  slots_->set_locations(std::move(locations));
}
void SlotTaskRunner::run(TaskRange range) { slots_->run(std::move(range)); }
std::vector<TaskRange> SlotTaskRunner::retract(std::int32_t count) { return slots_->retract(count); }
void SlotTaskRunner::kill(const StageKey& stage, std::int32_t index, std::int32_t attempt, const std::string& reason) {
  slots_->kill(stage, index, attempt, reason);
}
void SlotTaskRunner::drop_all(const std::string& reason) { slots_->drop_all(reason); }
std::vector<RunningTask> SlotTaskRunner::running() { return slots_->running(); }
void SlotTaskRunner::stop() { slots_->stop(); }

}  // namespace heddle::work
