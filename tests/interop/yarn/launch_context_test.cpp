// Goal: the first process of a container finds what the client or the master wrote. Method: write a launch context,
// read it back.
#include "interop/yarn/launch_context.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "interop/yarn/container_start.hpp"

namespace heddle::interop {
namespace launch_context_test {
namespace {

const config::ContainerVariables variables{
    "container_1700000000000_0007_01_000002", "h1", "/d1/app,/d2/app", "/l1/c,/l2/c", "/d1/app/tokens", "ann"};

proto::ContainerLaunchContext program() {
  return program_context({{"heddle", "file:///opt/heddle", 12, 34}, {"libz.so.1", "hdfs://n:8020/u/libz", 5, 6}}, "u")
      .value();
}

LaunchSpec master_spec() {
  LaunchSpec spec;
  spec.settings = "a = 1\n";
  spec.container.token = "secret";
  spec.container.resource_manager_address = "yarn-scheduler:h:8030";
  spec.role = ApplicationMasterLaunch{};
  return spec;
}

BOOST_AUTO_TEST_CASE(files_are_named_with_size_and_time) {
  const auto context = program();
  BOOST_REQUIRE(context.local_resources_size() == 2);
  BOOST_TEST(context.local_resources(0).key() == "heddle");
  const auto& file = context.local_resources(0).value();
  BOOST_TEST(file.resource().scheme() == "file");
  BOOST_TEST(!file.resource().has_host());
  BOOST_TEST(file.resource().file() == "/opt/heddle");
  BOOST_TEST(file.size() == 12);
  BOOST_TEST(file.timestamp() == 34);
  BOOST_TEST(file.visibility() == proto::VISIBLE_TO_USER);
  const auto& library = context.local_resources(1).value().resource();
  BOOST_TEST(library.scheme() == "hdfs");
  BOOST_TEST(library.host() == "n");
  BOOST_TEST(library.port() == 8020);
}

BOOST_AUTO_TEST_CASE(libraries_lie_beside_the_program_or_come_as_an_archive) {
  const auto context =
      program_context({{"heddle", "file:///h", 1, 1}, {"libraries", "file:///l.tar", 5, 6, true}}, "u").value();
  BOOST_TEST(context.local_resources(0).value().type() == proto::RESOURCE_FILE);
  BOOST_TEST(context.local_resources(1).key() == "libraries");
  BOOST_TEST(context.local_resources(1).value().type() == proto::RESOURCE_ARCHIVE);
  const auto path = std::find_if(context.environment().begin(), context.environment().end(),
                                 [](const auto& variable) { return variable.key() == "LD_LIBRARY_PATH"; });
  BOOST_REQUIRE((path != context.environment().end()));
  BOOST_TEST(path->value() == "libraries:.");
}

BOOST_AUTO_TEST_CASE(a_text_that_bash_would_expand_is_refused) {
  BOOST_TEST(!program_context({}, "u$(id)").has_value());
  for (const auto* url : {"/opt/heddle", "file:opt", "://x/y", "hdfs://h:x/y", "hdfs://h"})
    BOOST_TEST(!program_context({{"heddle", url, 1, 1}}, "u").has_value(), url);
}

BOOST_AUTO_TEST_CASE(the_first_process_of_a_master_gets_its_launch_spec) {
  CredentialFile tokens;
  tokens.tokens.emplace_back("", CredentialToken{"id", "password", "HDFS_DELEGATION_TOKEN", "h:8020"});
  const auto context = launch_context(program(), master_spec(), tokens);
  BOOST_TEST(context.command(0) ==
             "exec ./heddle heddle-role container application-master 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr");
  for (const auto& variable : context.environment()) BOOST_TEST(variable.value().find("secret") == std::string::npos);
  const auto credentials = parse_token_file("tokens", context.tokens());
  BOOST_REQUIRE(credentials.has_value());
  BOOST_TEST((credentials->tokens == tokens.tokens));
  const auto spec = container_spec(variables, *credentials);
  BOOST_REQUIRE(spec.has_value());
  auto expected = master_spec();
  expected.container.container = ContainerId{2};
  expected.container.attempt = {{1700000000000, 7}, 1};
  expected.container.host = "h1";
  expected.container.directory = "/d1/app";
  expected.log_directory = "/l1/c";
  BOOST_TEST((*spec == expected));
}

BOOST_AUTO_TEST_CASE(a_master_starts_executors_with_the_files_of_its_own_container) {
  const auto of_master = parse_token_file("tokens", launch_context(program(), master_spec(), {}).tokens());
  BOOST_REQUIRE(of_master.has_value());
  proto::ContainerLaunchContext again;
  BOOST_REQUIRE(again.ParseFromString(*of_master->secret(program_secret)));
  BOOST_TEST(again.SerializeAsString() == program().SerializeAsString());
  LaunchSpec executor;
  ExecutorLaunch launch;
  launch.executor = ExecutorId{4};
  executor.role = launch;
  const auto context = launch_context(again, executor, *of_master);
  const auto of_executor = parse_token_file("tokens", context.tokens());
  BOOST_REQUIRE(of_executor.has_value());
  BOOST_TEST(of_executor->secrets.size() == 1U);  // its own launch spec only
  BOOST_TEST((container_spec(variables, *of_executor)->role == executor.role));
}

BOOST_AUTO_TEST_CASE(a_process_that_no_node_manager_started_is_told_what_is_missing) {
  const auto credentials = parse_token_file("tokens", launch_context(program(), master_spec(), {}).tokens()).value();
  const auto text_of = [&](auto change) {
    auto changed = variables;
    change(changed);
    const auto spec = container_spec(changed, credentials);
    return spec ? std::string{} : spec.error().text;
  };
  BOOST_TEST(text_of([](auto&) {}).empty());
  BOOST_TEST(text_of([](auto& x) { x.container = ""; }).find("CONTAINER_ID") == 0U);
  BOOST_TEST(text_of([](auto& x) { x.host = ""; }).find("NM_HOST") == 0U);
  BOOST_TEST(text_of([](auto& x) { x.local_folders = "d"; }).find("LOCAL_DIRS") == 0U);
  BOOST_TEST(text_of([](auto& x) { x.log_folders = ""; }).find("LOG_DIRS") == 0U);
  BOOST_TEST(container_spec(variables, {}).error().text.find("has no secret heddle.launch") != std::string::npos);
}

}  // namespace
}  // namespace launch_context_test
}  // namespace heddle::interop
