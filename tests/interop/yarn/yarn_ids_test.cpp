// Goal: ids of YARN and of heddle mean the same containers. Method: names from real NodeManagers, and damaged ones.
#include "interop/yarn/yarn_ids.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::interop {
namespace yarn_ids_test {
namespace {

BOOST_AUTO_TEST_CASE(the_name_of_a_container_has_its_attempt_and_its_number) {
  const auto first = parse_container_name("container_1410901177871_0001_01_000005");
  BOOST_REQUIRE(first.has_value());
  BOOST_TEST((first->attempt == AttemptId{{1410901177871, 1}, 1}));
  BOOST_TEST(first->container.value == 5);
  const auto later = parse_container_name("container_e17_1410901177871_12345_02_1234567");
  BOOST_REQUIRE(later.has_value());
  BOOST_TEST((later->attempt == AttemptId{{1410901177871, 12345}, 2}));
  BOOST_TEST(later->container.value == (std::int64_t{17} << 40) + 1234567);
}

BOOST_AUTO_TEST_CASE(another_text_is_no_name_of_a_container) {
  for (const auto* wrong :
       {"", "container_", "container_1_1_1", "container_1_1_1_1_1", "container_1_1_1_1 ", "container_e_1_1_1_1",
        "container_e1_1_1_1_", "container_-1_1_1_1", "container_1_9999999999_1_1", "container_1_1_1_1099511627776",
        "container_e9000000000_1_1_1_1", "application_1_0001", "container_99999999999999999999_1_1_1"})
    BOOST_TEST(!parse_container_name(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(a_container_has_the_name_that_its_node_manager_gives_it) {
  for (const auto* name : {"container_1410901177871_0001_01_000005", "container_e17_1410901177871_12345_02_1234567"}) {
    const auto read = parse_container_name(name);
    BOOST_REQUIRE(read.has_value());
    BOOST_TEST(container_name(to_proto(read->container, read->attempt)) == name);
  }
}

BOOST_AUTO_TEST_CASE(the_name_of_an_application_has_its_resource_manager_and_its_number) {
  BOOST_TEST((parse_application_name("application_1410901177871_12345") == ApplicationId{1410901177871, 12345}));
  BOOST_TEST((parse_application_name("application_1410901177871_0001") == ApplicationId{1410901177871, 1}));
  for (const auto* wrong :
       {"", "application_", "application_1", "application_1_", "application_1_1 ", "application_-1_1",
        "application_1_9999999999", "job_1_1", "Application_1_1", "application_1_1_1"})
    BOOST_TEST(!parse_application_name(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(a_container_id_of_a_request_has_its_attempt) {
  const AttemptId attempt{{1700000000000, 7}, 2};
  const auto made = to_proto(ContainerId{(std::int64_t{3} << 40) + 9}, attempt);
  BOOST_TEST((attempt_of(made.attempt_id()) == attempt));
  BOOST_TEST((application_of(made.application_id()) == attempt.application));
  BOOST_TEST((container_of(made) == ContainerId{(std::int64_t{3} << 40) + 9}));
}

}  // namespace
}  // namespace yarn_ids_test
}  // namespace heddle::interop
