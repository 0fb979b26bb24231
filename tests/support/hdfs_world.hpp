// A file system of HDFS over a NameNode and DataNodes in memory, with short waits.
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interop/hdfs/hdfs_file_system.hpp"
#include "tests/support/fake_data_node.hpp"
#include "tests/support/fake_name_node.hpp"

namespace heddle::tests {

class HdfsWorld {
public:
  explicit HdfsWorld(int data_nodes = 3, FakeNameNode::Rules rules = {}) {
    std::vector<interop::proto::DatanodeInfo> infos;
    for (int number = 1; number <= data_nodes; ++number) {
      nodes_.push_back(std::make_unique<FakeDataNode>(std::to_string(number), replicas_));
      infos.push_back(nodes_.back()->info());
    }
    name_node_ = std::make_unique<FakeNameNode>(infos, std::move(rules));
    files_ = std::make_unique<interop::hdfs::HdfsFileSystem>(thread_, settings());
  }
  ~HdfsWorld() {
    files_.reset();
    BOOST_TEST(name_node_->violation() == "");
    for (const auto& node : nodes_) BOOST_TEST(node->wrong_packets() == 0);
  }
  HdfsWorld(const HdfsWorld&) = delete;
  HdfsWorld& operator=(const HdfsWorld&) = delete;

  [[nodiscard]] interop::hdfs::HdfsSettings settings() const {
    interop::hdfs::HdfsSettings settings;
    settings.name = name();
    settings.addresses = {name_node_->address()};
    settings.user = "ann";
    settings.transfer.connect_timeout_ms = 5'000;
    settings.transfer.silence_ms = 500;
    settings.transfer.silence_per_node_ms = 0;
    settings.transfer.relocation_wait_ms = 1;
    settings.retries.first_wait_ms = 1;
    settings.retries.wait_max_ms = 5;
    settings.retries.give_up_after_ms = 5'000;
    settings.name_node.safe_mode_timeout_ms = 2'000;
    settings.name_node.safe_mode_wait_ms = 1;
    settings.name_node.block_wait_ms = 1;
    settings.name_node.complete_wait_ms = 1;
    settings.name_node.lock_wait_ms = 5'000;
    return settings;
  }
  /// Another client of the same cluster.
  [[nodiscard]] std::unique_ptr<interop::hdfs::HdfsFileSystem> client(const interop::hdfs::HdfsSettings& settings) {
    return std::make_unique<interop::hdfs::HdfsFileSystem>(thread_, settings);
  }

  [[nodiscard]] static std::string name() { return "hdfs://cluster"; }
  [[nodiscard]] ports::FileSystem& files() { return *files_; }
  [[nodiscard]] FakeNameNode& name_node() { return *name_node_; }
  [[nodiscard]] FakeDataNode& node(std::size_t index) { return *nodes_[index]; }
  [[nodiscard]] interop::RpcThread& thread() { return thread_; }
  [[nodiscard]] std::string new_folder() {
    const auto path = name() + "/folder-" + std::to_string(++folders_);
    BOOST_REQUIRE(files_->make_directory(path));
    return path;
  }

private:
  FakeReplicas replicas_;
  std::vector<std::unique_ptr<FakeDataNode>> nodes_;
  std::unique_ptr<FakeNameNode> name_node_;
  interop::RpcThread thread_;
  std::unique_ptr<interop::hdfs::HdfsFileSystem> files_;
  int folders_ = 0;
};

}  // namespace heddle::tests
