// Goal: a reader gets the bytes that were written, or an error; never other bytes. Method: each fault of a DataNode, on
// one replica and on all.
#include "interop/hdfs/file_reader.hpp"

#include <poll.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/file_system_contract.hpp"
#include "tests/support/hdfs_world.hpp"

namespace heddle::interop::hdfs::file_reader_test {
namespace {

using file_system_contract::fails_with;
using file_system_contract::put;
using file_system_contract::random_bytes;
using file_system_contract::text_of;
using tests::DataNodeFault;
using tests::HdfsWorld;

const std::string path = HdfsWorld::name() + "/file";

/// Two blocks, with replicas on the first two DataNodes.
std::string put_two_blocks(HdfsWorld& world) {
  auto content = random_bytes((1 << 20) + 300'001, 11);
  put(world.files(), path, content);
  return content;
}

constexpr DataNodeFault read_faults[] = {
    DataNodeFault::closes,   DataNodeFault::is_silent, DataNodeFault::refuses,    DataNodeFault::token_expired,
    DataNodeFault::garbage,  DataNodeFault::drops,     DataNodeFault::stalls,     DataNodeFault::omits_kind,
    DataNodeFault::corrupts, DataNodeFault::oversizes, DataNodeFault::misnumbers, DataNodeFault::ends_early};

/// The reader gets two packets in each try.
bool sends_something(DataNodeFault fault) {
  return fault == DataNodeFault::drops || fault == DataNodeFault::stalls || fault == DataNodeFault::ends_early;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_fault_of_one_replica_is_not_seen) {
  for (const auto fault : read_faults) {
    HdfsWorld world;
    const auto content = put_two_blocks(world);
    world.node(0).set_fault(fault);
    BOOST_TEST_CONTEXT("fault " << static_cast<int>(fault)) { BOOST_TEST((text_of(world.files(), path) == content)); }
    BOOST_TEST(world.node(1).operations() > 0);
  }
}

BOOST_AUTO_TEST_CASE(faults_of_all_replicas_are_an_error_that_names_them) {
  for (const auto fault : read_faults) {
    if (sends_something(fault)) continue;
    HdfsWorld world;
    put_two_blocks(world);
    world.node(0).set_fault(fault);
    world.node(1).set_fault(fault);
    const auto read = world.files().read_all(path);
    BOOST_TEST_CONTEXT("fault " << static_cast<int>(fault)) {
      BOOST_REQUIRE(!read);
      const bool is_damage = fault == DataNodeFault::corrupts || fault == DataNodeFault::misnumbers ||
                             fault == DataNodeFault::oversizes || fault == DataNodeFault::garbage ||
                             fault == DataNodeFault::omits_kind;
      BOOST_TEST((read.error().code == (is_damage ? Errc::corrupt : Errc::unreachable)));
      BOOST_TEST(read.error().text.find(path) != std::string::npos);
      BOOST_TEST_INFO(read.error().text);
      BOOST_TEST(read.error().text.find(world.node(0).address()) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_fault_of_all_replicas_that_ends_is_not_seen) {
  for (const auto fault :
       {DataNodeFault::closes, DataNodeFault::refuses, DataNodeFault::token_expired, DataNodeFault::drops}) {
    HdfsWorld world;
    const auto content = put_two_blocks(world);
    world.node(0).set_fault(fault, 1);
    world.node(1).set_fault(fault, 1);
    BOOST_TEST((text_of(world.files(), path) == content));
  }
}

BOOST_AUTO_TEST_CASE(replicas_that_fail_after_some_bytes_each_time_are_read_to_the_end) {
  for (const auto fault : {DataNodeFault::drops, DataNodeFault::ends_early})
    for (const std::size_t nodes : {1U, 2U}) {
      HdfsWorld world{static_cast<int>(nodes)};
      const auto content = put_two_blocks(world);
      for (std::size_t index = 0; index < nodes; ++index) world.node(index).set_fault(fault);
      BOOST_TEST_CONTEXT("fault " << static_cast<int>(fault) << ", replicas: " << nodes) {
        BOOST_TEST((text_of(world.files(), path) == content));
      }
    }
}

BOOST_AUTO_TEST_CASE(a_data_node_with_a_fault_is_used_last_from_then_on) {
  HdfsWorld world;
  const auto content = put_two_blocks(world);
  world.node(0).set_fault(DataNodeFault::drops, 1);
  BOOST_TEST((text_of(world.files(), path) == content));
  const int before = world.node(0).operations();
  BOOST_TEST((text_of(world.files(), path) == content));
  BOOST_TEST(world.node(0).operations() == before);
}

BOOST_AUTO_TEST_CASE(a_verified_range_is_confirmed_and_its_connection_used_again) {
  HdfsWorld world;
  const auto content = put_two_blocks(world);
  const int before = world.node(0).connections();
  for (int times = 0; times < 5; ++times) BOOST_TEST((text_of(world.files(), path) == content));
  // The DataNode counts a confirmation after the client has sent it.
  for (int waits = 0; world.node(0).checksums_confirmed() < 10 && waits < 1000; ++waits) ::poll(nullptr, 0, 1);
  BOOST_TEST(world.node(0).checksums_confirmed() == 10);
  BOOST_TEST(world.node(0).connections() - before == 1);
  BOOST_TEST(world.node(1).operations() == 0);
}

BOOST_AUTO_TEST_CASE(a_split_reads_little_behind_its_end) {
  HdfsWorld world;
  const auto content = put_two_blocks(world);
  auto source = world.files().open(path, {1000, 5000});
  BOOST_REQUIRE(source);
  std::string bytes(5000, '\0');
  BOOST_TEST((*source)->read(bytes.data(), bytes.size()).value() == 5000U);
  BOOST_TEST((content.compare(1000, 5000, bytes) == 0));
  BOOST_TEST((*source)->read(bytes.data(), 100).value() == 100U);
  BOOST_TEST((content.compare(6000, 100, bytes, 0, 100) == 0));
  // Two blocks written, the split, and a piece behind it.
  BOOST_TEST(world.node(0).operations() == 4);
}

BOOST_AUTO_TEST_CASE(a_file_whose_replicas_are_lost_says_so) {
  HdfsWorld world;
  put_two_blocks(world);
  world.name_node().set_intercept([](const tests::FakeCall& call) -> std::optional<tests::FakeAnswer> {
    if (call.method != "getBlockLocations") return std::nullopt;
    proto::GetBlockLocationsResponse response;
    auto& located = *response.mutable_locations();
    located.set_file_length(1000);
    located.set_under_construction(false);
    located.set_is_last_block_complete(true);
    auto& block = *located.add_blocks();
    block.mutable_block()->set_pool_id("pool");
    block.mutable_block()->set_block_id(77);
    block.mutable_block()->set_generation_stamp(1);
    block.mutable_block()->set_length(1000);
    block.set_offset(0);
    block.set_corrupt(false);
    for (auto* text :
         {block.mutable_block_token()->mutable_identifier(), block.mutable_block_token()->mutable_password(),
          block.mutable_block_token()->mutable_kind(), block.mutable_block_token()->mutable_service()})
      text->clear();
    return tests::answer_of(response);
  });
  const auto read = world.files().read_all(path);
  BOOST_TEST(fails_with(read, Errc::unreachable));
  BOOST_TEST(read.error().text.find("no running DataNode") != std::string::npos);
  world.name_node().set_intercept({});
}

BOOST_AUTO_TEST_CASE(a_file_that_is_written_has_its_complete_blocks) {
  HdfsWorld world;
  auto sink = world.files().create(path, {});
  BOOST_REQUIRE(sink);
  BOOST_REQUIRE((*sink)->write(std::string((1 << 20) + 1000, 'x')));
  BOOST_TEST(world.files().read_all(path)->size() == 1U << 20);
  BOOST_REQUIRE((*sink)->close());
  BOOST_TEST(world.files().read_all(path)->size() == (1U << 20) + 1000);
}

}  // namespace heddle::interop::hdfs::file_reader_test
