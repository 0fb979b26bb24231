#include "apps/roles/background_thread.hpp"

#include <boost/test/unit_test.hpp>
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
