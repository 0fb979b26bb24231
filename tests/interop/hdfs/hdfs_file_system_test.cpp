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

/// A world with a file that clients lock, and settings with a clock that waits move.
struct LockWorld {
  HdfsWorld world{1};
  std::string folder = world.new_folder();
  std::int64_t now_ms = 0;
  std::vector<std::string> notices;

  LockWorld() { put(world.files(), folder + "/OWNER", "owner"); }
  [[nodiscard]] HdfsSettings settings() {
    auto made = world.settings();
    made.name_node.lock_wait_ms = NameNodeRules{}.lock_wait_ms;
    made.name_node.now_ms = [this] { return now_ms; };
    made.name_node.wait_ms = [this](std::int64_t span) { now_ms += span; };
    made.name_node.on_notice = [this](const std::string& text) { notices.push_back(text); };
    return made;
  }
  [[nodiscard]] Result<ports::OwnFile> lock(const ports::FileSystem& files) const {
    return files.open_own_file(folder + "/OWNER", folder, ports::Locking::exclusive);
  }
  /// The lock's file, which lies beside the folder.
  [[nodiscard]] bool has_lock_file() { return world.files().list(HdfsWorld::name() + "/")->size() == 2U; }
};

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

BOOST_AUTO_TEST_CASE(the_lock_of_a_process_that_died_is_taken_over_when_its_lease_ends) {
  LockWorld locks;
  const auto dead = locks.world.client(locks.world.settings());
  const auto held = locks.lock(*dead);
  BOOST_REQUIRE(held);
  auto settings = locks.settings();
  settings.name_node.wait_ms = [&](std::int64_t span) {
    locks.now_ms += span;
    if (locks.now_ms >= 60'000) locks.world.name_node().expire_leases();
  };
  const auto files = locks.world.client(settings);
  {
    const auto taken = locks.lock(*files);
    BOOST_REQUIRE(taken);
    BOOST_TEST(taken->content == "owner");
    BOOST_TEST(locks.now_ms >= 60'000);
    BOOST_TEST(locks.now_ms <= 62'000);
    BOOST_TEST(locks.notices.size() == 1U);
    BOOST_TEST(locks.world.name_node().count("append") < 200);
  }
  BOOST_TEST(!locks.has_lock_file());
}

BOOST_AUTO_TEST_CASE(a_holder_that_lost_its_lock_does_not_release_the_lock_of_the_next_one) {
  LockWorld locks;
  const auto slow = locks.world.client(locks.world.settings());
  auto lost = locks.lock(*slow);
  BOOST_REQUIRE(lost);
  locks.world.name_node().expire_leases();
  const auto next = locks.world.client(locks.world.settings());
  auto held = locks.lock(*next);
  BOOST_REQUIRE(held);
  lost->lock.reset();
  BOOST_TEST(locks.has_lock_file());
  auto settings = locks.settings();
  settings.name_node.lock_wait_ms = 0;
  BOOST_TEST(fails_with(locks.lock(*locks.world.client(settings)), Errc::exists));
  held->lock.reset();
  BOOST_TEST(!locks.has_lock_file());
}

BOOST_AUTO_TEST_CASE(a_lock_whose_holder_lives_is_waited_for_75_seconds) {
  LockWorld locks;
  const auto holder = locks.world.client(locks.world.settings());
  const auto held = locks.lock(*holder);
  BOOST_REQUIRE(held);
  BOOST_TEST(fails_with(locks.lock(*locks.world.client(locks.settings())), Errc::exists));
  BOOST_TEST(locks.now_ms == 75'000);
  BOOST_REQUIRE(locks.notices.size() == 1U);
  BOOST_TEST(locks.notices.front().find("another process holds the lock 'hdfs://cluster/_lock-folder-1-OWNER'") == 0U);
}

BOOST_AUTO_TEST_CASE(a_user_can_cancel_a_wait_for_a_lock) {
  LockWorld locks;
  const auto holder = locks.world.client(locks.world.settings());
  const auto held = locks.lock(*holder);
  BOOST_REQUIRE(held);
  auto settings = locks.settings();
  settings.name_node.is_cancelled = [] { return true; };
  BOOST_TEST(fails_with(locks.lock(*locks.world.client(settings)), Errc::cancelled));
  BOOST_TEST(locks.now_ms >= 5'000);  // a cancelled run also locks, to remove its output
  BOOST_TEST(locks.now_ms < 7'000);
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
