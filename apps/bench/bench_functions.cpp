#include "apps/bench/bench_functions.hpp"

#include <poll.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <string>

#include "apps/bench/word_table.hpp"
#include "model/random_stream.hpp"
#include "work/tasks/function_registry.hpp"
#include "work/tasks/task_context.hpp"

namespace heddle::apps {
namespace {

std::atomic<std::int64_t> tasks_run{0};
std::atomic<std::int64_t> tasks_beside_slow_one{0};

void no_op(work::TaskContext&) {}

void mostly_no_op(work::TaskContext& task) {
  if (task.index() == slow_task) {
    const auto before = tasks_run.load();
    ::poll(nullptr, 0, slow_ms);
    tasks_beside_slow_one = tasks_run.load() - before;
  }
  if (task.index() % failing_stride == 0 && task.attempt() == 0) throw std::runtime_error{"meant to fail once"};
  tasks_run.fetch_add(1, std::memory_order_relaxed);
}

void emit_all(work::TaskContext& task, const WordTable& counts) {
  std::array<char, 24> digits{};
  counts.for_each([&](std::string_view word, std::int64_t count) {
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), count).ptr;
    task.emit(word, {digits.data(), static_cast<std::size_t>(end - digits.data())});
  });
}

void count_words(work::TaskContext& task) {
  WordTable counts;
  for (const auto line : task.lines()) counts.add_words(line);
  emit_all(task, counts);
}

void sum_counts(work::TaskContext& task) {
  WordTable counts;
  for (const auto& record : task.records()) {
    std::int64_t count = 0;
    std::from_chars(record.value.data(), record.value.data() + record.value.size(), count);
    counts.add(record.key, count);
  }
  emit_all(task, counts);
}

void random_bytes(work::TaskContext& task) {
  constexpr std::size_t record_bytes = 64 << 10;
  RandomStream random{static_cast<std::uint64_t>(task.index())};
  std::string record(record_bytes, '\0');
  for (std::int64_t written = 0, number = 0; written < random_bytes_per_task; written += record_bytes, ++number) {
    for (std::size_t at = 0; at < record_bytes; at += sizeof(std::uint64_t)) {
      const auto word = random.next();
      std::memcpy(record.data() + at, &word, sizeof word);
    }
    const char key = static_cast<char>('0' + number % random_bytes_keys);  // adjacent keys have adjacent hashes
    task.emit({&key, 1}, record);
  }
}

void read_bytes(work::TaskContext& task) {
  std::int64_t bytes = 0;
  for (const auto& record : task.records()) bytes += static_cast<std::int64_t>(record.value.size());
  task.add_to_counter("bench", "bytes", bytes);
}

const work::FunctionRegistration registered_random_bytes{random_bytes_function, random_bytes};
const work::FunctionRegistration registered_read_bytes{read_bytes_function, read_bytes};
const work::FunctionRegistration registered_count_words{count_words_function, count_words};
const work::FunctionRegistration registered_sum_counts{sum_counts_function, sum_counts};
const work::FunctionRegistration registered_no_op{no_op_function, no_op};
const work::FunctionRegistration registered_mostly_no_op{mostly_no_op_function, mostly_no_op};

}  // namespace

std::int64_t fetch_and_reset_tasks_beside_slow_one() { return tasks_beside_slow_one.exchange(0); }

}  // namespace heddle::apps
