#include "tests/support/fake_name_node.hpp"

#include <chrono>
#include <utility>

namespace heddle::tests {
namespace {

namespace proto = interop::proto;

template <class Message>
Message parsed(const FakeCall& call) {
  Message message;
  if (!message.ParseFromString(call.request)) message.Clear();
  return message;
}

std::string folder_of(const std::string& path) {
  const auto at = path.rfind('/');
  return at == 0 ? "/" : path.substr(0, at);
}

bool is_below(const std::string& path, const std::string& folder) {
  return !folder.empty() && path.starts_with(folder == "/" ? folder : folder + '/') && path != folder;
}

std::uint64_t now_ms() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

FakeAnswer not_found(const std::string& path) {
  return exception_of("java.io.FileNotFoundException", "File does not exist: " + path);
}

FakeAnswer exists(const std::string& path) {
  return exception_of("org.apache.hadoop.fs.FileAlreadyExistsException", path + " already exists");
}

template <class Response>
FakeAnswer boolean(bool result) {
  Response response;
  response.set_result(result);
  return answer_of(response);
}

}  // namespace

FakeNameNode::FakeNameNode(std::vector<proto::DatanodeInfo> data_nodes, Rules rules)
    : data_nodes_{std::move(data_nodes)}, rules_{std::move(rules)} {
  nodes_["/"].is_folder = true;
  FakeServerSettings server;
  server.has_retry_cache = true;
  server_ = std::make_unique<FakeRpcServer>([this](const FakeCall& call) { return answer(call); }, server);
}

void FakeNameNode::set_intercept(Intercept intercept) {
  const std::lock_guard lock{mutex_};
  intercept_ = std::move(intercept);
}

void FakeNameNode::set_delivery(const std::string& method, FakeAnswer::Delivery delivery) {
  const std::lock_guard lock{mutex_};
  deliveries_[method] = delivery;
}

void FakeNameNode::expire_leases() {
  const std::lock_guard lock{mutex_};
  for (auto& [path, node] : nodes_) node.has_expired = true;
}

int FakeNameNode::count(const std::string& method) const {
  const std::lock_guard lock{mutex_};
  const auto found = counts_.find(method);
  return found == counts_.end() ? 0 : found->second;
}

std::string FakeNameNode::violation() const {
  const std::lock_guard lock{mutex_};
  return violation_.empty() ? server_->violation() : violation_;
}

FakeAnswer FakeNameNode::answer(const FakeCall& call) {
  Intercept intercept;
  {
    const std::lock_guard lock{mutex_};
    ++counts_[call.method];
    intercept = intercept_;
  }
  if (intercept)
    if (auto instead = intercept(call)) return *instead;
  const std::lock_guard lock{mutex_};
  auto answer = execute(call);
  if (const auto found = deliveries_.find(call.method); found != deliveries_.end()) {
    answer.delivery = found->second;
    deliveries_.erase(found);
  }
  return answer;
}

FakeAnswer FakeNameNode::execute(const FakeCall& call) {
  if (call.method == "getServerDefaults") {
    proto::GetServerDefaultsResponse response;
    auto& defaults = *response.mutable_defaults();
    defaults.set_block_size(1 << 20);
    defaults.set_bytes_per_checksum(512);
    defaults.set_write_packet_size(65536);
    defaults.set_replication(2);
    defaults.set_file_buffer_size(4096);
    defaults.set_checksum_type(proto::CHECKSUM_CRC32C);
    return answer_of(response);
  }
  if (call.method == "getListing") return get_listing(parsed<proto::GetListingRequest>(call));
  if (call.method == "getBlockLocations") return get_locations(parsed<proto::GetBlockLocationsRequest>(call));
  if (call.method == "getFileInfo") {
    const auto path = parsed<proto::GetFileInfoRequest>(call).source();
    if (auto fault = fault_above(path, false)) return *fault;
    proto::GetFileInfoResponse response;
    const auto found = nodes_.find(path);
    if (found != nodes_.end()) *response.mutable_status() = status_of(*found, "", false);
    return answer_of(response);
  }
  return answer_open_file(call);
}

FakeAnswer FakeNameNode::answer_open_file(const FakeCall& call) {
  if (call.method == "create") return create(parsed<proto::CreateRequest>(call), call.user);
  if (call.method == "append") return append(parsed<proto::AppendRequest>(call));
  if (call.method == "addBlock") return add_block(parsed<proto::AddBlockRequest>(call));
  if (call.method == "abandonBlock") return abandon(parsed<proto::AbandonBlockRequest>(call));
  if (call.method == "complete") return complete(parsed<proto::CompleteRequest>(call));
  if (call.method == "renewLease") return renew_lease(parsed<proto::RenewLeaseRequest>(call));
  if (call.method == "fsync") return fsync(parsed<proto::FsyncRequest>(call));
  return answer_names(call);
}

FakeAnswer FakeNameNode::answer_names(const FakeCall& call) {
  if (call.method == "rename2") return rename(parsed<proto::Rename2Request>(call));
  if (call.method == "delete") return remove(parsed<proto::DeleteRequest>(call));
  if (call.method == "mkdirs") return make_folders(parsed<proto::MkdirsRequest>(call));
  violation_ = "unknown method " + call.method;
  return exception_of("org.apache.hadoop.ipc.RpcNoSuchMethodException", "Unknown method " + call.method);
}

std::optional<FakeAnswer> FakeNameNode::fault_above(const std::string& path, bool needs_parent) const {
  for (auto at = folder_of(path);; at = folder_of(at)) {
    const auto found = nodes_.find(at);
    if (found != nodes_.end() && !found->second.is_folder)
      return exception_of("org.apache.hadoop.security.AccessControlException", at + " (is not a directory)");
    if (found == nodes_.end() && needs_parent) return not_found(at);
    if (at == "/") return std::nullopt;
  }
}

proto::LocatedBlocks FakeNameNode::blocks_of(const Node& node, std::uint64_t begin, std::uint64_t end) const {
  proto::LocatedBlocks blocks;
  std::uint64_t offset = 0;
  const std::size_t complete = node.holder.empty() || node.blocks.empty() ? node.blocks.size() : node.blocks.size() - 1;
  for (std::size_t index = 0; index < complete; ++index) {
    const auto length = node.blocks[index].block().length();
    if (offset < end && offset + length > begin) {
      auto& block = *blocks.add_blocks();
      block = node.blocks[index];
      block.set_offset(offset);
      for (int each = 0; each < block.locations_size(); ++each) block.add_is_cached(each == 1);
    }
    offset += length;
  }
  blocks.set_file_length(offset);
  blocks.set_under_construction(!node.holder.empty());
  blocks.set_is_last_block_complete(node.holder.empty());
  return blocks;
}

proto::HdfsFileStatus FakeNameNode::status_of(const Nodes::value_type& entry, const std::string& name,
                                              bool with_blocks) const {
  const auto& [path, node] = entry;
  proto::HdfsFileStatus status;
  const auto blocks = blocks_of(node, 0, UINT64_MAX);
  status.set_file_type(node.is_folder ? proto::HdfsFileStatus::IS_DIR : proto::HdfsFileStatus::IS_FILE);
  status.set_path(name);
  status.set_length(blocks.file_length());
  status.mutable_permission()->set_permission(0644);
  status.set_owner(node.owner);
  status.set_group("staff");
  status.set_modification_time(node.modified_ms);
  status.set_access_time(0);
  status.set_replication(node.replication);
  status.set_block_size(node.block_bytes);
  status.set_file_id(node.id);
  if (is_below(path, rules_.encrypted_folder)) status.set_flags(proto::HdfsFileStatus::HAS_CRYPT);
  if (is_below(path, rules_.erasure_coded_folder)) status.set_flags(proto::HdfsFileStatus::HAS_EC);
  if (with_blocks && !node.is_folder) *status.mutable_locations() = blocks;
  return status;
}

FakeAnswer FakeNameNode::get_listing(const proto::GetListingRequest& request) {
  if (auto fault = fault_above(request.source(), false)) return *fault;
  proto::GetListingResponse response;
  const auto found = nodes_.find(request.source());
  if (found == nodes_.end()) return answer_of(response);
  auto& listing = *response.mutable_listing();
  listing.set_remaining(0);
  if (!found->second.is_folder) {
    *listing.add_entries() = status_of(*found, "", request.need_location());
    return answer_of(response);
  }
  std::uint32_t remaining = 0;
  for (const auto& entry : nodes_) {
    if (entry.first == "/" || folder_of(entry.first) != request.source()) continue;
    const auto name = entry.first.substr(entry.first.rfind('/') + 1);
    if (name <= request.start_after()) continue;
    if (static_cast<std::size_t>(listing.entries_size()) < rules_.listing_max)
      *listing.add_entries() = status_of(entry, name, request.need_location());
    else ++remaining;
  }
  listing.set_remaining(remaining);
  return answer_of(response);
}

FakeAnswer FakeNameNode::get_locations(const proto::GetBlockLocationsRequest& request) {
  if (auto fault = fault_above(request.source(), false)) return *fault;
  const auto found = nodes_.find(request.source());
  if (found == nodes_.end()) return not_found(request.source());
  if (found->second.is_folder)
    return exception_of("java.io.FileNotFoundException", "Path is not a file: " + request.source());
  proto::GetBlockLocationsResponse response;
  const auto end = request.offset() + std::min(request.length(), UINT64_MAX - request.offset());
  *response.mutable_locations() = blocks_of(found->second, request.offset(), end);
  if (is_below(found->first, rules_.encrypted_folder)) response.mutable_locations()->set_file_encryption_info("info");
  if (is_below(found->first, rules_.erasure_coded_folder))
    response.mutable_locations()->set_erasure_coding_policy("RS-6-3");
  return answer_of(response);
}

FakeAnswer FakeNameNode::create(const proto::CreateRequest& request, const std::string& user) {
  const auto& path = request.source();
  if (auto fault = fault_above(path, !request.create_parent())) return *fault;
  const auto found = nodes_.find(path);
  if (found != nodes_.end()) {
    if (found->second.is_folder) return exists(path);
    recover_lease(found->second);
    if ((request.flags() & 2U) == 0 && !found->second.holder.empty())
      return exception_of("org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException", path + " is being created");
    if ((request.flags() & 2U) == 0) return exists(path);
  }
  auto& node = nodes_[path];
  node = {};
  node.id = ++last_id_;
  node.block_bytes = request.block_size();
  node.replication = request.replication();
  node.modified_ms = now_ms();
  node.owner = user;
  node.holder = request.client_name();
  node.refused_completions = rules_.refused_completions;
  proto::CreateResponse response;
  *response.mutable_status() = status_of(*nodes_.find(path), "", false);
  return answer_of(response);
}

FakeAnswer FakeNameNode::append(const proto::AppendRequest& request) {
  const auto found = nodes_.find(request.source());
  if (found == nodes_.end() || found->second.is_folder) return not_found(request.source());
  recover_lease(found->second);
  if (!found->second.holder.empty())
    return exception_of("org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException", "the file is open");
  found->second.holder = request.client_name();
  found->second.has_expired = false;
  proto::AppendResponse response;
  *response.mutable_status() = status_of(*found, "", false);
  return answer_of(response);
}

void FakeNameNode::recover_lease(Node& node) {
  if (node.has_expired) node.holder.clear();
}

FakeAnswer FakeNameNode::renew_lease(const proto::RenewLeaseRequest& request) {
  for (auto& [path, node] : nodes_)
    if (node.holder == request.client_name()) node.has_expired = false;
  return answer_of(proto::RenewLeaseResponse{});
}

FakeAnswer FakeNameNode::fsync(const proto::FsyncRequest& request) {
  FakeAnswer fault;
  const auto* node = writable(request.source(), request.client_name(), fault);
  if (node == nullptr) return fault;
  if (node->id != request.file_id()) return not_found(request.source());
  return answer_of(proto::FsyncResponse{});
}

FakeNameNode::Node* FakeNameNode::writable(const std::string& path, const std::string& holder, FakeAnswer& fault) {
  const auto found = nodes_.find(path);
  if (found != nodes_.end() && found->second.holder == holder) return &found->second;
  fault = exception_of("org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException",
                       found == nodes_.end() ? "File does not exist: " + path : "no lease on " + path);
  return nullptr;
}

FakeAnswer FakeNameNode::add_block(const proto::AddBlockRequest& request) {
  FakeAnswer fault;
  auto* node = writable(request.source(), request.client_name(), fault);
  if (node == nullptr) return fault;
  if (request.has_previous()) {
    if (node->blocks.empty() || node->blocks.back().block().block_id() != request.previous().block_id())
      violation_ = "addBlock names another previous block";
    else node->blocks.back().mutable_block()->set_length(request.previous().length());
  } else if (!node->blocks.empty()) {
    violation_ = "addBlock names no previous block";
  }
  proto::AddBlockResponse response;
  auto& located = *response.mutable_block();
  located.mutable_block()->set_pool_id("pool");
  located.mutable_block()->set_block_id(++last_block_);
  located.mutable_block()->set_generation_stamp(1001);
  located.set_offset(0);
  located.set_corrupt(false);
  for (auto* text :
       {located.mutable_block_token()->mutable_identifier(), located.mutable_block_token()->mutable_password(),
        located.mutable_block_token()->mutable_kind(), located.mutable_block_token()->mutable_service()})
    text->clear();
  for (const auto& each : data_nodes_) {
    bool is_excluded = false;
    for (const auto& one : request.excluded()) is_excluded = is_excluded || one.id().uuid() == each.id().uuid();
    if (is_excluded || static_cast<std::uint32_t>(located.locations_size()) == node->replication) continue;
    *located.add_locations() = each;
    located.add_storage_types(proto::STORAGE_DISK);
    located.add_storage_ids("DS-" + each.id().uuid());
  }
  if (located.locations_size() == 0)
    return exception_of("java.io.IOException",
                        "File " + request.source() + " could only be written to 0 of the 1 minReplication nodes.");
  node->blocks.push_back(located);
  return answer_of(response);
}

FakeAnswer FakeNameNode::abandon(const proto::AbandonBlockRequest& request) {
  FakeAnswer fault;
  auto* node = writable(request.source(), request.holder(), fault);
  if (node == nullptr) return fault;
  if (node->blocks.empty() || node->blocks.back().block().block_id() != request.block().block_id())
    violation_ = "abandonBlock names another block than the last one";
  else node->blocks.pop_back();
  return answer_of(proto::AbandonBlockResponse{});
}

FakeAnswer FakeNameNode::complete(const proto::CompleteRequest& request) {
  FakeAnswer fault;
  auto* node = writable(request.source(), request.client_name(), fault);
  if (node == nullptr) return fault;
  if (!node->blocks.empty() && node->refused_completions-- > 0) return boolean<proto::CompleteResponse>(false);
  if (request.has_last() != !node->blocks.empty()) violation_ = "complete names another last block";
  if (request.has_last() && !node->blocks.empty())
    node->blocks.back().mutable_block()->set_length(request.last().length());
  node->holder.clear();
  node->modified_ms = now_ms();
  return boolean<proto::CompleteResponse>(true);
}

bool FakeNameNode::has_children(const std::string& path) const {
  const auto next = nodes_.lower_bound(path + '/');
  return next != nodes_.end() && is_below(next->first, path);
}

void FakeNameNode::remove_tree(const std::string& path) {
  std::erase_if(nodes_, [&](const auto& entry) { return entry.first == path || is_below(entry.first, path); });
}

FakeAnswer FakeNameNode::rename(const proto::Rename2Request& request) {
  const auto& from = request.source();
  const auto& to = request.destination();
  if (auto fault = fault_above(from, false)) return *fault;
  const auto source = nodes_.find(from);
  if (source == nodes_.end()) return not_found(from);
  if (auto fault = fault_above(to, true)) return *fault;
  const auto target = nodes_.find(to);
  if (target != nodes_.end()) {
    if (source->second.is_folder != target->second.is_folder)
      return exception_of("java.io.IOException",
                          "Source " + from + " and destination " + to + " must both be directories");
    if (!request.overwrite()) return exists(to);
    if (has_children(to))
      return exception_of("java.io.IOException", "rename destination directory is not empty: " + to);
  }
  Nodes moved;
  for (const auto& [path, node] : nodes_)
    if (path == from || is_below(path, from)) moved[to + path.substr(from.size())] = node;
  remove_tree(from);
  for (auto& [path, node] : moved) nodes_[path] = std::move(node);
  return answer_of(proto::Rename2Response{});
}

FakeAnswer FakeNameNode::remove(const proto::DeleteRequest& request) {
  const auto& path = request.source();
  if (auto fault = fault_above(path, false)) return *fault;
  if (nodes_.count(path) == 0) return boolean<proto::DeleteResponse>(false);
  if (!request.recursive() && has_children(path))
    return exception_of("org.apache.hadoop.fs.PathIsNotEmptyDirectoryException", path + " is non empty");
  remove_tree(path);
  return boolean<proto::DeleteResponse>(true);
}

FakeAnswer FakeNameNode::make_folders(const proto::MkdirsRequest& request) {
  const auto& path = request.source();
  const auto found = nodes_.find(path);
  if (found != nodes_.end() && !found->second.is_folder) return exists(path);
  if (auto fault = fault_above(path, !request.create_parent())) return *fault;
  for (auto at = path; nodes_.count(at) == 0; at = folder_of(at)) nodes_[at].is_folder = true;
  return boolean<proto::MkdirsResponse>(true);
}

}  // namespace heddle::tests
