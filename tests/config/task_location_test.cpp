// The three forms of a task's location, and that any bytes are one of them.
#include "config/files/task_location.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::config {
namespace task_location_test {

BOOST_AUTO_TEST_SUITE(task_location)

// C-TSM-19.
BOOST_AUTO_TEST_CASE(a_location_names_a_host_its_memory_or_an_executor) {
  BOOST_TEST((parse_task_location("host1") == TaskLocation{"host1", "", false}));
  BOOST_TEST((parse_task_location("hdfs_cache_host1") == TaskLocation{"host1", "", true}));
  BOOST_TEST((parse_task_location("executor_host1_3") == TaskLocation{"host1", "3", false}));
  BOOST_TEST((parse_task_location("executor_some.host1_executor_task_3") ==
              TaskLocation{"some.host1", "executor_task_3", false}));
}

BOOST_AUTO_TEST_CASE(what_a_location_is_made_of_comes_back) {
  RandomStream random{2};
  for (int round = 0; round < 1000; ++round) {
    const auto word = [&](std::string_view letters) {
      std::string made(1 + random.below(6), 'a');
      for (char& letter : made) letter = letters[random.below(letters.size())];
      return made;
    };
    const std::string host = word("ab.-3");
    const std::string executor = word("ab_3");
    BOOST_REQUIRE((parse_task_location("executor_" + host + "_" + executor) == TaskLocation{host, executor, false}));
    BOOST_REQUIRE((parse_task_location("hdfs_cache_" + host) == TaskLocation{host, "", true}));
    BOOST_REQUIRE((parse_task_location(host) == TaskLocation{host, "", false}));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace task_location_test
}  // namespace heddle::config
