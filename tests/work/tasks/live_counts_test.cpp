// Goal: the counters of a running attempt are those of its open input, and nothing is left for the next attempt.
// Method: a map that has read one batch of its file.
#include "work/tasks/live_counts.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/scratch_folder.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::work {
namespace live_counts_test {
namespace {

std::int64_t value_of(const TaskCounters& counters, TaskCounter counter) {
  const auto index = static_cast<std::size_t>(counter);
  return index < counters.size() ? counters[index] : 0;
}

BOOST_AUTO_TEST_CASE(a_map_counts_what_it_has_read_until_its_input_is_closed) {
  const ScratchFolder folder;
  const auto reader = open_records(local_files(), {}, {folder.write("in", "a\nb\nc\n"), 0, 6, {}}, {});
  BOOST_TEST_REQUIRE(reader.has_value());
  RecordBatch batch;
  BOOST_TEST(*(*reader)->next(batch));
  LiveCounts counts;
  counts.use({true, reader->get(), nullptr, nullptr, nullptr, nullptr, nullptr});
  counts.set_bytes_read((*reader)->hadoop_bytes_read());
  TaskCounters running;
  counts.set_task_counters(running);
  BOOST_TEST(counts.records_read() == 3);
  BOOST_TEST(value_of(running, TaskCounter::map_input_records) == 3);
  BOOST_TEST(value_of(running, TaskCounter::bytes_read) == 6);

  counts.clear();
  TaskCounters next;
  counts.set_task_counters(next);
  BOOST_TEST(counts.records_read() == 0);
  BOOST_TEST(next.empty());
}

BOOST_AUTO_TEST_CASE(an_attempt_of_another_job_has_records_but_no_counters_of_hadoop) {
  const ScratchFolder folder;
  const auto reader = open_records(local_files(), {}, {folder.write("in", "a\n"), 0, 2, {}}, {});
  BOOST_TEST_REQUIRE(reader.has_value());
  RecordBatch batch;
  BOOST_TEST(*(*reader)->next(batch));
  LiveCounts counts;
  counts.use({false, reader->get(), nullptr, nullptr, nullptr, nullptr, nullptr});
  TaskCounters running;
  counts.set_task_counters(running);
  BOOST_TEST(counts.records_read() == 1);
  BOOST_TEST(running.empty());
}

}  // namespace
}  // namespace live_counts_test
}  // namespace heddle::work
