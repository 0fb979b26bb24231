#include "work/history/history_names.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <system_error>

namespace heddle::work {
namespace {

constexpr std::array<std::string_view, 5> type_names{"MAP", "REDUCE", "JOB_SETUP", "JOB_CLEANUP", "TASK_CLEANUP"};
constexpr std::array<std::string_view, 3> end_names{"FAILED", "KILLED", "ERROR"};
constexpr int epoch_shift = 40;  // of a ContainerId

template <class Number>
bool read_decimal(std::string_view text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && end == text.data() + text.size();
}

/// Reads a name piece by piece; each piece ends before the next underscore.
class NamePieces {
public:
  explicit NamePieces(std::string_view text) : rest_{text} {}
  [[nodiscard]] std::string_view next() {
    const auto end = rest_.find('_');
    const auto piece = rest_.substr(0, end);
    is_over_ = end == std::string_view::npos;
    rest_ = is_over_ ? std::string_view{} : rest_.substr(end + 1);
    return piece;
  }
  [[nodiscard]] bool is_next(std::string_view word) { return !is_over_ && next() == word; }
  template <std::integral Number>
  [[nodiscard]] bool reads(Number& number) {
    return !is_over_ && read_decimal(next(), number);
  }
  [[nodiscard]] bool reads(ApplicationId& id) { return reads(id.cluster_start) && reads(id.number); }
  [[nodiscard]] bool reads(history::TaskName& task) {
    if (!reads(task.job) || is_over_) return false;
    const auto kind = next();
    task.is_reduce = kind == "r";
    return (kind == "m" || kind == "r") && reads(task.task);
  }
  [[nodiscard]] bool is_over() const { return is_over_; }

private:
  std::string_view rest_;
  bool is_over_ = false;
};

/// Appends the name of a task without its first word.
void append_rest(std::string& out, const history::TaskName& task) {
  fmt::format_to(std::back_inserter(out), "{}_{:04}_{}_{:06}", task.job.cluster_start, task.job.number,
                 task.is_reduce ? 'r' : 'm', task.task);
}

template <class Name>
std::string text_of(const Name& name) {
  std::string text;
  append_name(text, name);
  return text;
}

template <class Enum, std::size_t Size>
bool read_enum(std::string_view text, const std::array<std::string_view, Size>& names, Enum& value) {
  for (std::size_t i = 0; i < Size; ++i)
    if (names[i] == text) {
      value = static_cast<Enum>(i);
      return true;
    }
  return false;
}

}  // namespace

std::string name_of(const ApplicationId& job) { return text_of(job); }

void append_name(std::string& out, const ApplicationId& job) {
  fmt::format_to(std::back_inserter(out), "job_{}_{:04}", job.cluster_start, job.number);
}

bool read_name(std::string_view text, ApplicationId& job) {
  NamePieces pieces{text};
  return pieces.is_next("job") && pieces.reads(job) && pieces.is_over();
}

std::string name_of(const AttemptId& attempt) { return to_string(attempt); }

bool read_name(std::string_view text, AttemptId& attempt) {
  NamePieces pieces{text};
  return pieces.is_next("appattempt") && pieces.reads(attempt.application) && pieces.reads(attempt.attempt) &&
         pieces.is_over();
}

std::string name_of(const history::TaskName& task) { return text_of(task); }

void append_name(std::string& out, const history::TaskName& task) {
  out += "task_";
  append_rest(out, task);
}

bool read_name(std::string_view text, history::TaskName& task) {
  NamePieces pieces{text};
  return pieces.is_next("task") && pieces.reads(task) && pieces.is_over();
}

std::string name_of(const history::AttemptName& attempt) { return text_of(attempt); }

void append_name(std::string& out, const history::AttemptName& attempt) {
  out += "attempt_";
  append_rest(out, attempt.task);
  fmt::format_to(std::back_inserter(out), "_{}", attempt.attempt);
}

bool read_name(std::string_view text, history::AttemptName& attempt) {
  NamePieces pieces{text};
  return pieces.is_next("attempt") && pieces.reads(attempt.task) && pieces.reads(attempt.attempt) && pieces.is_over();
}

std::string name_of(const history::ContainerName& container) {
  const auto& application = container.application.application;
  const auto epoch = container.container.value >> epoch_shift;
  const auto number = container.container.value & ((std::int64_t{1} << epoch_shift) - 1);
  return fmt::format("container_{}{}_{:04}_{:02}_{:06}", epoch == 0 ? "" : fmt::format("e{:02}_", epoch),
                     application.cluster_start, application.number, container.application.attempt, number);
}

bool read_name(std::string_view text, history::ContainerName& container) {
  NamePieces pieces{text};
  std::int64_t epoch = 0;
  std::int64_t number = 0;
  if (!pieces.is_next("container") || pieces.is_over()) return false;
  const bool has_epoch = text.substr(sizeof("container_") - 1).starts_with('e');
  if (has_epoch && !read_decimal(pieces.next().substr(1), epoch)) return false;
  if (!pieces.reads(container.application.application) || !pieces.reads(container.application.attempt) ||
      !pieces.reads(number) || !pieces.is_over())
    return false;
  if (epoch < 0 || epoch >= (std::int64_t{1} << 23) || number < 0 || number >= (std::int64_t{1} << epoch_shift))
    return false;
  container.container = ContainerId{(epoch << epoch_shift) | number};
  return true;
}

std::string name_of(AttemptType type) { return std::string{type_names[static_cast<std::size_t>(type)]}; }

bool read_name(std::string_view text, AttemptType& type) { return read_enum(text, type_names, type); }

std::string name_of(history::BadEnd end) { return std::string{end_names[static_cast<std::size_t>(end)]}; }

bool read_name(std::string_view text, history::BadEnd& end) { return read_enum(text, end_names, end); }

bool read_number(std::string_view text, std::int64_t& number) { return read_decimal(text, number); }

bool read_number(std::string_view text, std::int32_t& number) { return read_decimal(text, number); }

}  // namespace heddle::work
