// Goal: jobs make legal phase transitions, and each deadline is found. Method: plain calls with jobs without stages.
#include "actors/driver/job_book.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace job_book_test {
namespace {

Instant at(std::int64_t us) { return Instant{Duration{us}}; }

JobRecord& add(JobBook& book) {
  JobRecord record;
  record.id = book.assign_id();
  return book.add(std::move(record));
}

TaskSetRecord set_of(const JobRecord& job, std::int64_t stage) {
  TaskSetRecord set;
  set.key = {job.id, StageId{stage}, 0};
  return set;
}

BOOST_AUTO_TEST_CASE(a_job_waits_for_slots_until_it_starts) {
  JobBook book;
  auto& job = add(book);
  book.wait_for_slots(job, at(40));
  BOOST_TEST(book.is_waiting_for_slots(job.id));
  BOOST_TEST((book.next_due() == std::optional{at(40)}));
  BOOST_TEST((book.waiting() == std::vector{job.id}));
  book.wait_for_slots(job, at(50));
  BOOST_TEST((book.next_due() == std::optional{at(50)}));
  book.enter(job, JobPhase::running);
  BOOST_TEST(!book.is_waiting_for_slots(job.id));
  BOOST_TEST(!book.next_due().has_value());
}

BOOST_AUTO_TEST_CASE(a_stopping_job_aborts_when_its_task_attempts_have_ended_or_at_its_deadline) {
  JobBook book;
  auto& quick = add(book);
  auto& slow = add(book);
  auto& prepared = add(book);
  book.add_set(slow, set_of(slow, 7));
  prepared.is_being_prepared = true;
  for (auto* job : {&quick, &slow, &prepared}) book.stop(*job, JobStatus::cancelled, "enough", at(30));
  BOOST_TEST(quick.end.text == "enough");
  BOOST_TEST((book.start_aborts(at(10)) == std::vector{quick.id}));
  BOOST_TEST((quick.phase == JobPhase::aborting));
  BOOST_TEST((book.next_due() == std::optional{at(30)}));
  BOOST_TEST((book.start_aborts(at(30)) == std::vector{slow.id}));
  BOOST_TEST(!book.next_due().has_value());  // the other job waits for its output folders, which has no deadline
  prepared.is_being_prepared = false;
  book.enter(prepared, JobPhase::committing);  // the commit was decided by an earlier Driver
  BOOST_TEST(book.start_aborts(at(90)).empty());
}

BOOST_AUTO_TEST_CASE(a_result_job_belongs_to_its_job_until_one_of_them_is_removed) {
  JobBook book;
  auto& job = add(book);
  const auto first = book.add_result_job(job, 0);
  const auto second = book.add_result_job(job, 1);
  BOOST_TEST(book.owner_of(first) == &job);
  book.remove_result_job(first);
  BOOST_TEST(book.owner_of(first) == nullptr);
  BOOST_TEST(job.result_jobs.size() == 1U);
  job.totals.tasks = 5;
  book.remove(job.id);
  BOOST_TEST(book.owner_of(second) == nullptr);
  BOOST_TEST(book.is_empty());
  BOOST_TEST(book.totals().jobs == 1);
  BOOST_TEST(book.totals().tasks == 5);
  BOOST_TEST(!book.has_removable_shuffles());
  BOOST_TEST(book.next_id().value == 3);
}

BOOST_AUTO_TEST_CASE(a_task_set_is_found_until_it_is_removed) {
  JobBook book;
  auto& job = add(book);
  book.add_set(job, set_of(job, 4));
  const policies::TaskSetKey key{StageId{4}, 0};
  BOOST_REQUIRE(book.find_set(key) != nullptr);
  BOOST_TEST(book.job_of(*book.find_set(key)) == &job);
  BOOST_TEST(job.live_sets.contains(key));
  book.remove_set(key);
  BOOST_TEST(book.find_set(key) == nullptr);
}

}  // namespace
}  // namespace job_book_test
}  // namespace heddle::actors
