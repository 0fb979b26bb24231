// Goal: the rules that the process of a reduce has for failed copies wait for hosts, tell the master and end the task
// as Hadoop's do. Method: the numbered cases of the specification (E3) with a clock that is set by hand.
#include "apps/roles/scheduled_copies.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <vector>

namespace heddle::apps {
namespace scheduled_copies_test {
namespace {

struct SetClock final : ports::Clock {
  Instant time{};
  [[nodiscard]] Instant now() const override { return time; }
};

/// A reduce that copies the outputs of so many maps.
struct Reduce {
  explicit Reduce(std::int32_t maps) {
    notices.watch([this](std::int32_t map) { noticed.push_back(map); });
    rules = scheduled_copies({}, clock, notices)({}, 0, 0, maps);
  }
  ports::CopyVerdict fail(std::int32_t map, CopyError error = CopyError::other) {
    clock.time += std::chrono::seconds{1};
    return rules->on_copy_failed(map, "h1", error);
  }
  /// Milliseconds without copies from the host.
  std::int64_t wait_after(std::int32_t map) { return to_milliseconds(fail(map).host_wait); }

  SetClock clock;
  ports::CopyNotices notices;
  std::vector<std::int32_t> noticed;
  std::unique_ptr<ports::CopyRules> rules;
};

BOOST_AUTO_TEST_CASE(a_host_is_left_alone_longer_with_each_failure) {  // C-E3-22
  Reduce reduce{100};
  std::vector<std::int64_t> waits;
  for (int failure = 1; failure <= 7; ++failure) waits.push_back(reduce.wait_after(0));
  BOOST_TEST(
      (std::vector<std::int64_t>(waits.begin(), waits.begin() + 3) == std::vector<std::int64_t>{13000, 16900, 21970}));
  BOOST_TEST(waits.back() == 60000);
}

BOOST_AUTO_TEST_CASE(a_failure_after_a_success_counts_from_the_start) {  // C-E3-17
  Reduce reduce{100};
  for (int failure = 0; failure < 5; ++failure) reduce.fail(0);
  reduce.rules->on_copied(0, "h1");
  BOOST_TEST(reduce.wait_after(1) == 13000);
  BOOST_TEST(reduce.noticed.empty());
}

// SH-3: at once if the host cannot be reached or the answer breaks off, else after ten failures.
BOOST_AUTO_TEST_CASE(the_master_is_told_which_outputs_cannot_be_copied) {
  Reduce reduce{100};
  reduce.fail(3, CopyError::connect);
  reduce.fail(4, CopyError::read);
  for (int failure = 0; failure < 10; ++failure) reduce.fail(5);
  BOOST_TEST(reduce.noticed == (std::vector<std::int32_t>{3, 4, 5}), boost::test_tools::per_element());
}

// SH-5
BOOST_AUTO_TEST_CASE(a_reduce_fails_for_one_map_or_for_many_with_a_reason) {
  Reduce one{100};
  for (std::int32_t map = 1; map < 90; ++map) {
    one.clock.time += std::chrono::seconds{1};
    one.rules->on_copied(map, "good");
  }
  for (int failure = 1; failure < 30; ++failure) BOOST_TEST(one.fail(0).end_task.empty());
  BOOST_TEST(one.fail(0).end_task == "the output of one map could not be copied too often");
  Reduce many{100};
  for (std::int32_t map = 0; map < 4; ++map) BOOST_TEST(many.fail(map).end_task.empty());
  BOOST_TEST(many.fail(4).end_task == "too many map outputs could not be copied");
}

}  // namespace
}  // namespace scheduled_copies_test
}  // namespace heddle::apps
