// Goal: the earliest deadline is known, and each key is returned once, when its last deadline has passed. Method: a
// table of steps; random histories compared with a plain map.
#include "model/due_heap.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

#include "model/random_stream.hpp"

namespace heddle {
namespace due_heap_test {
namespace {

Instant at(std::int64_t seconds) { return Instant{std::chrono::seconds{seconds}}; }

BOOST_AUTO_TEST_CASE(the_earlier_deadline_is_the_one_that_exists_or_the_smaller_one) {
  BOOST_TEST((earlier(at(5), at(7)) == at(5)));
  BOOST_TEST((earlier(at(7), at(5)) == at(5)));
  BOOST_TEST((earlier(std::nullopt, at(5)) == at(5)));
  BOOST_TEST((earlier(at(5), std::nullopt) == at(5)));
  BOOST_TEST(!earlier(std::nullopt, std::nullopt).has_value());
}

BOOST_AUTO_TEST_CASE(keys_come_up_in_order_of_deadline_then_key) {
  DueHeap<int> heap;
  BOOST_TEST(!heap.next_due().has_value());
  heap.set(3, at(5));
  heap.set(2, at(7));
  heap.set(1, at(5));
  BOOST_TEST((heap.next_due() == at(5)));
  BOOST_TEST(!heap.take_due(at(4)).has_value());
  BOOST_TEST(*heap.take_due(at(6)) == 1);
  BOOST_TEST(*heap.take_due(at(6)) == 3);
  BOOST_TEST(!heap.take_due(at(6)).has_value());
  BOOST_TEST((heap.next_due() == at(7)));
}

BOOST_AUTO_TEST_CASE(a_deadline_moves_later_earlier_and_away) {
  DueHeap<int> heap;
  heap.set(1, at(5));
  heap.set(1, at(9));
  BOOST_TEST((heap.next_due() == at(9)));
  heap.set(1, at(3));
  BOOST_TEST((heap.next_due() == at(3)));
  BOOST_TEST(*heap.take_due(at(10)) == 1);
  BOOST_TEST(!heap.take_due(at(10)).has_value());
  heap.set(2, at(5));
  heap.remove(2);
  BOOST_TEST(!heap.next_due().has_value());
  BOOST_TEST(heap.size() == 0U);
}

BOOST_AUTO_TEST_CASE(random_histories_agree_with_a_map) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random{seed};
    DueHeap<int> heap;
    std::map<int, Instant> expected;
    Instant now{};
    for (int step = 0; step < 2000; ++step) {
      const int key = static_cast<int>(random.below(12));
      switch (random.below(4)) {
        case 0:
          heap.remove(key);
          expected.erase(key);
          break;
        case 1: now += std::chrono::seconds{static_cast<std::int64_t>(random.below(4))}; break;
        default:
          expected[key] = now + std::chrono::seconds{static_cast<std::int64_t>(random.below(20))};
          heap.set(key, expected[key]);
      }
      std::optional<Instant> first;
      for (const auto& [each, due] : expected) first = first ? std::min(*first, due) : due;
      BOOST_TEST_REQUIRE((heap.next_due() == first), "seed " << seed << ", step " << step);
      while (const auto taken = heap.take_due(now)) {
        BOOST_TEST_REQUIRE(expected.contains(*taken));
        BOOST_TEST((expected.at(*taken) <= now));
        expected.erase(*taken);
      }
      for (const auto& [each, due] : expected) BOOST_TEST_REQUIRE((due > now));
      BOOST_TEST(heap.size() == expected.size());
    }
  }
}

}  // namespace
}  // namespace due_heap_test
}  // namespace heddle
