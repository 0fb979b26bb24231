// Goal: the request contains sizes, totals and exclusions; a source of an earlier attempt is stale; the gate opens
// once. Method: plain calls.
#include "actors/driver/executor_requests.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

namespace heddle::actors {
namespace executor_requests_test {
namespace {

Instant at(std::int64_t us) { return Instant{Duration{us}}; }

BOOST_AUTO_TEST_CASE(equal_sizes_share_a_profile) {
  ExecutorRequests requests{{}, 1};
  const auto [first, is_new] = requests.profile_of(8, 2048, 2);
  BOOST_TEST(is_new);
  BOOST_TEST((first != policies::ResourceProfiles::standard));
  const auto [again, is_new_again] = requests.profile_of(8, 2048, 2);
  BOOST_TEST(!is_new_again);
  BOOST_TEST((again == first));
  BOOST_TEST(requests.tasks_per_executor(first) == 4);
  BOOST_TEST(requests.need_of(first)->executor_cores == 8);
  BOOST_TEST(!requests.need_of(policies::ResourceProfiles::standard).has_value());
}

BOOST_AUTO_TEST_CASE(devices_limit_the_tasks_of_an_executor) {
  ExecutorRequests requests{{{"gpu", 1.0, 2}}, 1};
  const auto profile = requests.profile_of(8, 1024, 0).first;
  BOOST_TEST(requests.tasks_per_executor(profile) == 2);
  BOOST_TEST(requests.need_of(policies::ResourceProfiles::standard)->resources.size() == 1U);
}

BOOST_AUTO_TEST_CASE(the_request_contains_profile_sizes_and_host_names) {
  HostTable hosts;
  const auto host = hosts.intern("h1").first;
  BOOST_TEST(!hosts.intern("h1").second);
  ExecutorRequests requests{{}, 1};
  const auto profile = requests.profile_of(4, 512, 1).first;
  requests.set_totals({{policies::ResourceProfiles::standard, 3, 0, {}}, {profile, 2, 5, {{host, 5}}}}, hosts);
  const auto& request = requests.current();
  BOOST_REQUIRE(request.profiles.size() == 2U);
  BOOST_TEST(request.target_total() == 5);
  BOOST_TEST(request.profiles[0].cores == 0);  // the source knows the size of the default profile
  BOOST_TEST(request.profiles[1].cores == 4);
  BOOST_TEST(request.profiles[1].memory_mib == 512);
  BOOST_TEST(request.profiles[1].hosts.at(0).first == "h1");
  requests.set_total(profile, 7);
  BOOST_TEST(request.target_total() == 10);
  requests.set_excluded_hosts({"h1"});
  BOOST_TEST(requests.is_excluded("h1"));
  BOOST_TEST(!requests.is_excluded("h2"));
}

BOOST_AUTO_TEST_CASE(a_source_is_connected_lost_or_replaced) {
  ExecutorRequests requests{{}, 1};
  BOOST_TEST(!requests.has_lost_source());
  auto registration = requests.connect(1);
  BOOST_TEST(!registration.is_stale);
  BOOST_TEST(!registration.is_another);
  BOOST_TEST(!registration.is_new_attempt);
  BOOST_TEST(requests.has_source());
  requests.disconnect();
  BOOST_TEST(requests.has_lost_source());
  registration = requests.connect(2);
  BOOST_TEST(registration.is_another);
  BOOST_TEST(registration.is_new_attempt);
  BOOST_TEST(requests.connect(1).is_stale);
  BOOST_TEST(requests.attempt() == 2);
}

BOOST_AUTO_TEST_CASE(a_source_of_an_impossible_application_attempt_is_refused) {
  constexpr auto most = ExecutorRequests::missing_attempts_max + 1;
  ExecutorRequests requests{{}, 1};
  BOOST_TEST(requests.connect(1 + most + 1).is_refused);
  BOOST_TEST(requests.connect(std::numeric_limits<std::int32_t>::max()).is_refused);
  BOOST_TEST(!requests.has_source());
  BOOST_TEST(requests.attempt() == 0);
  BOOST_TEST(!requests.connect(1 + most).is_refused);  // the attempts before it ended before their allocator registered
  BOOST_TEST(requests.connect(1 + 2 * most + 1).is_refused);
  BOOST_TEST(requests.attempt() == 1 + most);
  ExecutorRequests later{{}, 1};
  BOOST_TEST(!later.connect(9, 9).is_refused);  // the Driver itself belongs to attempt 9
}

BOOST_AUTO_TEST_CASE(the_gate_opens_with_enough_executors_or_after_the_wait_and_stays_open) {
  RegistrationGate by_count{0.8, at(100)};
  by_count.expect(10);
  BOOST_TEST((by_count.next_due() == std::optional{at(100)}));
  BOOST_TEST(!by_count.open_with(7, at(0)));
  BOOST_TEST(by_count.open_with(8, at(0)));
  BOOST_TEST(!by_count.open_with(9, at(0)));  // already open
  BOOST_TEST(by_count.is_open());
  BOOST_TEST(!by_count.next_due().has_value());
  RegistrationGate by_time{1.0, at(100)};
  by_time.expect(2);
  BOOST_TEST(!by_time.open_with(0, at(99)));
  BOOST_TEST(by_time.open_with(0, at(100)));
}

}  // namespace
}  // namespace executor_requests_test
}  // namespace heddle::actors
