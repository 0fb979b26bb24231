// Progress of the running attempt of a task slot: written by the threads of its bodies, read by any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "ports/task_progress.hpp"
#include "work/tasks/task_io.hpp"

namespace heddle::work {

class LiveProgress {
public:
  void clear() {
    enter(ports::TaskPhase::starting, 0);
    signs_.store(0, std::memory_order_relaxed);
    set_status({});
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
  [[nodiscard]] ports::TaskProgress snapshot() {
    ports::TaskProgress now{phase_.load(std::memory_order_relaxed),
                            fraction_.load(std::memory_order_relaxed),
                            signs_.load(std::memory_order_relaxed),
                            {}};
    const std::lock_guard lock{mutex_};
    now.status = status_;
    return now;
  }

private:
  std::atomic<ports::TaskPhase> phase_{ports::TaskPhase::starting};
  std::atomic<float> fraction_{0};
  std::atomic<std::int64_t> signs_{0};
  std::mutex mutex_;
  std::string status_;
};

/// The input of a task, which tells its progress once per batch.
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
