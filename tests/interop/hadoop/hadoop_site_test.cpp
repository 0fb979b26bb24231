#include "interop/hadoop/hadoop_site.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "tests/support/scratch_folder.hpp"

namespace heddle::interop {
namespace {

HadoopSite site_of(HadoopSite::Properties properties) { return {"/etc/hadoop", std::move(properties)}; }

std::vector<std::string> managers(const HadoopSite& site, ResourceManagerService service) {
  const auto found = resource_manager_addresses(site, service);
  return found ? *found : std::vector<std::string>{"error: " + found.error().text};
}
using Addresses = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(hadoop_site)

BOOST_AUTO_TEST_CASE(files_and_overrides_are_read_with_references) {
  const work::ScratchFolder folder;
  folder.write("core-site.xml",
               "<configuration><property><name>fs.defaultFS</name><value>hdfs://${nn}:9000/</value></property>"
               "<property><name>nn</name><value>first</value></property></configuration>");
  folder.write("yarn-site.xml",
               "<configuration><property><name>yarn.resourcemanager.hostname</name><value> rm </value></property>"
               "</configuration>");
  const auto site = read_hadoop_site(folder.path(), {});
  BOOST_REQUIRE(site.has_value());
  BOOST_TEST(default_file_system(*site) == "hdfs://first:9000");
  BOOST_TEST(managers(*site, ResourceManagerService::scheduler).front() == "rm:8030");
  const auto other = read_hadoop_site(folder.path(), {{"nn", "second"}});
  BOOST_REQUIRE(other.has_value());
  BOOST_TEST(default_file_system(*other) == "hdfs://second:9000");
}

BOOST_AUTO_TEST_CASE(a_missing_or_wrong_folder_is_named) {
  const work::ScratchFolder folder;
  const auto none = read_hadoop_site("", {});
  BOOST_REQUIRE(!none.has_value());
  BOOST_TEST(none.error().text.find("HADOOP_CONF_DIR") != std::string::npos);
  const auto empty = read_hadoop_site(folder.path(), {});
  BOOST_REQUIRE(!empty.has_value());
  BOOST_TEST((empty.error().code == Errc::not_found));
  BOOST_TEST(empty.error().text.find(folder.path()) != std::string::npos);
  folder.write("core-site.xml", "no XML");
  const auto broken = read_hadoop_site(folder.path(), {});
  BOOST_REQUIRE(!broken.has_value());
  BOOST_TEST(broken.error().text.find("core-site.xml") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(resource_managers_have_one_address_or_one_per_id) {
  const auto one = site_of({{"yarn.resourcemanager.address", "0.0.0.0:18032"}});
  BOOST_TEST(managers(one, ResourceManagerService::client) == Addresses{"127.0.0.1:18032"});
  BOOST_TEST(managers(one, ResourceManagerService::scheduler) == Addresses{"127.0.0.1:8030"});
  // A container on another host connects to it.
  const auto remote = site_of({{"yarn.resourcemanager.address", "rm:18032"}});
  BOOST_TEST(managers(remote, ResourceManagerService::scheduler) == Addresses{"rm:8030"});
  const auto wildcard =
      site_of({{"yarn.resourcemanager.hostname", "rm"}, {"yarn.resourcemanager.scheduler.address", "0.0.0.0:18030"}});
  BOOST_TEST(managers(wildcard, ResourceManagerService::scheduler) == Addresses{"rm:18030"});
  const auto two = site_of({{"yarn.resourcemanager.ha.enabled", "true"},
                            {"yarn.resourcemanager.ha.rm-ids", "rm1, rm2"},
                            {"yarn.resourcemanager.hostname.rm1", "a"},
                            {"yarn.resourcemanager.address.rm2", "b:1"},
                            {"yarn.resourcemanager.hostname.rm2", "c"}});
  BOOST_TEST(managers(two, ResourceManagerService::client) == (Addresses{"a:8032", "b:1"}));
  BOOST_TEST(managers(two, ResourceManagerService::scheduler) == (Addresses{"a:8030", "c:8030"}));
  const auto none = site_of({{"yarn.resourcemanager.ha.enabled", "true"}});
  BOOST_TEST(managers(none, ResourceManagerService::client).front().find("rm-ids") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(name_nodes_are_hosts_or_nameservices) {
  const auto site = site_of({{"dfs.ha.namenodes.cluster", "n1,n2"},
                             {"dfs.namenode.rpc-address.cluster.n1", "h1:8020"},
                             {"dfs.namenode.rpc-address.cluster.n2", "h2"}});
  BOOST_TEST(*name_node_addresses(site, "cluster") == (Addresses{"h1:8020", "h2:8020"}));
  BOOST_TEST(*name_node_addresses(site, "host") == (Addresses{"host:8020"}));
  BOOST_TEST(*name_node_addresses(site, "host:9000") == (Addresses{"host:9000"}));
  BOOST_TEST(!name_node_addresses(site, "").has_value());
}

BOOST_AUTO_TEST_CASE(kerberos_and_encryption_are_refused) {
  BOOST_TEST(check_security(site_of({})).has_value());
  BOOST_TEST(check_security(site_of({{"hadoop.rpc.protection", "integrity,privacy"}})).has_value());
  const auto kerberos = check_security(site_of({{"hadoop.security.authentication", "kerberos"}}));
  BOOST_REQUIRE(!kerberos.has_value());
  BOOST_TEST(kerberos.error().text.find("hadoop.security.authentication=kerberos") != std::string::npos);
  BOOST_TEST(!check_security(site_of({{"hadoop.rpc.protection", "privacy"}})).has_value());
}

BOOST_AUTO_TEST_CASE(properties_have_types) {
  const auto site = site_of({{"n", " 12 "}, {"x", "12s"}, {"t", "true"}, {"f", "false"}, {"e", " "}});
  BOOST_TEST(*site.number("n", 1) == 12);
  BOOST_TEST(*site.number("e", 1) == 1);
  BOOST_TEST(!site.number("x", 1).has_value());
  BOOST_TEST(site.truth("t", false));
  BOOST_TEST(!site.truth("f", true));
  BOOST_TEST(site.truth("x", true));
  BOOST_TEST(!site.find("e").has_value());
}

BOOST_AUTO_TEST_CASE(the_user_is_that_of_the_environment) {
  ::setenv("HADOOP_USER_NAME", "somebody", 1);
  BOOST_TEST(hadoop_user() == "somebody");
  ::unsetenv("HADOOP_USER_NAME");
  BOOST_TEST(!hadoop_user().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heddle::interop
