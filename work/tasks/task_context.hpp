// API of a C++ task function: input as lines, records or groups, output, identity, counters, and the kill flag. Belongs
// to one attempt and one thread. Broken input or a full disk throw an exception that fails the attempt.
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
#include "work/tasks/task_io.hpp"

namespace heddle::work {

/// Failure of input or output while a function ran; has the Error of the RecordStream or sink.
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
  const std::vector<std::string>* barrier_hosts = nullptr;  // nullptr: not a barrier stage
};

/// Types that emit() writes in decimal: all integers except bool and char.
template <class T>
concept WholeNumber = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;

class TaskContext {
public:
  /// Input, output and argument must outlive the context. Another thread sets `is_killed`.
  TaskContext(const TaskIdentity& identity, TaskInput& input, TaskOutput& output, const std::atomic<bool>& is_killed,
              std::string_view argument = {})
      : identity_{identity}, argument_{argument}, input_{input}, output_{output}, is_killed_{is_killed} {}

  [[nodiscard]] std::int32_t index() const { return identity_.index; }
  [[nodiscard]] std::int32_t count() const { return identity_.count; }
  [[nodiscard]] std::int32_t attempt() const { return identity_.attempt; }
  /// Addresses of the task's devices of a kind, in the order in which the executor found them; empty: none.
  [[nodiscard]] const std::vector<std::string>& devices(std::string_view kind) const;
  /// Host of each task of a barrier stage, by index(); empty in other stages.
  [[nodiscard]] const std::vector<std::string>& barrier_hosts() const;
  /// Argument of the stage's function, equal for all tasks.
  [[nodiscard]] std::string_view argument() const { return argument_; }
  /// Returns true after a kill. Reads of the input check it at every batch.
  [[nodiscard]] bool is_killed() const { return is_killed_.load(std::memory_order_relaxed); }

  /// Reads the input as lines without line ends, in a single pass. A view is valid until the next line.
  class Lines;
  [[nodiscard]] Lines lines();
  /// Reads the input as keys and values, in a single pass: a shuffle in its order, key-value files in file order. Text
  /// input has empty keys.
  class Records;
  [[nodiscard]] Records records();
  /// Reads the input as groups of adjacent records with equal keys, in a single pass. After a sorted shuffle there is
  /// one group per key.
  class Group;
  class Groups;
  [[nodiscard]] Groups groups();

  /// Writes a record; as text: key, separator, value.
  void emit(std::string_view key, std::string_view value) { check(output_.add_pair(key, value)); }
  /// Writes a record with a decimal number as value.
  template <WholeNumber Number>
  void emit(std::string_view key, Number value) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    emit(key, std::string_view{digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  /// Writes a line; the stage's key format determines its key.
  void emit(std::string_view line) { check(output_.add_line(line)); }

  void add_to_counter(std::string_view group, std::string_view name, std::int64_t amount);
  /// Sums by "group\tname".
  using Counters = std::map<std::string, std::int64_t, std::less<>>;
  [[nodiscard]] const Counters& counters() const { return counters_; }

private:
  static void check(const Result<Done>& result) {
    if (!result) throw TaskError{TaskError::Side::output, result.error()};
  }
  enum class Shape : std::uint8_t { pairs, lines };
  /// Returns false at the end; throws TaskError if the input fails or the attempt is killed.
  bool next_batch(Shape shape);
  /// Returns the original line of the record; copies it into joined_ if key and value are not adjacent.
  std::string_view join(const Record& record);

  TaskIdentity identity_;
  std::string_view argument_;
  TaskInput& input_;
  TaskOutput& output_;
  const std::atomic<bool>& is_killed_;
  RecordBatch batch_;
  std::string joined_;
  Counters counters_;
};

/// Single pass: begin() starts at the current position of the input.
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

/// One key and its values, in a single pass. Unread values are skipped by the next group.
class TaskContext::Group {
public:
  explicit Group(TaskContext* task) : at_{task} { open(); }
  /// Valid until the next group.
  [[nodiscard]] std::string_view key() const { return key_; }

  /// for (std::string_view value : group): a view is valid until the next value.
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
  void next_group() {
    while (has_value_) step();
    open();
  }

  Records::Iterator at_;
  std::string key_;
  bool has_value_ = false;
};

/// for (auto& group : task.groups()): a group is valid until the next one.
class TaskContext::Groups {
public:
  class Iterator {
  public:
    explicit Iterator(Group* group) : group_{group} {}
    Group& operator*() const { return *group_; }
    Iterator& operator++() {
      group_->next_group();
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
