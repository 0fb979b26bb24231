// Goal: whoever follows the news of a table has the table, whatever happened between two looks; and hears of nothing
// twice. Method: random outputs come, move and go; listeners look at random times and keep what they were told.
#include "actors/driver/told_outputs.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "model/random_stream.hpp"

namespace heddle::actors {
namespace told_outputs_test {
namespace {

constexpr ShuffleId shuffle{4};
constexpr std::int32_t maps = 12;

struct Listener {
  ToldOutputs::Mark mark;
  std::vector<policies::OutputPlace> places{std::size_t{maps}};
  int whole_tables = 0;

  std::size_t look(ToldOutputs& told, const policies::MapOutputTable& outputs) {
    const auto news = told.take_news(mark, outputs, shuffle, maps);
    whole_tables += news.is_whole ? 1 : 0;
    for (std::int32_t map = 0; news.is_whole && map < maps; ++map)
      places[static_cast<std::size_t>(map)] = outputs.place(shuffle, map);
    for (const auto map : news.maps) places[static_cast<std::size_t>(map)] = outputs.place(shuffle, map);
    return news.maps.size();
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(one_output_that_moved_is_the_only_news) {
  policies::MapOutputTable outputs;
  outputs.add_shuffle(shuffle, maps, 1);
  const policies::OutputPlace here{ExecutorId{1}, policies::HostId{1}};
  const policies::OutputPlace there{ExecutorId{2}, policies::HostId{2}};
  for (std::int32_t map = 0; map < maps; ++map) outputs.add_output(shuffle, map, here);
  ToldOutputs told;
  ToldOutputs::Mark mark;
  BOOST_TEST(told.take_news(mark, outputs, shuffle, maps).is_whole);
  outputs.add_output(shuffle, 7, there);
  BOOST_TEST(told.take_news(mark, outputs, shuffle, maps).maps.empty());  // nobody has said that it may have changed
  told.touch();
  const auto news = told.take_news(mark, outputs, shuffle, maps);
  BOOST_TEST(!news.is_whole);
  BOOST_TEST(news.maps == std::vector<std::int32_t>{7}, boost::test_tools::per_element());
  told.touch();
  BOOST_TEST(told.take_news(mark, outputs, shuffle, maps).maps.empty());
}

BOOST_AUTO_TEST_CASE(all_listeners_have_the_table_whenever_they_look) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random{seed};
    policies::MapOutputTable outputs;
    outputs.add_shuffle(shuffle, maps, 1);
    ToldOutputs told;
    std::vector<Listener> listeners(3);
    for (int step = 0; step < 200; ++step) {
      const auto map = static_cast<std::int32_t>(random.next() % maps);
      const auto number = static_cast<std::int32_t>(random.next() % 3);
      if (random.next() % 4 == 0) outputs.remove_outputs_on_executor(ExecutorId{number});
      else outputs.add_output(shuffle, map, {ExecutorId{number}, policies::HostId{number}});
      told.touch();
      for (auto& listener : listeners) {
        if (random.next() % 5 != 0) continue;
        listener.look(told, outputs);
        for (std::int32_t each = 0; each < maps; ++each)
          BOOST_TEST((listener.places[static_cast<std::size_t>(each)] == outputs.place(shuffle, each)));
        BOOST_TEST(listener.look(told, outputs) == 0U);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(who_has_missed_more_than_a_table_is_told_the_table) {
  policies::MapOutputTable outputs;
  outputs.add_shuffle(shuffle, maps, 1);
  ToldOutputs told;
  Listener late;
  Listener steady;
  late.look(told, outputs);
  for (std::int32_t change = 0; change < 3 * maps; ++change) {
    outputs.add_output(shuffle, change % maps, {ExecutorId{change}, policies::HostId{change}});
    told.touch();
    steady.look(told, outputs);
  }
  late.look(told, outputs);
  BOOST_TEST(late.whole_tables == 2);
  BOOST_TEST((late.places == steady.places));
}

}  // namespace told_outputs_test
}  // namespace heddle::actors
