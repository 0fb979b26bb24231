// C++ task functions of the measures; registered in this program, so that all executors of a bench have them.
#pragma once

#include <cstdint>

namespace heddle::apps {

inline constexpr const char* no_op_function = "heddle.bench.no_op";
/// One task in `failing_stride` throws at its first attempt; the task `slow_task` takes `slow_ms`.
inline constexpr const char* mostly_no_op_function = "heddle.bench.mostly_no_op";
/// Counts the words of lines as `word TAB count`, unordered; and sums such counts.
inline constexpr const char* count_words_function = "heddle.bench.count_words";
inline constexpr const char* sum_counts_function = "heddle.bench.sum_counts";
/// Writes random bytes with one key per reading task, `random_bytes_per_task` in each task; and reads them.
inline constexpr const char* random_bytes_function = "heddle.bench.random_bytes";
inline constexpr const char* read_bytes_function = "heddle.bench.read_bytes";
inline constexpr std::int64_t random_bytes_per_task = 16 << 20;
inline constexpr std::int32_t random_bytes_keys = 8;
inline constexpr std::int32_t failing_stride = 10'000;
inline constexpr std::int32_t slow_task = 500;
inline constexpr int slow_ms = 100;

/// Returns the number of tasks of this process that ended while the slow task ran, since the last call.
[[nodiscard]] std::int64_t fetch_and_reset_tasks_beside_slow_one();

}  // namespace heddle::apps
