// Goal: a closed file is whole on every replica; a pipeline that cannot be set up is placed anew; one that breaks ends
// the file with Errc::interrupted. Method: each fault of a DataNode.
#include "interop/hdfs/file_writer.hpp"

#include <poll.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <system_error>
#include <utility>

#include "interop/hdfs/lease_renewer.hpp"
#include "tests/support/file_system_contract.hpp"
#include "tests/support/hdfs_world.hpp"
#include "tests/support/no_threads.hpp"

namespace heddle::interop::hdfs::file_writer_test {
namespace {

using file_system_contract::put;
using file_system_contract::random_bytes;
using file_system_contract::text_of;
using tests::DataNodeFault;
using tests::HdfsWorld;

const std::string path = HdfsWorld::name() + "/file";

Result<Done> write(ports::FileSystem& files, const std::string& content, const ports::CreateOptions& options = {}) {
  auto sink = files.create(path, options);
  if (!sink) return sink.error();
  for (std::size_t at = 0; at < content.size(); at += 100'000)
    if (auto written = (*sink)->write(std::string_view{content}.substr(at, 100'000)); !written) return written;
  return (*sink)->close();
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_replica_has_the_whole_file) {
  HdfsWorld world;
  const auto content = random_bytes(5 << 19, 2);
  BOOST_REQUIRE(write(world.files(), content));
  BOOST_TEST((text_of(world.files(), path) == content));
  world.node(0).set_fault(DataNodeFault::refuses);
  BOOST_TEST((text_of(world.files(), path) == content));
  BOOST_TEST(world.name_node().count("addBlock") == 3);
  BOOST_TEST(world.node(0).synced_blocks() == 0);
}

BOOST_AUTO_TEST_CASE(a_durable_file_is_synced_block_by_block) {
  for (const auto durability : {ports::Durability::deferred, ports::Durability::synced}) {
    HdfsWorld world;
    ports::CreateOptions options;
    options.durability = durability;
    BOOST_REQUIRE(write(world.files(), random_bytes(5 << 19, 2), options));
    BOOST_TEST(world.node(0).synced_blocks() == 3);
  }
}

BOOST_AUTO_TEST_CASE(a_pipeline_that_cannot_be_set_up_is_placed_anew) {
  for (const auto fault :
       {DataNodeFault::closes, DataNodeFault::is_silent, DataNodeFault::refuses, DataNodeFault::garbage}) {
    HdfsWorld world;
    world.node(0).set_fault(fault);
    const auto content = random_bytes(300'000, 3);
    BOOST_TEST_CONTEXT("fault " << static_cast<int>(fault)) {
      const auto written = write(world.files(), content);
      BOOST_TEST(written.has_value(), (written ? "" : written.error().text));
      BOOST_TEST(world.name_node().count("abandonBlock") == 1);
      BOOST_TEST((text_of(world.files(), path) == content));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_bad_link_of_a_pipeline_is_avoided) {
  HdfsWorld world;
  world.node(0).set_fault(DataNodeFault::bad_link, 1);
  BOOST_REQUIRE(write(world.files(), "text"));
  const auto blocks = world.files().locate(path, 0, 4);
  BOOST_REQUIRE(blocks);
  BOOST_TEST((blocks->front().hosts == std::vector<std::string>{"host-1", "host-3"}));
}

BOOST_AUTO_TEST_CASE(data_nodes_that_all_refuse_a_block_interrupt_the_file) {
  HdfsWorld world{2};
  world.node(0).set_fault(DataNodeFault::refuses);
  world.node(1).set_fault(DataNodeFault::refuses);
  const auto written = write(world.files(), "text");
  BOOST_REQUIRE(!written);
  BOOST_TEST((written.error().code == Errc::interrupted));
  BOOST_TEST(written.error().text.find(world.node(1).address()) != std::string::npos);
  BOOST_TEST(written.error().text.find("; the NameNode has no other: ") != std::string::npos);
  BOOST_TEST(written.error().text.find("could only be written to 0 of") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(without_data_nodes_there_is_no_space) {
  HdfsWorld world{0};
  const auto written = write(world.files(), "text");
  BOOST_REQUIRE(!written);
  BOOST_TEST((written.error().code == Errc::no_space));
  BOOST_TEST(written.error().text.find("could only be written to 0 of") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pipeline_that_breaks_interrupts_the_file) {
  for (const auto fault : {DataNodeFault::drops, DataNodeFault::stalls, DataNodeFault::acks_nothing,
                           DataNodeFault::acks_errors, DataNodeFault::acks_ahead}) {
    HdfsWorld world;
    world.node(0).set_fault(fault);
    const auto written = write(world.files(), random_bytes(700'000, 4));
    BOOST_TEST_CONTEXT("fault " << static_cast<int>(fault)) {
      BOOST_REQUIRE(!written);
      BOOST_TEST((written.error().code == Errc::interrupted));
      BOOST_TEST(written.error().text.find(path) != std::string::npos);
      world.node(0).set_fault(DataNodeFault::none);
      BOOST_TEST(write(world.files(), "again").has_value());
      BOOST_TEST(text_of(world.files(), path) == "again");
    }
  }
}

BOOST_AUTO_TEST_CASE(an_idle_pipeline_and_its_lease_are_kept) {
  HdfsWorld world{1};
  auto settings = world.settings();
  settings.transfer.heartbeat_ms = 1;
  settings.leases = {.lease_ms = 3, .pipelines_ms = 1};
  const auto files = world.client(settings);
  auto sink = files->create(path, {});
  BOOST_REQUIRE(sink);
  BOOST_REQUIRE((*sink)->write("one "));
  const auto is_kept = [&] { return world.node(0).heartbeats() >= 3 && world.name_node().count("renewLease") >= 3; };
  for (int waits = 0; !is_kept() && waits < 10'000; ++waits) ::poll(nullptr, 0, 1);
  BOOST_TEST(is_kept());
  BOOST_REQUIRE((*sink)->write("two"));
  BOOST_REQUIRE((*sink)->close());
  BOOST_TEST(text_of(*files, path) == "one two");
}

BOOST_AUTO_TEST_CASE(a_file_whose_renewer_cannot_start_is_not_renewed) {
  /// Counts its heartbeats.
  class Pipeline final : public OpenPipeline {
  public:
    void send_heartbeat() override { ++heartbeats; }
    std::atomic<int> heartbeats{0};
  };
  HdfsWorld world{1};
  const auto settings = world.settings();
  RpcTarget target;
  target.addresses = settings.addresses;
  target.protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol";
  target.user = settings.user;
  const auto name_node = std::make_shared<NameNode>(world.thread(), std::move(target), settings.retries,
                                                    settings.name_node, settings.name);
  LeaseRenewer leases{name_node, "client", {.lease_ms = 1'000, .pipelines_ms = 1}};
  Pipeline dropped;
  {
    const heddle::tests::NoThreads none;
    BOOST_CHECK_THROW(leases.add(dropped), std::system_error);
  }
  Pipeline kept;
  leases.add(kept);
  for (int waits = 0; kept.heartbeats < 3 && waits < 10'000; ++waits) ::poll(nullptr, 0, 1);
  BOOST_TEST(kept.heartbeats >= 3);
  BOOST_TEST(dropped.heartbeats == 0);
  leases.remove(kept);
}

BOOST_AUTO_TEST_CASE(a_sink_without_close_leaves_an_open_file_that_can_be_replaced) {
  HdfsWorld world{1};
  {
    auto sink = world.files().create(path, {});
    BOOST_REQUIRE(sink);
    BOOST_REQUIRE((*sink)->write(std::string(1000, 'x')));
  }
  BOOST_TEST(text_of(world.files(), path).empty());
  put(world.files(), path, "whole");
  BOOST_TEST(text_of(world.files(), path) == "whole");
}

BOOST_AUTO_TEST_CASE(the_file_of_a_removed_folder_cannot_be_completed) {
  HdfsWorld world{1};
  const auto folder = world.new_folder();
  auto sink = world.files().create(folder + "/file", {});
  BOOST_REQUIRE(sink);
  BOOST_REQUIRE((*sink)->write("text"));
  BOOST_REQUIRE(world.files().remove_all(folder, HdfsWorld::name()));
  const auto closed = (*sink)->close();
  BOOST_REQUIRE(!closed);
  BOOST_TEST((closed.error().code == Errc::not_found));
}

}  // namespace heddle::interop::hdfs::file_writer_test
