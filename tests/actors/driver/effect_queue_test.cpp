// Goal: effects are applied depth first, in order, each exactly once. Method: effects that push others, with a log of
// what was applied.
#include "actors/driver/effect_queue.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

namespace heddle::actors {
namespace effect_queue_test {
namespace {

/// Applies effects and logs each; a notice "x(ab)" pushes the notices "a" and "b".
struct Log {
  EffectQueue& queue;
  std::string applied;

  void operator()(Outgoing& effect) {
    const auto text = std::get<SendNotice>(effect).text;
    applied += text[0];
    for (std::size_t i = 2; i + 1 < text.size(); ++i) queue.push(SendNotice{std::string{text[i]}});
  }
  void operator()(FlowStep&) {
    applied += '#';
    queue.push(SendNotice{"s"});
  }
  void operator()(policies::StageEffect&) {
    applied += 'S';
    queue.push(SendNotice{"t"});
  }
  void operator()(policies::AllocationEffect&) { applied += 'A'; }
  void operator()(policies::TaskSchedulerEffect&, TaskEffects&) {
    applied += 'E';
    queue.push(policies::StageEffects{policies::JobEnded{}});
  }
  void operator()(TaskEffects& effects) { applied += std::to_string(effects.decided.launches.size()); }
};

BOOST_AUTO_TEST_CASE(effects_of_an_effect_come_before_its_next_sibling) {
  EffectQueue queue;
  queue.push(SendNotice{"a(bc)"});
  queue.push(SendNotice{"d"});
  queue.push(Step{});
  queue.push(SendNotice{"e"});
  Log log{queue, {}};
  queue.drain(log);
  BOOST_TEST(log.applied == "abcd#se");
  BOOST_TEST(queue.is_empty());
}

BOOST_AUTO_TEST_CASE(launches_are_applied_after_all_other_effects_of_their_input) {
  EffectQueue queue;
  policies::TaskSchedulerEffects effects;
  effects.events = {policies::TaskEnded{}, policies::ReviveOffersWanted{}};
  effects.launches.resize(3);
  queue.push(std::move(effects));
  queue.push(SendNotice{"n"});
  Log log{queue, {}};
  queue.drain(log);
  BOOST_TEST(log.applied == "EStESt3n");
}

BOOST_AUTO_TEST_CASE(an_input_without_effects_leaves_an_empty_queue) {
  EffectQueue queue;
  queue.push(policies::StageEffects{});
  queue.push(policies::AllocationEffects{});
  queue.push(policies::TaskSchedulerEffects{});
  BOOST_TEST(queue.is_empty());
}

}  // namespace
}  // namespace effect_queue_test
}  // namespace heddle::actors
