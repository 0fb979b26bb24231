// Goal: a simulation ends when the scheduler's own rounds would, and no plan ends before the bounds of slots and tasks.
#include "policies/tasks/adaptive_locality/locality_forecast.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace locality_forecast_test {
namespace {

/// Hosts with these numbers of slots, free at once; tasks of time 1 with one location each.
LocalityForecast forecast_of(const std::vector<std::size_t>& slots, const std::vector<std::int32_t>& places,
                             double far_cost) {
  LocalityForecast forecast;
  forecast.far_cost = far_cost;
  for (const std::size_t count : slots) {
    LocalityForecast::Host host;
    host.first_slot = forecast.free_at.size();
    host.slots = count;
    forecast.free_at.resize(forecast.free_at.size() + count, 0.0);
    forecast.hosts.push_back(host);
  }
  forecast.places_first.push_back(0);
  for (const std::int32_t place : places) {
    forecast.places.push_back(place);
    forecast.places_first.push_back(forecast.places.size());
    forecast.tasks.push_back({1.0, place});
    forecast.hosts[static_cast<std::size_t>(place)].load += 1;
  }
  forecast.prepare();
  return forecast;
}

LocalityPlan until(double deadline) { return LocalityPlan{deadline}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(locality_forecast)

BOOST_AUTO_TEST_CASE(two_turns_near_the_data_are_shorter_than_a_far_task_that_costs_five) {
  LocalityForecast forecast = forecast_of({1, 1}, {0, 0}, 5);
  BOOST_TEST(forecast.end_of({}) == 5);
  BOOST_TEST(forecast.end_of(until(0)) == 2);
  BOOST_TEST(forecast.earliest_end() == 2, boost::test_tools::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(a_far_task_that_ends_before_the_second_turn_is_taken) {
  LocalityForecast forecast = forecast_of({1, 1}, {0, 0}, 1.5);
  BOOST_TEST(forecast.earliest_end() == 1.5, boost::test_tools::tolerance(1e-3));
  BOOST_TEST(forecast.end_of(until(forecast.earliest_end())) == 1.5);
  BOOST_TEST(forecast.end_of(until(0)) == 2);
}

BOOST_AUTO_TEST_CASE(a_play_is_broken_off_where_it_cannot_end_before_its_limit) {
  LocalityForecast forecast = forecast_of({1, 1}, {0, 0, 0, 0}, 1.5);
  const double end = forecast.end_of(until(0));
  BOOST_TEST(end == 4);
  BOOST_TEST(forecast.end_of(until(0), 2.5) >= 2.5);
  BOOST_TEST(forecast.end_of(until(0), 4.5) == end);
}

BOOST_AUTO_TEST_CASE(a_later_deadline_changes_nothing_where_no_slot_has_waited) {
  LocalityForecast forecast = forecast_of({1, 1}, {0, 0}, 1.5);
  const double end = forecast.end_of(until(1.5));
  BOOST_TEST(!forecast.has_waited());
  BOOST_TEST(forecast.end_of(until(9)) == end);
  BOOST_TEST(forecast.end_of(until(1)) == 2);
  BOOST_TEST(forecast.has_waited());
}

BOOST_AUTO_TEST_CASE(no_plan_ends_before_its_work_is_done) {
  RandomStream random{1};
  for (int round = 0; round < 200; ++round) {
    std::vector<std::size_t> slots;
    std::size_t all = 0;
    for (std::uint64_t hosts = 1 + random.below(8); hosts > 0; --hosts) all += slots.emplace_back(1 + random.below(3));
    std::vector<std::int32_t> places;
    for (std::uint64_t tasks = 1 + random.below(60); tasks > 0; --tasks)
      places.push_back(static_cast<std::int32_t>(random.below(slots.size())));
    LocalityForecast forecast = forecast_of(slots, places, 1 + static_cast<double>(random.below(40)) / 10);
    const double least = static_cast<double>(places.size()) / static_cast<double>(all);
    const double none_far = forecast.end_of(until(0));
    BOOST_TEST(forecast.earliest_end() >= least - 1e-2);
    BOOST_TEST(forecast.earliest_end() <= none_far + 1e-2);
    for (const double deadline : {0.0, 1.0, forecast.earliest_end(), 10.0, 1000.0}) {
      const double end = forecast.end_of(until(deadline));
      BOOST_TEST(end >= std::max(1.0, least) - 1e-2);
      BOOST_TEST(end >= forecast.end_lower_bound() - 1e-9);
      BOOST_TEST(end <= std::max(none_far, deadline) + 1 + 1e-2);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace locality_forecast_test
}  // namespace heddle::policies
