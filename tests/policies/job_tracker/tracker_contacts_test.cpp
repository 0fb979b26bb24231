// Goal: each heartbeat is processed once, and silent trackers are found in time. Method: rules JT-1 and JT-4 as rows,
// then random losses of heartbeats and responses, after which every heartbeat was processed exactly once.
#include "policies/job_tracker/tracker_contacts.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace tracker_contacts_test {

using namespace heddle;
using namespace heddle::policies;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(tracker_contacts)

BOOST_AUTO_TEST_CASE(heartbeats_are_told_apart_by_their_response_id) {  // JT-1
  TrackerContacts contacts{10s};
  const Instant now{};
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, false, 3) == TrackerContact::unknown));
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, true, -1) == TrackerContact::first));
  BOOST_TEST(contacts.response_id("t") == 1);
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, false, 1) == TrackerContact::next));
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, false, 1) == TrackerContact::repeated));
  BOOST_TEST(contacts.response_id("t") == 2);
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, false, 2) == TrackerContact::next));
}

BOOST_AUTO_TEST_CASE(an_initial_contact_whose_response_was_lost_is_repeated) {  // JT-1
  TrackerContacts contacts{10s};
  const Instant now{};
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, true, -1) == TrackerContact::first));
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, true, -1) == TrackerContact::repeated));
  BOOST_TEST(contacts.response_id("t") == 1);
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, false, 1) == TrackerContact::next));
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, true, -1) == TrackerContact::first));  // it has begun anew
}

BOOST_AUTO_TEST_CASE(a_later_process_replaces_an_earlier_one_of_the_same_name) {
  TrackerContacts contacts{10s};
  const Instant now{};
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, true, -1) == TrackerContact::first));
  BOOST_TEST((contacts.on_heartbeat(now, "t", 6, false, 1) == TrackerContact::unknown));
  BOOST_TEST((contacts.on_heartbeat(now, "t", 6, true, -1) == TrackerContact::first));
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, false, 1) == TrackerContact::stale));
  BOOST_TEST((contacts.on_heartbeat(now, "t", 5, true, -1) == TrackerContact::stale));
}

BOOST_AUTO_TEST_CASE(a_tracker_is_silent_after_more_than_its_expiry) {  // JT-4
  TrackerContacts contacts{10s};
  const Instant begin{};
  BOOST_TEST((contacts.on_heartbeat(begin, "t", 5, true, -1) == TrackerContact::first));
  BOOST_TEST(!contacts.take_silent(begin + 10s).has_value());
  BOOST_TEST((contacts.on_heartbeat(begin + 10s, "t", 5, false, 1) == TrackerContact::next));
  BOOST_TEST(!contacts.take_silent(begin + 20s).has_value());
  BOOST_TEST((contacts.next_due() == begin + 20s + 1us));
  BOOST_TEST(contacts.take_silent(begin + 20s + 1us).value_or("") == "t");
  BOOST_TEST(!contacts.next_due().has_value());
  BOOST_TEST((contacts.on_heartbeat(begin + 21s, "t", 5, false, 2) == TrackerContact::unknown));
}

BOOST_AUTO_TEST_CASE(lost_heartbeats_and_responses_lose_or_double_nothing) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random{seed};
    TrackerContacts contacts{10s};
    const Instant now{};
    BOOST_TEST((contacts.on_heartbeat(now, "t", 1, true, -1) == TrackerContact::first));
    std::int64_t got = 1;
    int processed = 0;
    for (int sent = 0; sent < 40;) {
      if (random.chance(1, 3)) continue;  // the heartbeat is lost and sent again
      const auto contact = contacts.on_heartbeat(now, "t", 1, false, got);
      if (contact == TrackerContact::next) ++processed;
      else BOOST_TEST((contact == TrackerContact::repeated));
      if (random.chance(1, 3)) continue;  // the response is lost
      got = contacts.response_id("t");
      ++sent;
      BOOST_TEST(processed == sent);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tracker_contacts_test
