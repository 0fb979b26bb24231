// Choice of the map or reduce that gets a copy: the numbered case of the specification (E3-23), its rules DS-1 to DS-5,
// then random jobs.
#include "policies/map_reduce/map_reduce_speculation.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace map_reduce_speculation_test {
namespace {

Instant at(std::int64_t seconds) { return Instant{std::chrono::seconds{seconds}}; }

/// 100 tasks, 50 of them completed in 10 s each; now is 100 s.
MapReduceSpeculationInput half_done() { return {at(100), 100, 50, std::chrono::seconds{10}, false, {}}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(map_reduce_speculation)

// C-E3-23.
BOOST_AUTO_TEST_CASE(copies_are_allowed_by_the_largest_of_three_bounds) {
  const MapReduceSpeculationSettings settings;
  BOOST_TEST(speculation_allowance(5000, 400, settings) == 50);
  BOOST_TEST(speculation_allowance(500, 40, settings) == 10);
  BOOST_TEST(speculation_allowance(1000, 400, settings) == 40);
}

BOOST_AUTO_TEST_CASE(a_copy_is_worth_what_it_would_end_earlier) {
  const MapReduceSpeculationSettings settings;
  const auto input = half_done();
  const auto verdict = [&](SpeculationCandidate task) { return speculation_value(task, input, settings); };
  // 50 s for a quarter of the work: it would end at 250 s, a copy at 110 s.
  BOOST_TEST(
      (verdict({1, 1, at(50), 0.25, false}) == SpeculationValue{SpeculationVerdict::good, std::chrono::seconds{140}}));
  BOOST_TEST((verdict({1, 2, at(50), 0.25, false}).verdict == SpeculationVerdict::already));
  BOOST_TEST((verdict({1, 0, at(50), 0.25, false}).verdict == SpeculationVerdict::not_running));
  BOOST_TEST((verdict({1, 1, at(101), 0.25, false}).verdict == SpeculationVerdict::too_new));
  BOOST_TEST((verdict({1, 1, at(96), 0.5, false}).verdict == SpeculationVerdict::too_late));
  auto early = input;
  early.completed = 4;
  BOOST_TEST(
      (speculation_value({1, 1, at(50), 0.25, false}, early, settings).verdict == SpeculationVerdict::on_schedule));
  BOOST_TEST((speculation_value({1, 1, at(50), 0.25, true}, early, settings).verdict == SpeculationVerdict::good));
}

BOOST_AUTO_TEST_CASE(nothing_is_copied_while_its_kind_waits_for_containers) {
  auto input = half_done();
  input.candidates = {{7, 1, at(0), 0.1, false}};
  BOOST_TEST(*choose_speculation(input, {}) == 7);
  input.waits_for_containers = true;
  BOOST_TEST(!choose_speculation(input, {}).has_value());
}

BOOST_AUTO_TEST_CASE(random_jobs_copy_the_task_that_wins_most_within_the_allowance) {
  RandomStream random{9};
  for (int round = 0; round < 500; ++round) {
    auto input = half_done();
    const auto count = static_cast<std::int32_t>(1 + random.below(40));
    for (std::int32_t task = 0; task < count; ++task)
      input.candidates.push_back({task, static_cast<std::int32_t>(random.below(3)),
                                  at(static_cast<std::int64_t>(random.below(120))),
                                  static_cast<double>(random.below(101)) / 100, false});
    const auto chosen = choose_speculation(input, {});
    std::int32_t already = 0;
    Duration most{0};
    for (const auto& task : input.candidates) {
      const auto value = speculation_value(task, input, {});
      already += value.verdict == SpeculationVerdict::already ? 1 : 0;
      most = std::max(most, value.gain);
    }
    BOOST_REQUIRE(chosen.has_value() == (already < 10 && most > Duration{0}));
    if (chosen)
      BOOST_REQUIRE((speculation_value(input.candidates[static_cast<std::size_t>(*chosen)], input, {}).gain == most));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace map_reduce_speculation_test
}  // namespace heddle::policies
