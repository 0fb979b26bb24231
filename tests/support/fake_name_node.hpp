// A NameNode in memory: folders, files and blocks behind ClientProtocol. Its rules and exceptions are those that Hadoop
// 3.4.2 showed in tests/real.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interop/hadoop/proto/hdfs.pb.h"
#include "tests/support/fake_rpc_server.hpp"

namespace heddle::tests {

class FakeNameNode {
public:
  /// Answers a call instead of the NameNode, or changes nothing.
  using Intercept = std::function<std::optional<FakeAnswer>(const FakeCall&)>;

  struct Rules {
    std::size_t listing_max = 100;  // entries of one response
    int refused_completions = 1;    // times that complete() says no, per file
    std::string encrypted_folder;   // "/zone": files below are in an encryption zone
    std::string erasure_coded_folder;
  };

  /// `data_nodes`: in the order in which the NameNode places replicas.
  explicit FakeNameNode(std::vector<interop::proto::DatanodeInfo> data_nodes)
      : FakeNameNode{std::move(data_nodes), {}} {}
  FakeNameNode(std::vector<interop::proto::DatanodeInfo> data_nodes, Rules rules);

  [[nodiscard]] std::string address() const { return server_->address(); }
  [[nodiscard]] FakeRpcServer& server() { return *server_; }
  void set_intercept(Intercept intercept);
  /// The next answer to this method, after the call was executed.
  void set_delivery(const std::string& method, FakeAnswer::Delivery delivery);
  /// No open file has had its lease renewed for 60 s: another client may take it over.
  void expire_leases();
  /// Number of calls of a method.
  [[nodiscard]] int count(const std::string& method) const;
  /// Calls that broke a rule of the protocol, such as a block of another file.
  [[nodiscard]] std::string violation() const;

private:
  struct Node {
    bool is_folder = false;
    std::uint64_t id = 0;
    std::uint64_t block_bytes = 0;
    std::uint32_t replication = 1;
    std::uint64_t modified_ms = 0;
    std::string owner;
    std::string holder;  // of the lease; empty: the file is closed
    bool has_expired = false;
    int refused_completions = 0;
    std::vector<interop::proto::LocatedBlock> blocks;
  };
  using Nodes = std::map<std::string, Node>;

  [[nodiscard]] FakeAnswer answer(const FakeCall& call);
  [[nodiscard]] FakeAnswer execute(const FakeCall& call);
  [[nodiscard]] FakeAnswer answer_open_file(const FakeCall& call);
  [[nodiscard]] FakeAnswer answer_names(const FakeCall& call);
  [[nodiscard]] FakeAnswer get_listing(const interop::proto::GetListingRequest& request);
  [[nodiscard]] FakeAnswer get_locations(const interop::proto::GetBlockLocationsRequest& request);
  [[nodiscard]] FakeAnswer create(const interop::proto::CreateRequest& request, const std::string& user);
  [[nodiscard]] FakeAnswer append(const interop::proto::AppendRequest& request);
  [[nodiscard]] FakeAnswer fsync(const interop::proto::FsyncRequest& request);
  [[nodiscard]] FakeAnswer renew_lease(const interop::proto::RenewLeaseRequest& request);
  [[nodiscard]] FakeAnswer add_block(const interop::proto::AddBlockRequest& request);
  [[nodiscard]] FakeAnswer abandon(const interop::proto::AbandonBlockRequest& request);
  [[nodiscard]] FakeAnswer complete(const interop::proto::CompleteRequest& request);
  [[nodiscard]] FakeAnswer rename(const interop::proto::Rename2Request& request);
  [[nodiscard]] FakeAnswer remove(const interop::proto::DeleteRequest& request);
  [[nodiscard]] FakeAnswer make_folders(const interop::proto::MkdirsRequest& request);
  /// The exception for a path below a file, and for a missing parent if `needs_parent`.
  [[nodiscard]] std::optional<FakeAnswer> fault_above(const std::string& path, bool needs_parent) const;
  [[nodiscard]] interop::proto::HdfsFileStatus status_of(const Nodes::value_type& entry, const std::string& name,
                                                         bool with_blocks) const;
  [[nodiscard]] interop::proto::LocatedBlocks blocks_of(const Node& node, std::uint64_t begin, std::uint64_t end) const;
  /// The node that `holder` writes, or the exception.
  [[nodiscard]] Node* writable(const std::string& path, const std::string& holder, FakeAnswer& fault);
  /// Closes an open file whose lease has expired.
  static void recover_lease(Node& node);
  void remove_tree(const std::string& path);
  [[nodiscard]] bool has_children(const std::string& path) const;

  std::vector<interop::proto::DatanodeInfo> data_nodes_;
  Rules rules_;
  mutable std::mutex mutex_;
  Intercept intercept_;
  std::map<std::string, FakeAnswer::Delivery> deliveries_;
  Nodes nodes_;
  std::map<std::string, int> counts_;
  std::string violation_;
  std::uint64_t last_id_ = 16384;
  std::uint64_t last_block_ = 1073741824;
  std::unique_ptr<FakeRpcServer> server_;
};

}  // namespace heddle::tests
