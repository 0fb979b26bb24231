// Goal: HDFS keeps the contract of file systems, and refuses what it cannot read. Method: a NameNode and DataNodes in
// memory; tests/real runs the contract on an unmodified Hadoop.
#include "interop/hdfs/hdfs_file_system.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/file_system_contract.hpp"
#include "tests/support/hdfs_world.hpp"

namespace heddle::interop::hdfs {
namespace {

using file_system_contract::fails_with;
using file_system_contract::put;
using file_system_contract::text_of;
using tests::HdfsWorld;

}  // namespace

BOOST_AUTO_TEST_CASE(hdfs_keeps_the_contract_of_file_systems_over_fakes) {
  HdfsWorld world;
  file_system_contract::check_file_system_contract(world.files(), [&] { return world.new_folder(); });
}

BOOST_AUTO_TEST_CASE(encrypted_and_erasure_coded_files_are_refused_by_name) {
  for (const bool is_encrypted : {true, false}) {
    tests::FakeNameNode::Rules rules;
    (is_encrypted ? rules.encrypted_folder : rules.erasure_coded_folder) = "/folder-1";
    HdfsWorld world{1, std::move(rules)};
    const auto folder = world.new_folder();
    const auto made = world.files().create(folder + "/file", {});
    BOOST_TEST(fails_with(made, Errc::refused));
    BOOST_TEST(made.error().text.find(is_encrypted ? "encryption" : "erasure") != std::string::npos);
    BOOST_TEST(!*world.files().is_present(folder + "/file"));
  }
}

BOOST_AUTO_TEST_CASE(encrypted_input_is_refused_when_it_is_opened) {
  tests::FakeNameNode::Rules rules;
  rules.encrypted_folder = "/folder-2";
  HdfsWorld world{1, std::move(rules)};
  const auto plain = world.new_folder();
  const auto zone = world.new_folder();
  put(world.files(), plain + "/file", "text");
  BOOST_REQUIRE(*world.files().rename_exclusive(plain + "/file", zone + "/file"));
  BOOST_TEST(fails_with(world.files().open(zone + "/file", {}), Errc::refused));
  const auto listed = world.files().list_with_blocks(zone);
  BOOST_REQUIRE(listed);
  BOOST_TEST(listed->front().blocks.empty());
}

BOOST_AUTO_TEST_CASE(a_listing_has_hosts_and_cached_hosts_without_a_call_per_file) {
  HdfsWorld world;
  const auto folder = world.new_folder();
  for (int number = 0; number < 250; ++number) put(world.files(), folder + "/part-" + std::to_string(number), "text");
  const int before = world.name_node().count("getListing");
  const auto listed = world.files().list_with_blocks(folder);
  BOOST_REQUIRE(listed);
  BOOST_TEST(listed->size() == 250U);
  BOOST_TEST(world.name_node().count("getListing") - before == 3);
  BOOST_TEST(world.name_node().count("getBlockLocations") == 0);
  BOOST_REQUIRE(listed->front().blocks.size() == 1U);
  BOOST_TEST((listed->front().blocks.front().hosts == std::vector<std::string>{"host-1", "host-2"}));
  BOOST_TEST((listed->front().blocks.front().cached_hosts == std::vector<std::string>{"host-2"}));
}

BOOST_AUTO_TEST_CASE(a_path_of_another_file_system_is_an_error_of_its_caller) {
  HdfsWorld world{1};
  BOOST_TEST(fails_with(world.files().status("hdfs://other/file"), Errc::usage));
  BOOST_TEST(fails_with(world.files().status("hdfs://clusters/file"), Errc::usage));
  BOOST_TEST(world.files().status(HdfsWorld::name() + "/")->is_directory);
}

BOOST_AUTO_TEST_CASE(blocks_that_are_not_whole_chunks_are_refused) {
  HdfsWorld world{1};
  const auto folder = world.new_folder();
  ports::CreateOptions options;
  options.block_bytes = 1000;
  BOOST_TEST(fails_with(world.files().create(folder + "/file", options), Errc::usage));
}

BOOST_AUTO_TEST_CASE(permissions_lose_what_the_umask_removes) {
  HdfsWorld world{1};
  auto settings = world.settings();
  settings.umask = 027;
  std::uint32_t permissions = 0;
  world.name_node().set_intercept([&](const tests::FakeCall& call) -> std::optional<tests::FakeAnswer> {
    if (call.method != "create") return std::nullopt;
    proto::CreateRequest request;
    BOOST_REQUIRE(request.ParseFromString(call.request));
    permissions = request.masked().permission();
    return std::nullopt;
  });
  put(*world.client(settings), HdfsWorld::name() + "/file", "text");
  BOOST_TEST(permissions == 0640U);
  world.name_node().set_intercept({});
}

BOOST_AUTO_TEST_CASE(a_lock_lies_beside_the_folder_that_its_holder_may_empty) {
  HdfsWorld world{1};
  const auto folder = world.new_folder();
  BOOST_REQUIRE(world.files().make_directory(folder + "/_temporary"));
  put(world.files(), folder + "/_temporary/OWNER", "owner");
  {
    const auto own = world.files().open_own_file(folder + "/_temporary/OWNER", folder, ports::Locking::exclusive);
    BOOST_REQUIRE(own);
    using file_system_contract::names_in;
    BOOST_TEST((names_in(world.files(), folder + "/_temporary") == std::vector<std::string>{"OWNER"}));
    BOOST_TEST(world.files().list(HdfsWorld::name() + "/")->size() == 2U);
  }
  BOOST_TEST(world.files().list(HdfsWorld::name() + "/")->size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_file_of_another_user_is_not_an_own_file) {
  HdfsWorld world{1};
  put(world.files(), HdfsWorld::name() + "/file", "text");
  auto settings = world.settings();
  settings.user = "bob";
  const auto bob = world.client(settings);
  BOOST_TEST(text_of(*bob, HdfsWorld::name() + "/file") == "text");
  BOOST_TEST(fails_with(bob->open_own_file(HdfsWorld::name() + "/file", HdfsWorld::name(), ports::Locking::none),
                        Errc::refused));
}

}  // namespace heddle::interop::hdfs
