#include "apps/roles/background_thread.hpp"

#include <boost/test/unit_test.hpp>
#include <future>
#include <new>
#include <stdexcept>
#include <vector>

namespace heddle::apps {

BOOST_AUTO_TEST_CASE(jobs_run_in_order_and_the_destructor_waits_for_all) {
  std::vector<int> done;
  {
    BackgroundThread background;
    for (int job = 0; job < 100; ++job) background.run([&done, job] { done.push_back(job); });
  }
  BOOST_TEST_REQUIRE(done.size() == 100U);
  for (int job = 0; job < 100; ++job) BOOST_TEST(done[static_cast<std::size_t>(job)] == job);
}

BOOST_AUTO_TEST_CASE(jobs_that_nothing_waits_for_keep_their_place_and_run_without_further_ones) {
  std::vector<int> done;
  BackgroundThread background;
  std::promise<void> first_has_run;
  background.run_soon([&] {
    done.push_back(0);
    first_has_run.set_value();
  });
  first_has_run.get_future().wait();
  std::promise<void> last_has_run;
  background.run_soon([&] { done.push_back(1); });
  background.run([&] { done.push_back(2); });
  background.run_soon([&] {
    done.push_back(3);
    last_has_run.set_value();
  });
  last_has_run.get_future().wait();
  BOOST_TEST(done == (std::vector<int>{0, 1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(a_job_that_throws_ends_neither_the_process_nor_the_later_jobs) {
  bool has_run = false;
  {
    BackgroundThread background;
    background.run([] { throw std::bad_alloc{}; });
    background.run([] { throw std::runtime_error{"no thread"}; });
    background.run([&] { has_run = true; });
  }
  BOOST_TEST(has_run);
}

}  // namespace heddle::apps
