// Goal: an unknown queue is an error with its name.
// Method: options as values; a capacity file in a folder.
#include "apps/session/queue_check.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/scratch_folder.hpp"

namespace heddle::apps {
namespace queue_check_test {
namespace {

SessionOptions with(config::MasterKind kind, const std::string& queue,
                    config::Origin origin = config::Origin::command_line) {
  SessionOptions options;
  options.master.kind = kind;
  BOOST_REQUIRE(options.settings.set("heddle.application.queue", queue, origin, "").has_value());
  return options;
}

BOOST_AUTO_TEST_CASE(the_default_queue_always_exists) {
  for (const auto kind : {config::MasterKind::local, config::MasterKind::local_cluster})
    for (const auto* queue : {"default", "root.default", ""}) BOOST_TEST(check_queue(with(kind, queue)).has_value());
}

BOOST_AUTO_TEST_CASE(a_queue_is_an_error_in_local_mode) {
  const auto refused = check_queue(with(config::MasterKind::local, "nosuch"));
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST((refused.error().code == Errc::usage));
  BOOST_TEST(refused.error().text ==
             "queue \"nosuch\": --master local[N] has no queues; use a cluster master, or omit the queue");
  BOOST_TEST(check_queue(with(config::MasterKind::local, "etl", config::Origin::derived)).has_value());
}

BOOST_AUTO_TEST_CASE(an_unknown_queue_of_a_cluster_is_an_error_with_a_suggestion) {
  auto options = with(config::MasterKind::local_cluster, "defualt");
  const auto of_fifo = check_queue(options);
  BOOST_REQUIRE(!of_fifo.has_value());
  BOOST_TEST((of_fifo.error().code == Errc::not_found));
  BOOST_TEST(of_fifo.error().text ==
             "there is no queue \"defualt\"; the fifo scheduler has one, \"default\"; did you mean \"default\"?");
  BOOST_REQUIRE(
      options.settings.set("heddle.resource_manager.scheduler", "fair", config::Origin::derived, "").has_value());
  BOOST_TEST(check_queue(options).has_value());
}

BOOST_AUTO_TEST_CASE(queues_of_a_capacity_file_have_a_short_and_a_full_name) {
  const work::ScratchFolder folder;
  const auto path = folder.write("capacity-scheduler.xml", R"(<configuration>
<property><name>yarn.scheduler.capacity.root.queues</name><value>etl,adhoc</value></property>
<property><name>yarn.scheduler.capacity.root.etl.capacity</name><value>60</value></property>
<property><name>yarn.scheduler.capacity.root.adhoc.capacity</name><value>40</value></property>
</configuration>)");
  const auto check = [&path](const std::string& queue) {
    auto options = with(config::MasterKind::local_cluster, queue);
    for (const auto& [key, value] : {std::pair{"heddle.resource_manager.scheduler", std::string{"capacity"}},
                                     std::pair{"heddle.resource_manager.queue_file", path}})
      BOOST_REQUIRE(options.settings.set(key, value, config::Origin::derived, "").has_value());
    const auto checked = check_queue(options);
    return checked ? std::string{} : checked.error().text;
  };
  BOOST_TEST(check("etl") == "");
  BOOST_TEST(check("root.adhoc") == "");
  BOOST_TEST(check("adhok") == "there is no queue \"adhok\"; did you mean \"adhoc\"?");
}

}  // namespace
}  // namespace queue_check_test
}  // namespace heddle::apps
