// Goal: each input of a decider is one record, equal consecutive inputs share one, and a replay detects a difference.
// Method: a decider of four inputs; replays its records unchanged and changed.
#include "runtime/event_log/recorded.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/actor_world.hpp"
#include "tests/support/replay.hpp"

namespace recorded_test {

using namespace heddle;

namespace {

struct Added {
  static constexpr std::string_view record = "added";
  std::int64_t number = 0;
  std::int64_t weight = 1;
  static constexpr auto counted = &Added::number;
  static constexpr void visit_fields(auto& visit, auto& self) { visit("weight", self.weight); }
};
struct Named {
  static constexpr std::string_view record = "named";
  std::string name;
  std::vector<ContainerId> containers;
  std::optional<std::int64_t> most;
  static void visit_fields(auto& visit, auto& self) {
    visit("name", self.name);
    visit.unless_default("containers", self.containers);
    visit("most", self.most);
  }
};
struct Counted {
  static constexpr std::string_view record = "counted";
  std::int64_t number = 0;
  static constexpr auto counted = &Counted::number;
  static constexpr bool is_timeless = true;
  static constexpr void visit_fields(auto&, auto&) {}
};
struct Polled {
  static constexpr std::string_view record = "polled";
  [[nodiscard]] bool is_empty() const { return true; }
  static void visit_fields(auto&, auto&) {}
};
struct Summed {
  std::int64_t sum = 0;
  static void visit_fields(auto& visit, auto& self) { visit("sum", self.sum); }
};

/// Decider that adds numbers; a poll returns the sum if it has increased.
class Adder {
public:
  using Inputs = std::variant<Added, Named, Counted, Polled>;
  using Effects = std::vector<std::variant<Summed>>;
  void apply(Instant, const Added& input, Effects& effects) {
    sum_ += input.weight * input.number;
    if (input.number % 2 == 0) effects.push_back(Summed{sum_});
  }
  bool apply(Instant, const Named& input) { return input.most && sum_ > *input.most; }
  void apply(Instant, const Counted& input, Effects& effects) { effects.push_back(Summed{sum_ += input.number}); }
  void apply(Instant, const Polled&, Effects& effects) {
    if (sum_ != told_) effects.push_back(Summed{told_ = sum_});
  }
  [[nodiscard]] std::int64_t sum() const { return sum_; }

private:
  std::int64_t sum_ = 0;
  std::int64_t told_ = 0;
};

class AdderReplay : public tests::Replay {
public:
  AdderReplay() { add_inputs(adder); }
  std::optional<Adder> adder = Adder{};
};

struct World {
  World() {
    for (const std::int64_t number : {1, 2, 3}) recorded.apply(at, Added{number}, effects);
    recorded.apply(at, Added{4, 2}, effects);
    recorded.apply(at, Polled{}, effects);
    recorded.apply(at, Polled{}, effects);
    static_cast<void>(recorded.apply(at, Named{"a", {ContainerId{7}}, 3}));
    static_cast<void>(recorded.apply(at, Named{"b", {}, {}}));
  }
  tests::EventNames events;
  Instant at{std::chrono::seconds{1}};
  Adder::Effects effects;
  runtime::Recorded<Adder> recorded{Adder{}, &events};
};

std::size_t differences_of(const std::vector<std::string>& lines) {
  AdderReplay replay;
  for (const auto& line : lines) replay.take(line);
  return replay.differences().size();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(recorded)

BOOST_AUTO_TEST_CASE(equal_inputs_share_one_record_and_inputs_without_effect_have_none) {
  World world;
  BOOST_TEST(world.recorded->sum() == 14);
  BOOST_TEST(world.events.count("added") == 2);   // of weight 1 and of weight 2
  BOOST_TEST(world.events.count("polled") == 1);  // the second one told nothing
  BOOST_TEST(world.events.count("named") == 2);
  BOOST_TEST(world.events.lines.front().find("\"weight\":1,\"first\":1,\"count\":3") != std::string::npos);
  BOOST_TEST(world.events.lines.back().find("containers") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(only_timeless_inputs_of_different_instants_share_a_record_with_the_first_instant) {
  World world;
  world.recorded.flush_records();
  const auto before = world.events.lines.size();
  for (std::int64_t number = 1; number <= 3; ++number)
    world.recorded.apply(world.at + Duration{number}, Counted{number}, world.effects);
  for (std::int64_t number = 1; number <= 2; ++number)
    world.recorded.apply(world.at + Duration{10 + number}, Added{number}, world.effects);
  world.recorded.flush_records();
  BOOST_TEST_REQUIRE(world.events.lines.size() == before + 3);
  const auto& shared = world.events.lines[before];
  BOOST_TEST(shared.find("\"time_us\":1000001,") != std::string::npos);
  BOOST_TEST(shared.find("\"first\":1,\"count\":3") != std::string::npos);
  BOOST_TEST(world.events.count("added") == 4);
  BOOST_TEST(differences_of(world.events.lines) == 0U);
}

BOOST_AUTO_TEST_CASE(a_replay_has_equal_effects_and_detects_a_missing_input) {
  World world;
  const auto lines = world.events.lines;
  BOOST_REQUIRE(lines.size() == 5U);
  BOOST_TEST(differences_of(lines) == 0U);
  BOOST_TEST(differences_of({lines.begin() + 1, lines.end()}) > 0U);
  auto changed = lines;
  changed[3].replace(changed[3].find("\"most\":3"), 8, "\"most\":9999");
  BOOST_TEST(differences_of(changed) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace recorded_test
