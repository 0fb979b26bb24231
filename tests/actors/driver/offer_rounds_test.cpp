// Goal: many events cause one round, which offers changed executors or all of them. Method: plain calls.
#include "actors/driver/offer_rounds.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::actors {
namespace offer_rounds_test {
namespace {

Instant at(std::int64_t us) { return Instant{Duration{us}}; }

OfferRoundSettings settings() { return {Duration{100}, std::nullopt, Duration{30}, false}; }

ExecutorPool pool_of_three() {
  ExecutorPool pool{{}, Duration{1000}};
  for (std::int64_t id = 1; id <= 3; ++id)
    pool.add({ExecutorId{id}, 2, "h", MapOutputLocation{}, "", {}, ProfileId{0}}, HostId{0}, at(0));
  return pool;
}

BOOST_AUTO_TEST_CASE(a_round_is_requested_once_until_it_arrives) {
  OfferRounds rounds{settings()};
  BOOST_TEST(rounds.claim());
  BOOST_TEST(!rounds.claim());
  rounds.arrived();
  BOOST_TEST(rounds.claim());
}

BOOST_AUTO_TEST_CASE(a_round_offers_active_executors_that_have_changed_or_all_of_them) {
  auto pool = pool_of_three();
  OfferRounds rounds{settings()};
  for (const std::int64_t id : {1, 2, 3, 9}) rounds.add(ExecutorId{id});
  rounds.remove(ExecutorId{1});
  pool.drain(*pool.find(ExecutorId{3}), "idle");
  pool.find(ExecutorId{2})->assign(1);
  BOOST_TEST(!rounds.begin(pool));
  BOOST_REQUIRE(rounds.offers().size() == 1U);
  BOOST_TEST((rounds.offers()[0].executor == ExecutorId{2}));
  BOOST_TEST(rounds.offers()[0].free_cores == 1);
  rounds.add_all();
  BOOST_TEST(rounds.begin(pool));
  BOOST_TEST(rounds.offers().size() == 2U);
  BOOST_TEST(!rounds.begin(pool));
  BOOST_TEST(rounds.offers().empty());
}

BOOST_AUTO_TEST_CASE(the_starvation_warning_repeats_until_the_first_offer) {
  OfferRounds rounds{settings()};
  BOOST_TEST(!rounds.poll_starvation_due(at(500)));  // no task set yet
  rounds.on_task_set(at(0));
  BOOST_TEST((rounds.next_due() == at(30)));
  BOOST_TEST(!rounds.poll_starvation_due(at(29)));
  BOOST_TEST(rounds.poll_starvation_due(at(30)));
  BOOST_TEST(!rounds.poll_starvation_due(at(59)));
  BOOST_TEST(rounds.poll_starvation_due(at(60)));
  rounds.on_offered();
  BOOST_TEST(!rounds.poll_starvation_due(at(90)));
  BOOST_TEST(!rounds.next_due().has_value());
}

BOOST_AUTO_TEST_CASE(the_starvation_warning_can_repeat_until_the_first_launch) {
  auto until_launch = settings();
  until_launch.starves_until_launch = true;
  OfferRounds rounds{until_launch};
  rounds.on_task_set(at(0));
  rounds.on_offered();
  BOOST_TEST(rounds.poll_starvation_due(at(30)));
  rounds.on_launched();
  BOOST_TEST(!rounds.poll_starvation_due(at(60)));
}

BOOST_AUTO_TEST_CASE(an_interval_starts_when_it_is_polled) {
  auto with_speculation = settings();
  with_speculation.speculation_interval = Duration{10};
  OfferRounds rounds{with_speculation};
  BOOST_TEST(rounds.poll_speculation_due(at(0)));
  BOOST_TEST((rounds.next_due() == at(10)));
  OfferRounds plain{settings()};
  BOOST_TEST(!plain.poll_speculation_due(at(50)));
}

BOOST_AUTO_TEST_CASE(no_round_is_due_unless_one_was_requested) {
  OfferRounds rounds{settings()};
  BOOST_TEST(!rounds.next_due().has_value());
  BOOST_TEST(!rounds.poll_revive_due(at(1'000'000)));
  rounds.revive_later(at(5));
  rounds.revive_later(at(50));
  BOOST_TEST((rounds.next_due() == at(105)));
  BOOST_TEST(!rounds.poll_revive_due(at(104)));
  BOOST_TEST(rounds.poll_revive_due(at(105)));
  BOOST_TEST(!rounds.poll_revive_due(at(300)));
  BOOST_TEST(!rounds.next_due().has_value());
}

}  // namespace
}  // namespace offer_rounds_test
}  // namespace heddle::actors
