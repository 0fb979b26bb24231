// Goal: aggregators report the same as Hadoop's, with and without a combiner.
// Method: a table of keys and values, passed at once, and through the combiner in two halves.
#include "work/tasks/aggregate.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "work/tasks/task_context.hpp"

namespace heddle::work {
namespace aggregate_test {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

class PairsInput final : public TaskInput {
public:
  explicit PairsInput(const Pairs& pairs) : pairs_{pairs} {}
  Result<bool> next(RecordBatch& batch) override {
    batch.clear();
    if (!is_read_)
      for (const auto& [key, value] : pairs_) batch.push_back({key, value});
    is_read_ = true;
    return !batch.empty();
  }
  Result<bool> next_text(std::string_view&) override { return false; }

private:
  const Pairs& pairs_;
  bool is_read_ = false;
};

class PairsOutput final : public TaskOutput {
public:
  Result<Done> add_text(std::string_view) override { return Done{}; }
  Result<Done> add_line(std::string_view) override { return Done{}; }
  Result<Done> add_pair(std::string_view key, std::string_view value) override {
    pairs.emplace_back(key, value);
    return Done{};
  }
  Result<Done> add_record(const Record&, const TaskInput&) override { return Done{}; }
  Result<Done> finish() override { return Done{}; }
  Pairs pairs;
};

Pairs run(std::string_view function, const Pairs& pairs) {
  PairsInput input{pairs};
  PairsOutput output;
  const std::atomic<bool> is_killed{false};
  TaskContext context{{}, input, output, is_killed};
  find_built_in_function(function)(context);
  return output.pairs;
}

// ST-11
BOOST_AUTO_TEST_CASE(each_aggregator_reports_the_same_with_and_without_a_combiner) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> values{
      {"LongValueSum", {"1", "-5", "+7", "9223372036854775807", "1"}},
      {"LongValueMax", {"3", "-1", "7", "2"}},
      {"LongValueMin", {"3", "-1", "7", "2"}},
      {"DoubleValueSum", {"1.5", "2", "1e7", "0.25"}},
      {"StringValueMax", {"b", "abc", "ba", ""}},
      {"StringValueMin", {"b", "abc", "ba"}},
      {"UniqValueCount", {"x", "y", "x", "z"}},
      {"ValueHistogram", {"x", "y\t3", "x", "z"}}};
  const std::vector<std::string> wanted{
      "-9223372036854775805", "7", "-1", "1.000000375E7", "ba", "abc", "3", "3\t1\t2\t3\t2.0\t0.816496580927726"};
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto key = values[row].first + ":id";
    Pairs all;
    for (const auto& value : values[row].second) all.emplace_back(key, value);
    BOOST_TEST((run(aggregate_name, all) == Pairs{{"id", wanted[row]}}),
               key + " is " + run(aggregate_name, all)[0].second);
    const auto half = all.begin() + 2;
    auto combined = run(aggregate_combine_name, {all.begin(), half});
    for (auto& pair : run(aggregate_combine_name, {half, all.end()})) combined.push_back(std::move(pair));
    BOOST_TEST((run(aggregate_name, combined) == Pairs{{"id", wanted[row]}}), key + " through a combiner");
  }
}

BOOST_AUTO_TEST_CASE(malformed_keys_and_numbers_are_errors_with_their_text) {
  for (const auto& pairs : {Pairs{{"LongValueSum:a", "ten"}}, Pairs{{"NoSuch:a", "1"}}, Pairs{{"LongValueSum", "1"}},
                            Pairs{{"DoubleValueSum:a", "1,5"}}, Pairs{{"LongValueSum:a", "9223372036854775808"}}}) {
    BOOST_CHECK_EXCEPTION(run(aggregate_name, pairs), std::invalid_argument, [](const std::invalid_argument& error) {
      return std::string{error.what()}.find("aggregate: \"") == 0;
    });
  }
}

}  // namespace
}  // namespace aggregate_test
}  // namespace heddle::work
