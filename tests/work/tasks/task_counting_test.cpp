// Goal: groups are runs of equal keys, whatever the batches; too many counters of the user are refused.
// Method: tables of batches and outcomes.
#include "work/tasks/task_counting.hpp"

#include <boost/test/unit_test.hpp>
#include <deque>

namespace heddle::work {
namespace task_counting_test {
namespace {

/// One batch per word; each letter is a key.
class Letters final : public RecordStream {
public:
  explicit Letters(std::deque<std::string> words) : words_{std::move(words)} {}
  Result<bool> next(RecordBatch& batch) override {
    batch.clear();
    if (words_.empty()) return false;
    now_ = words_.front();
    words_.pop_front();
    for (std::size_t i = 0; i < now_.size(); ++i) batch.push_back({std::string_view{now_}.substr(i, 1), "v"});
    return true;
  }

private:
  std::deque<std::string> words_;
  std::string now_;
};

std::int64_t groups_in(std::deque<std::string> words) {
  Letters letters{std::move(words)};
  GroupCounter counter{letters};
  RecordBatch batch;
  while (*counter.next(batch)) continue;
  return counter.groups();
}

BOOST_AUTO_TEST_CASE(a_group_may_continue_in_the_next_batch) {
  BOOST_TEST(groups_in({}) == 0);
  BOOST_TEST(groups_in({"a"}) == 1);
  BOOST_TEST(groups_in({"aab", "bbc", "c"}) == 3);
  BOOST_TEST(groups_in({"aab", "cca"}) == 4);
}

BOOST_AUTO_TEST_CASE(an_empty_key_is_a_group) {
  class OneEmpty final : public RecordStream {
  public:
    Result<bool> next(RecordBatch& batch) override {
      batch.assign(1, Record{});
      return std::exchange(has_more_, false);
    }

  private:
    bool has_more_ = true;
  } empty;
  GroupCounter counter{empty};
  RecordBatch batch;
  while (*counter.next(batch)) continue;
  BOOST_TEST(counter.groups() == 1);
}

BOOST_AUTO_TEST_CASE(only_counters_of_the_user_count_towards_the_limit) {
  MapReduceRules rules;
  rules.counters_max = 2;
  TaskOutcome outcome;
  outcome.counters = {{"Mine\ta", 1}, {"Mine\tb", 1}, {std::string{task_counter_names[0]}, 1}};
  BOOST_TEST(excess_of_counters(outcome, rules).empty());
  outcome.counters.emplace_back("Mine\tc", 1);
  BOOST_TEST(excess_of_counters(outcome, rules) ==
             "the job has more than 2 counters; raise mapreduce.job.counters.max, or use fewer");
  BOOST_TEST(reporter_rules(rules).counters_max == 3U);
}

BOOST_AUTO_TEST_CASE(counters_of_a_map_output_are_those_of_its_writer) {
  ShuffleCounts written;
  written.records_in = 5;
  written.serialised_bytes = 60;
  written.combine_records_in = 5;
  written.combine_records_out = 3;
  written.spilled_records = 3;
  TaskCounters counters;
  count_output(written, counters);
  BOOST_TEST(counters == (TaskCounters{0, 5, 60, 5, 3, 0, 0, 0, 3, 0, 0, 0, 0}), boost::test_tools::per_element());
}

}  // namespace
}  // namespace task_counting_test
}  // namespace heddle::work
