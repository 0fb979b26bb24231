// Counts the words of all files below a folder, with C++ functions instead of commands:
//   word_count [--master MASTER] FOLDER OUTPUT
// Writes OUTPUT/part-00000, … with lines "word TAB count", sorted within each part; prints the summary of the job.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <charconv>
#include <cstdio>
#include <functional>
#include <heddle/heddle.hpp>
#include <string>
#include <string_view>

namespace {

/// Lets a table of strings look up a part of a line without a copy of it.
struct WordHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>{}(word); }
};
/// Most of the time of the job is look-ups here: twice as fast as those of std::unordered_map with 100,000 words.
using WordCounts = boost::unordered_flat_map<std::string, std::int64_t, WordHash, std::equal_to<>>;

bool is_word_byte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

/// Counts the words of one split in memory, so that a task emits each word once.
void count_words(heddle::TaskContext& task) {
  WordCounts counts;
  for (std::string_view line : task.lines()) {
    for (auto end = line.begin(); end != line.end();) {
      const auto begin = std::find_if(end, line.end(), is_word_byte);
      end = std::find_if_not(begin, line.end(), is_word_byte);
      const std::string_view word{begin, end};
      if (word.empty()) continue;
      if (const auto known = counts.find(word); known != counts.end()) ++known->second;
      else counts.emplace(word, 1);
    }
  }
  for (const auto& [counted, count] : counts) task.emit(counted, count);
}
HEDDLE_TASK(count_words)

/// Gets the counts of each word as one group and adds them up.
void sum_counts(heddle::TaskContext& task) {
  for (auto& word : task.groups()) {
    std::int64_t sum = 0;
    for (std::string_view value : word) {
      std::int64_t count = 0;
      std::from_chars(value.data(), value.data() + value.size(), count);
      sum += count;
    }
    task.emit(word.key(), sum);
  }
}
HEDDLE_TASK(sum_counts)

}  // namespace

int main(int argc, char** argv) {
  heddle::Session session{argc, argv};
  const auto& words = session.arguments();
  if (words.size() != 2) {
    std::fputs("usage: word_count [--master MASTER] FOLDER OUTPUT\n", stderr);
    return 2;
  }
  auto input = heddle::text(words[0]);
  input.recursive = true;
  const auto job = heddle::JobBuilder{"words"}
                       .stage("count", input, count_words)
                       .shuffle_stage("sum", {.after = "count", .partitions = 4}, sum_counts)
                       .save_text(words[1]);
  const auto report = session.run(job);
  if (!report) {
    std::fprintf(stderr, "word_count: %s\n", report.error().text.c_str());
    return 1;
  }
  std::fputs(heddle::to_string(*report).c_str(), stdout);
  return 0;
}
