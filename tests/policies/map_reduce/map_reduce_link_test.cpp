// Time of the last answer, actions for the next answer, and end of a MapReduce master (specification E2-25, E2-27).
#include "policies/map_reduce/map_reduce_link.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace map_reduce_link_test {
namespace {

Instant at(std::int64_t milliseconds) { return Instant{std::chrono::milliseconds{milliseconds}}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_link)

// C-E2-25: no retries at all, then an attempt that is unknown to the ResourceManager, with any number of retries.
BOOST_AUTO_TEST_CASE(a_master_that_cannot_go_on_leaves_its_job_to_the_next) {
  MapReduceLink hasty{{Duration{0}, std::chrono::seconds{10}}, at(0)};
  BOOST_TEST((hasty.on_failure(at(0), LinkFailure::unreachable) == LinkVerdict::end));
  MapReduceLink patient{{}, at(0)};
  BOOST_TEST((patient.on_failure(at(0), LinkFailure::attempt_unknown) == LinkVerdict::end));
  BOOST_TEST((patient.on_failure(at(0), LinkFailure::not_registered) == LinkVerdict::register_again));
  BOOST_TEST((patient.on_failure(at(359'999), LinkFailure::unreachable) == LinkVerdict::retry));
  BOOST_TEST((patient.on_failure(at(360'000), LinkFailure::unreachable) == LinkVerdict::end));
}

// C-E2-27: heartbeats at 5, 7 and 8.
BOOST_AUTO_TEST_CASE(what_waits_runs_at_the_next_beat) {
  MapReduceLink link{{}, at(0)};
  BOOST_TEST(link.on_answer(at(5)).empty());
  BOOST_TEST((link.last_heard() == at(5)));
  link.run_at_next_answer(1);
  BOOST_TEST((link.last_heard() == at(5)));
  BOOST_TEST((link.on_answer(at(7)) == std::vector<std::int64_t>{1}));
  BOOST_TEST((link.last_heard() == at(7)));
  BOOST_TEST(link.on_answer(at(8)).empty());
  BOOST_TEST((link.last_heard() == at(8)));
}

BOOST_AUTO_TEST_CASE(tasks_commit_only_while_the_resource_manager_is_heard) {
  MapReduceLink link{{}, at(0)};
  BOOST_TEST(!link.may_commit(at(0)));
  (void)link.on_answer(at(1000));
  BOOST_TEST(link.may_commit(at(11'000)));
  BOOST_TEST(!link.may_commit(at(11'001)));
}

BOOST_AUTO_TEST_CASE(random_beats_end_a_master_only_after_its_patience_without_one) {
  RandomStream random{5};
  MapReduceLink link{{}, at(0)};
  std::int64_t now = 0;
  std::int64_t heard = 0;
  for (int step = 0; step < 2000; ++step) {
    now += static_cast<std::int64_t>(random.below(200'000));
    if (random.chance(1, 3)) {
      (void)link.on_answer(at(now));
      heard = now;
    }
    BOOST_REQUIRE((link.on_failure(at(now), LinkFailure::unreachable) == LinkVerdict::end) == (now - heard >= 360'000));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_link_test
}  // namespace heddle::policies
