// What a C++ task function sees: its input as lines or records, its output, who it is, counters, and whether to stop.
// Belongs to one attempt and one thread. Broken input or a full disk end the function by an exception that fails the
// attempt.
#pragma once

#include <array>
#include <atomic>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/devices.hpp"
#include "model/result.hpp"
#include "work/records/record.hpp"
#include "work/tasks/task_ends.hpp"

namespace heddle::work {

/// Input or output broke while a function ran; what a RecordStream or sink said.
class TaskError : public std::runtime_error {
public:
  enum class Side : std::uint8_t { input, output };
  TaskError(Side side, Error error) : std::runtime_error{error.text}, side_{side}, error_{std::move(error)} {}
  [[nodiscard]] Side side() const { return side_; }
  [[nodiscard]] const Error& error() const { return error_; }

private:
  Side side_;
  Error error_;
};

struct TaskIdentity {
  std::int32_t index = 0;
  std::int32_t count = 1;  // tasks of the stage
  std::int32_t attempt = 0;
  const TaskDevices* devices = nullptr;                     // nullptr: none
  const std::vector<std::string>* barrier_hosts = nullptr;  // the same
};

/// The types that are written in decimal: every whole number but truth values and letters.
template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

class TaskContext {
public:
  /// Input, output and argument outlive the context. `is_killed` is set from another thread.
  TaskContext(const TaskIdentity& identity, TaskInput& input, TaskOutput& output, const std::atomic<bool>& is_killed,
              std::string_view argument = {})
      : identity_{identity}, argument_{argument}, input_{input}, output_{output}, is_killed_{is_killed} {}

  [[nodiscard]] std::int32_t index() const { return identity_.index; }
  [[nodiscard]] std::int32_t count() const { return identity_.count; }
  [[nodiscard]] std::int32_t attempt() const { return identity_.attempt; }
  /// Addresses of the devices of a kind that the task holds, in the order in which its executor found them; empty:
  /// none.
  [[nodiscard]] const std::vector<std::string>& devices(std::string_view kind) const;
  /// Of a barrier stage: the host of each of its tasks, by index(). Empty otherwise.
  [[nodiscard]] const std::vector<std::string>& barrier_hosts() const;
  /// What the stage says to its function: the same for every task.
  [[nodiscard]] std::string_view argument() const { return argument_; }
  /// True once the attempt is not wanted any more; reading input checks it by itself, at every batch.
  [[nodiscard]] bool is_killed() const { return is_killed_.load(std::memory_order_relaxed); }

  /// The input once, as lines without their end. Views live until the next line is asked for.
  class Lines;
  [[nodiscard]] Lines lines();
  /// The input once, as keys and values: of a shuffle in its order, of key-value files as they stand; of text the key
  /// is empty.
  class Records;
  [[nodiscard]] Records records();
  /// The input once, as groups of neighbours whose keys are the same bytes: after a sorted shuffle, one group per key.
  class Group;
  class Groups;
  [[nodiscard]] Groups groups();

  /// Writes a record of a key and a value; as text: key, separator, value.
  void emit(std::string_view key, std::string_view value) { check(output_.add_pair(key, value)); }
  /// Writes a record whose value is a number in decimal.
  template <WholeNumber Number>
  void emit(std::string_view key, Number value) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    emit(key, std::string_view{digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  /// Writes a line; its key is what the stage's key format says.
  void emit(std::string_view line) { check(output_.add_line(line)); }

  void add_to_counter(std::string_view group, std::string_view name, std::int64_t amount);
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> take_counters();

private:
  static void check(const Result<Done>& result) {
    if (!result) throw TaskError{TaskError::Side::output, result.error()};
  }
  enum class Shape : std::uint8_t { pairs, lines };
  /// False at the end; throws when the input is broken or the attempt was killed.
  bool next_batch(Shape shape);
  /// The record as the line it was, in a buffer of ours where its parts do not lie side by side.
  std::string_view join(const Record& record);

  TaskIdentity identity_;
  std::string_view argument_;
  TaskInput& input_;
  TaskOutput& output_;
  const std::atomic<bool>& is_killed_;
  RecordBatch batch_;
  std::string joined_;
  std::map<std::string, std::int64_t, std::less<>> counters_;
};

/// Single pass: begin() starts where the input stands.
class TaskContext::Records {
public:
  struct End {};
  class Iterator {
  public:
    explicit Iterator(TaskContext* task, Shape shape = Shape::pairs) : task_{task}, shape_{shape} { refill(); }
    const Record& operator*() const { return *at_; }
    const Record* operator->() const { return at_; }
    Iterator& operator++() {
      if (++at_ == end_) refill();
      return *this;
    }
    bool operator==(End) const { return at_ == nullptr; }

  private:
    void refill() {
      if (!task_->next_batch(shape_)) {
        at_ = end_ = nullptr;
        return;
      }
      at_ = task_->batch_.data();
      end_ = at_ + task_->batch_.size();
    }
    TaskContext* task_;
    Shape shape_;
    const Record* at_ = nullptr;
    const Record* end_ = nullptr;
  };
  explicit Records(TaskContext* task) : task_{task} {}
  [[nodiscard]] Iterator begin() const { return Iterator{task_}; }
  [[nodiscard]] End end() const { return {}; }

private:
  TaskContext* task_;
};

class TaskContext::Lines {
public:
  class Iterator {
  public:
    explicit Iterator(TaskContext* task) : task_{task}, at_{task, Shape::lines} {}
    std::string_view operator*() const { return at_->key.empty() ? at_->value : task_->join(*at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(Records::End end) const { return at_ == end; }

  private:
    TaskContext* task_;
    Records::Iterator at_;
  };
  explicit Lines(TaskContext* task) : task_{task} {}
  [[nodiscard]] Iterator begin() const { return Iterator{task_}; }
  [[nodiscard]] Records::End end() const { return {}; }

private:
  TaskContext* task_;
};

/// One key and its values, once. Values that are not looked at are skipped when the next group is asked for.
class TaskContext::Group {
public:
  explicit Group(TaskContext* task) : at_{task} { open(); }
  /// Lives until the next group.
  [[nodiscard]] std::string_view key() const { return key_; }

  /// for (std::string_view value : group): a view lives until the next value.
  class Iterator {
  public:
    explicit Iterator(Group* group) : group_{group} {}
    std::string_view operator*() const { return group_->at_->value; }
    Iterator& operator++() {
      group_->step();
      return *this;
    }
    bool operator==(Records::End) const { return !group_->has_value_; }

  private:
    Group* group_;
  };
  [[nodiscard]] Iterator begin() { return Iterator{this}; }
  [[nodiscard]] Records::End end() const { return {}; }

private:
  friend class Groups;
  void open() {
    has_value_ = !(at_ == Records::End{});
    if (has_value_) key_.assign(at_->key);
  }
  void step() {
    ++at_;
    has_value_ = !(at_ == Records::End{}) && at_->key == key_;
  }
  void go_on() {
    while (has_value_) step();
    open();
  }

  Records::Iterator at_;
  std::string key_;
  bool has_value_ = false;
};

/// for (auto& group : task.groups()): a group lives until the next one.
class TaskContext::Groups {
public:
  class Iterator {
  public:
    explicit Iterator(Group* group) : group_{group} {}
    Group& operator*() const { return *group_; }
    Iterator& operator++() {
      group_->go_on();
      return *this;
    }
    bool operator==(Records::End end) const { return group_->at_ == end; }

  private:
    Group* group_;
  };
  explicit Groups(TaskContext* task) : group_{task} {}
  [[nodiscard]] Iterator begin() { return Iterator{&group_}; }
  [[nodiscard]] Records::End end() const { return {}; }

private:
  Group group_;
};

inline TaskContext::Groups TaskContext::groups() { return Groups{this}; }
inline TaskContext::Lines TaskContext::lines() { return Lines{this}; }
inline TaskContext::Records TaskContext::records() { return Records{this}; }

}  // namespace heddle::work
