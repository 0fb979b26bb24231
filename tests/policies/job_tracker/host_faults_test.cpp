// Faults of hosts in buckets of time: how many count, and when a host becomes gray and stops being gray (JT-6).
#include "policies/job_tracker/host_faults.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <vector>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace host_faults_test {
namespace {

Instant minute(std::int64_t minutes) { return Instant{std::chrono::minutes{minutes}}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(host_faults)

BOOST_AUTO_TEST_CASE(a_fault_counts_for_three_hours_by_its_bucket) {
  HostFaults faults{4};
  faults.add(minute(14), 0, 10, 0);
  faults.add(minute(15), 0, 10, 0);
  BOOST_TEST(faults.count(minute(179), 0) == 2);
  BOOST_TEST(faults.count(minute(180), 0) == 1);
  BOOST_TEST(faults.count(minute(194), 0) == 1);
  BOOST_TEST(faults.count(minute(195), 0) == 0);
  BOOST_TEST(faults.count(minute(0), 7) == 0);
}

BOOST_AUTO_TEST_CASE(the_fault_window_is_rounded_up_to_whole_buckets) {
  HostFaults faults{4, {std::chrono::minutes{25}, std::chrono::minutes{10}}};
  faults.add(minute(9), 0, 10, 0);
  BOOST_TEST(faults.count(minute(29), 0) == 1);
  BOOST_TEST(faults.count(minute(30), 0) == 0);
}

BOOST_AUTO_TEST_CASE(a_bucket_is_at_most_as_wide_as_the_fault_window) {
  HostFaults faults{4, {std::chrono::minutes{5}, std::chrono::minutes{15}}};
  faults.add(minute(4), 0, 10, 0);
  BOOST_TEST(faults.count(minute(4), 0) == 1);
  BOOST_TEST(faults.count(minute(5), 0) == 0);
}

BOOST_AUTO_TEST_CASE(a_host_with_many_more_faults_than_others_turns_gray) {
  HostFaults faults{4};
  for (int i = 0; i < 3; ++i) faults.add(minute(0), 0, 10, 0);
  BOOST_TEST(!faults.is_gray(0));
  faults.add(minute(0), 0, 10, 0);
  BOOST_TEST(faults.is_gray(0));
  faults.forget(0);
  BOOST_TEST(!faults.is_gray(0));
  BOOST_TEST(faults.count(minute(0), 0) == 0);
}

BOOST_AUTO_TEST_CASE(with_half_of_the_trackers_gray_no_other_turns) {
  HostFaults faults{1};
  faults.add(minute(0), 0, 10, 5);
  BOOST_TEST(!faults.is_gray(0));
  faults.add(minute(0), 0, 10, 4);
  BOOST_TEST(faults.is_gray(0));
}

BOOST_AUTO_TEST_CASE(where_all_have_as_many_nobody_is_gray) {
  HostFaults faults{2};
  for (HostIndex host = 0; host < 4; ++host)
    for (int i = 0; i < 2; ++i) faults.add(minute(0), host, 4, 4);
  faults.add(minute(0), 0, 4, 0);  // 3 of 9 faults: 0.75 above the average of 2.25
  BOOST_TEST(!faults.is_gray(0));
  faults.add(minute(0), 0, 4, 0);  // 4 of 10 faults: 1.5 above the average of 2.5
  BOOST_TEST(faults.is_gray(0));
}

BOOST_AUTO_TEST_CASE(a_gray_host_is_forgiven_when_its_faults_grow_old) {
  HostFaults faults{2};
  faults.add(minute(0), 0, 10, 0);
  faults.add(minute(20), 0, 10, 0);
  BOOST_TEST(faults.is_gray(0));
  faults.review(minute(179), 0, 10);
  BOOST_TEST(faults.is_gray(0));
  faults.review(minute(180), 0, 10);
  BOOST_TEST(!faults.is_gray(0));
}

BOOST_AUTO_TEST_CASE(random_faults_count_as_a_list_of_their_times_does) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random{seed};
    HostFaults faults{4};
    std::map<HostIndex, std::vector<std::int64_t>> plain;  // buckets
    std::int64_t now = 0;
    for (int step = 0; step < 400; ++step) {
      now += static_cast<std::int64_t>(random.below(20));
      const auto host = static_cast<HostIndex>(random.below(4));
      if (random.chance(1, 2)) {
        faults.add(minute(now), host, 10, 0);
        plain[host].push_back(now / 15);
      }
      const auto& times = plain[host];
      const auto expected =
          std::count_if(times.begin(), times.end(), [&](std::int64_t bucket) { return now / 15 - bucket < 12; });
      BOOST_REQUIRE(faults.count(minute(now), host) == expected);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace host_faults_test
}  // namespace heddle::policies
