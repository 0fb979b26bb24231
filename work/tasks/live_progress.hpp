// Progress of the running attempt of a task slot: written by the threads of its bodies, read by any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "model/java_number.hpp"
#include "ports/task_progress.hpp"
#include "work/tasks/task_io.hpp"

namespace heddle::work {

class LiveProgress {
public:
  /// For the next attempt. `counters_max`: of the user; further ones are not kept.
  void clear(std::int32_t counters_max) {
    enter(ports::TaskPhase::starting, 0);
    signs_.store(0, std::memory_order_relaxed);
    const std::lock_guard lock{mutex_};
    status_.clear();
    counters_.clear();
    counters_max_ = static_cast<std::size_t>(counters_max);
    counter_bytes_ = 0;
  }
  void enter(ports::TaskPhase phase, float fraction) {
    phase_.store(phase, std::memory_order_relaxed);
    set_fraction(fraction);
  }
  void set_fraction(float fraction) { fraction_.store(fraction, std::memory_order_relaxed); }
  void add_sign() { signs_.fetch_add(1, std::memory_order_relaxed); }
  void set_status(std::string_view status) {
    const std::lock_guard lock{mutex_};
    status_ = status;
  }
  [[nodiscard]] bool keeps_counters() {
    const std::lock_guard lock{mutex_};
    return counters_max_ > 0;
  }
  /// `name`: "group\tname". Sums over all bodies of the attempt.
  void add_counter(std::string_view name, std::int64_t amount) {
    const std::lock_guard lock{mutex_};
    if (const auto known = counters_.find(name); known != counters_.end()) {
      known->second = java::wrap_add(known->second, amount);
      return;
    }
    const auto bytes = counter_bytes_ + bytes_of_counter(name);
    if (counters_.size() >= counters_max_ || bytes > user_counter_bytes_max) return;
    counters_.emplace(name, amount);
    counter_bytes_ = bytes;
  }
  /// Without the task counters.
  [[nodiscard]] ports::TaskProgress snapshot() {
    ports::TaskProgress now{phase_.load(std::memory_order_relaxed),
                            fraction_.load(std::memory_order_relaxed),
                            signs_.load(std::memory_order_relaxed),
                            {},
                            {}};
    const std::lock_guard lock{mutex_};
    now.status = status_;
    now.counters.user.assign(counters_.begin(), counters_.end());
    return now;
  }

private:
  std::atomic<ports::TaskPhase> phase_{ports::TaskPhase::starting};
  std::atomic<float> fraction_{0};
  std::atomic<std::int64_t> signs_{0};
  std::mutex mutex_;
  std::string status_;
  std::map<std::string, std::int64_t, std::less<>> counters_;
  std::size_t counters_max_ = 0;
  std::size_t counter_bytes_ = 0;
};

/// The input of a task, which reports its progress once per batch.
class MeasuredInput final : public TaskInput {
public:
  /// `fraction`: of the task, after each batch; called on the thread that reads.
  MeasuredInput(std::unique_ptr<TaskInput> input, LiveProgress& progress, std::function<float()> fraction)
      : input_{std::move(input)}, progress_{progress}, fraction_{std::move(fraction)} {}
  [[nodiscard]] Result<bool> next(RecordBatch& batch) override { return measured(input_->next(batch)); }
  [[nodiscard]] Result<bool> next_text(std::string_view& text) override { return measured(input_->next_text(text)); }
  [[nodiscard]] int ready_descriptor() const override { return input_->ready_descriptor(); }
  [[nodiscard]] std::string_view line_separator() const override { return input_->line_separator(); }
  [[nodiscard]] std::string_view kept_separator() const override { return input_->kept_separator(); }

private:
  Result<bool> measured(Result<bool> more) {
    progress_.set_fraction(fraction_());
    progress_.add_sign();
    return more;
  }

  std::unique_ptr<TaskInput> input_;
  LiveProgress& progress_;
  std::function<float()> fraction_;
};

}  // namespace heddle::work
