// Goal: each task of a range is either claimed by one slot or retracted once, in every interleaving.
// Method: calls at both ends of a range; then slots that claim while another thread retracts.
#include "work/tasks/queued_range.hpp"

#include <boost/test/unit_test.hpp>
#include <thread>
#include <vector>

namespace heddle::work {
namespace queued_range_test {
namespace {

BOOST_AUTO_TEST_SUITE(queued_range)

BOOST_AUTO_TEST_CASE(slots_claim_at_the_front_and_retract_removes_at_the_end) {
  QueuedRange range;
  range.window = QueuedRange::pack(0, 4);
  BOOST_TEST(range.claim() == 0);
  BOOST_TEST((range.retract(2) == std::pair{2, 2}));
  BOOST_TEST((range.retract(9) == std::pair{1, 1}));
  BOOST_TEST(range.is_empty());
  BOOST_TEST(range.claim() == -1);
  BOOST_TEST(range.retract(1).second == 0);
}

BOOST_AUTO_TEST_CASE(concurrent_claims_and_retracts_lose_or_double_no_task) {
  constexpr std::int32_t tasks = 20'000;
  QueuedRange range;
  range.window = QueuedRange::pack(0, tasks);
  std::vector<std::vector<std::int32_t>> claimed(3);
  std::vector<std::int32_t> taken;
  {
    std::vector<std::jthread> slots;
    for (auto& mine : claimed)
      slots.emplace_back([&range, &mine] {
        for (auto next = range.claim(); next >= 0; next = range.claim()) mine.push_back(next);
      });
    while (!range.is_empty()) {
      const auto [first, count] = range.retract(7);
      for (std::int32_t offset = first; offset < first + count; ++offset) taken.push_back(offset);
    }
  }
  claimed.push_back(taken);
  std::vector<int> times(tasks, 0);
  for (const auto& some : claimed)
    for (const auto offset : some) ++times[static_cast<std::size_t>(offset)];
  BOOST_TEST((times == std::vector<int>(tasks, 1)));
}

BOOST_AUTO_TEST_CASE(a_report_has_the_task_of_its_offset) {
  QueuedRange range;
  range.range.first_index = 40;
  range.range.attempt = 2;
  const auto report = killed_report(range, 3, "why");
  BOOST_TEST(report.index == 43);
  BOOST_TEST(report.attempt == 2);
  BOOST_TEST((report.outcome.state == TaskState::killed));
  BOOST_TEST(report.outcome.text == "why");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace queued_range_test
}  // namespace heddle::work
