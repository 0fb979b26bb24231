// Goal: a link follows the newest job service, tries it again after a pause, and ignores answers for earlier ones.
// Method: a table of moves, and random events beside a model that has no phases.
#include "actors/client/job_service_link.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>

#include "model/random_stream.hpp"

namespace heddle::actors {
namespace job_service_link_test {
namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(a_driver_that_is_not_reached_is_tried_again_after_the_pause) {
  JobServiceLink link{false};
  BOOST_TEST((link.phase() == LinkPhase::absent));
  BOOST_TEST(link.on_driver_ready(1, "d:1"));
  link.on_unreachable(Instant{1s}, 1);
  BOOST_TEST((link.next_due() == Instant{1500ms}));
  BOOST_TEST(!link.on_tick(Instant{1499ms}));
  BOOST_TEST(link.on_tick(Instant{1500ms}));
  BOOST_TEST((link.phase() == LinkPhase::connecting));
  BOOST_TEST(!link.next_due().has_value());
  BOOST_TEST(link.on_reached(1));
  BOOST_TEST(link.on_lost());
  BOOST_TEST(!link.on_lost());
  BOOST_TEST(!link.on_driver_ready(1, "d:1"));  // the one that was lost
  BOOST_TEST((link.phase() == LinkPhase::absent));
}

BOOST_AUTO_TEST_CASE(a_driver_of_this_process_stays_connected) {
  JobServiceLink link{true};
  BOOST_TEST(!link.on_driver_ready(1, "d:1"));
  BOOST_TEST(!link.on_lost());
  link.on_unreachable(Instant{}, 0);
  BOOST_TEST(!link.on_tick(Instant{1h}));
  BOOST_TEST(link.is_connected());
}

/// What a link is, told by the newest attempt alone.
struct Model {
  std::int32_t newest = 0;
  bool is_asked = false;  // a connect to the newest is under way
  bool is_reached = false;
  std::optional<Instant> retry;
};

BOOST_AUTO_TEST_CASE(only_answers_for_the_newest_driver_that_is_asked_for_count) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random{seed};
    JobServiceLink link{false};
    Model model;
    Instant now{};
    for (int step = 0; step < 60; ++step) {
      now += std::chrono::milliseconds{random.below(400)};
      const auto attempt = static_cast<std::int32_t>(random.below(5));
      switch (random.below(5)) {
        case 0: {
          const bool is_later = attempt > model.newest;
          BOOST_REQUIRE(link.on_driver_ready(attempt, "d:" + std::to_string(attempt)) == is_later);
          if (is_later) model = {attempt, true, false, std::nullopt};
          break;
        }
        case 1: {
          const bool counts = model.is_asked && attempt == model.newest;
          BOOST_REQUIRE(link.on_reached(attempt) == counts);
          if (counts) model = {attempt, false, true, std::nullopt};
          break;
        }
        case 2:
          link.on_unreachable(now, attempt);
          if (model.is_asked && attempt == model.newest) model = {attempt, false, false, now + 500ms};
          break;
        case 3:
          BOOST_REQUIRE(link.on_lost() == model.is_reached);
          model.is_reached = false;
          break;
        default: {
          const bool is_due = model.retry && *model.retry <= now;
          BOOST_REQUIRE(link.on_tick(now) == is_due);
          if (is_due) model = {model.newest, true, false, std::nullopt};
        }
      }
      BOOST_REQUIRE((link.next_due() == model.retry));
      BOOST_REQUIRE(link.is_connected() == model.is_reached);
      BOOST_REQUIRE(link.attempt() == model.newest);
      if (model.newest > 0) BOOST_REQUIRE(link.address() == "d:" + std::to_string(model.newest));
    }
  }
}

}  // namespace
}  // namespace job_service_link_test
}  // namespace heddle::actors
