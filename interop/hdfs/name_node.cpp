#include "interop/hdfs/name_node.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "interop/hdfs/block_messages.hpp"

namespace heddle::interop::hdfs {
namespace {

constexpr std::uint32_t flag_create = 1;
constexpr std::uint32_t flag_overwrite = 2;
constexpr std::int64_t lock_pause_ms_min = 25;
constexpr std::int64_t lock_pause_ms_max = 1'000;
constexpr std::int64_t release_timeout_ms = 5'000;
constexpr std::int64_t renewal_timeout_ms = 30'000;  // a lease is renewed that often

NameNodeRules with_real_clock(NameNodeRules rules) {
  using namespace std::chrono;
  if (!rules.now_ms)
    rules.now_ms = [] { return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count(); };
  if (!rules.wait_ms)
    rules.wait_ms = [](std::int64_t span) { static_cast<void>(::poll(nullptr, 0, static_cast<int>(span))); };
  return rules;
}

constexpr std::string_view safe_mode_exception = "SafeModeException";

bool has(const RpcFault& fault, std::string_view text) { return fault.text.find(text) != std::string::npos; }

/// With several NameNodes a SafeModeException comes as the text of a RetriableException.
bool is_safe_mode(const RpcFault& fault) {
  return fault.is(safe_mode_exception) || (fault.is("RetriableException") && has(fault, safe_mode_exception));
}

/// Errc of an exception of the NameNode.
Errc code_of(const RpcFault& fault) {
  struct Row {
    std::string_view java_class;
    Errc code;
  };
  static constexpr Row rows[] = {{"FileNotFoundException", Errc::not_found},
                                 {"ParentNotDirectoryException", Errc::not_found},
                                 {"LeaseExpiredException", Errc::not_found},
                                 {"FileAlreadyExistsException", Errc::exists},
                                 {"AlreadyBeingCreatedException", Errc::exists},
                                 {"RecoveryInProgressException", Errc::exists},
                                 {"PathIsNotEmptyDirectoryException", Errc::exists},
                                 {"AccessControlException", Errc::refused},
                                 {"NSQuotaExceededException", Errc::refused},
                                 {"UnresolvedLinkException", Errc::refused},
                                 {"SnapshotAccessControlException", Errc::refused},
                                 {"UnknownCryptoProtocolVersionException", Errc::refused},
                                 {"DSQuotaExceededException", Errc::no_space},
                                 {"QuotaByStorageTypeExceededException", Errc::no_space},
                                 {"InvalidPathException", Errc::usage},
                                 {"PathComponentTooLongException", Errc::usage},
                                 {"MaxDirectoryItemsExceededException", Errc::refused}};
  // Of calls other than mkdirs, an AccessControlException says that.
  if (has(fault, "(is not a directory)")) return Errc::not_found;
  if (has(fault, "Path is not a file")) return Errc::usage;
  // rename2 onto a file or folder of the other kind, or onto a folder with content.
  if (has(fault, "must both be directories") || has(fault, "destination directory is not empty")) return Errc::exists;
  if (has(fault, "could only be written to 0 of")) return Errc::no_space;
  if (is_safe_mode(fault)) return Errc::unreachable;
  for (const auto& row : rows)
    if (fault.is(row.java_class)) return row.code;
  return Errc::io;
}

const char* advice_of(const RpcFault& fault, Errc code) {
  if (fault.is("UnknownCryptoProtocolVersionException"))
    return "; heddle writes no encrypted files: use another folder";
  if (fault.is("NSQuotaExceededException")) return "; remove files, or raise the quota of names of the folder";
  if (is_safe_mode(fault) && !has(fault, "dfsadmin"))
    return "; wait, or end the safe mode with `hdfs dfsadmin -safemode leave`";
  switch (code) {
    case Errc::refused: return "; ask the owner for permission, or use another path";
    case Errc::no_space: return "; free space, raise the quota of the folder, or start more DataNodes";
    default: return "";
  }
}

Error foreign_coding(const std::string& path, const char* coding) {
  return {Errc::refused,
          "'" + path + "' is " + coding + ", which heddle does not support; copy it to a folder without that"};
}

template <class Response>
Result<bool> boolean(const Result<Response>& response) {
  if (!response) return response.error();
  return response->result();
}

template <class Response>
Result<Done> done(const Result<Response>& response) {
  if (!response) return response.error();
  return Done{};
}

}  // namespace

NameNode::NameNode(RpcThread& thread, RpcTarget target, const RetryRules& retries, NameNodeRules rules,
                   std::string name)
    : client_{thread, std::move(target), retries,
              [notice = rules.on_notice](const RpcFault& fault) {
                if (notice) notice("waits for the NameNode: " + describe(fault, "NameNode"));
              }},
      rules_{with_real_clock(std::move(rules))},
      name_{std::move(name)} {}

NameNode::~NameNode() = default;

Error NameNode::error_of(const RpcFault& fault, const char* verb, const std::string& path) const {
  const std::string what = std::string{"cannot "} + verb + " '" + name_ + path + "': ";
  if (fault.kind != RpcFault::Kind::remote_exception) {
    const auto error = to_error(fault, "NameNode");
    return {error.code, what + error.text};
  }
  const Errc code = code_of(fault);
  return {code, what + fault.text + advice_of(fault, code)};
}

std::int64_t NameNode::safe_mode_age(bool has_waited) {
  const auto now = rules_.now_ms();
  const std::lock_guard lock{mutex_};
  const bool is_old = safe_mode_ && !has_waited && now - safe_mode_->last_refusal >= rules_.safe_mode_timeout_ms;
  if (!safe_mode_ || is_old) safe_mode_ = SafeMode{now, now};
  safe_mode_->last_refusal = now;
  return now - safe_mode_->began;
}

void NameNode::end_safe_mode() {
  const std::lock_guard lock{mutex_};
  safe_mode_.reset();
}

template <class Response, class Request>
Result<Response> NameNode::call(std::string_view method, const Request& request, const char* verb,
                                const std::string& path) {
  const auto begin = rules_.now_ms();
  const bool is_change = !method.starts_with("get");  // reads succeed in safe mode
  bool has_waited = false;
  std::int64_t notices = 0;
  std::int64_t block_waits = 0;
  CallOptions options;
  options.unretried_text = safe_mode_exception;  // this client waits itself, with a notice, and the user can cancel
  while (true) {
    auto response = client_.call_and_wait<Response>(method, request, options);
    if (response) {
      if (is_change || has_waited) end_safe_mode();
      return std::move(response.value());
    }
    if (response.fault().is("NotReplicatedYetException") && block_waits < rules_.block_waits_max) {
      rules_.wait_ms(rules_.block_wait_ms << block_waits++);
      continue;
    }
    if (!is_safe_mode(response.fault())) return error_of(response.fault(), verb, path);
    const std::int64_t left = rules_.safe_mode_timeout_ms - safe_mode_age(has_waited);
    if (left <= 0) return error_of(response.fault(), verb, path);
    if (rules_.is_cancelled && rules_.is_cancelled())
      return Error{Errc::cancelled, "cancelled while the NameNode of " + name_ + " was in safe mode"};
    if (rules_.on_notice && rules_.now_ms() - begin >= notices * rules_.safe_mode_notice_ms) {
      ++notices;
      rules_.on_notice("the NameNode of " + name_ + " is in safe mode; waits up to " + std::to_string(left / 1000) +
                       " s to " + verb + " '" + path + "'");
    }
    has_waited = true;
    rules_.wait_ms(std::min(rules_.safe_mode_wait_ms, left));
  }
}

Result<Status> NameNode::status(const std::string& path) {
  proto::GetFileInfoRequest request;
  request.set_source(path);
  const auto response = call<proto::GetFileInfoResponse>("getFileInfo", request, "look up", path);
  if (!response) return response.error();
  if (!response->has_status()) return Error{Errc::not_found, "'" + name_ + path + "' does not exist"};
  return read_status(response->status());
}

Result<std::vector<Status>> NameNode::list(const std::string& path, bool with_locations) {
  std::vector<Status> entries;
  proto::GetListingRequest request;
  request.set_source(path);
  request.set_start_after("");
  request.set_need_location(with_locations);
  while (true) {
    const auto response = call<proto::GetListingResponse>("getListing", request, "list", path);
    if (!response) return response.error();
    if (!response->has_listing()) return Error{Errc::not_found, "'" + name_ + path + "' does not exist"};
    const auto& listing = response->listing();
    for (const auto& entry : listing.entries()) entries.push_back(read_status(entry));
    if (listing.remaining() == 0 || listing.entries().empty()) return entries;
    request.set_start_after(listing.entries().rbegin()->path());
  }
}

Result<LocatedBlocks> NameNode::locate(const std::string& path, std::uint64_t offset, std::uint64_t length) {
  proto::GetBlockLocationsRequest request;
  request.set_source(path);
  request.set_offset(offset);
  request.set_length(length);
  const auto response = call<proto::GetBlockLocationsResponse>("getBlockLocations", request, "read", path);
  if (!response) return response.error();
  if (!response->has_locations()) return Error{Errc::not_found, "'" + name_ + path + "' does not exist"};
  if (response->locations().has_file_encryption_info()) return foreign_coding(name_ + path, "encrypted");
  if (response->locations().has_erasure_coding_policy()) return foreign_coding(name_ + path, "erasure-coded");
  return read_located_blocks(response->locations());
}

Result<ServerDefaults> NameNode::server_defaults() {
  const auto response = call<proto::GetServerDefaultsResponse>("getServerDefaults", proto::GetServerDefaultsRequest{},
                                                               "read the defaults of", "");
  if (!response) return response.error();
  const auto& from = response->defaults();
  ServerDefaults defaults;
  defaults.block_bytes = from.block_size();
  defaults.chunk_bytes = from.bytes_per_checksum();
  defaults.checksum_type = static_cast<std::uint32_t>(from.checksum_type());
  defaults.replication = from.replication();
  defaults.encrypts_transfer = from.encrypt_data_transfer();
  return defaults;
}

Result<OpenFile> NameNode::create(const std::string& path, const NewFile& file) {
  proto::CreateRequest request;
  request.set_source(path);
  request.mutable_masked()->set_permission(file.permissions);
  request.set_client_name(file.client_name);
  request.set_flags(file.replaces ? flag_create | flag_overwrite : flag_create);
  request.set_create_parent(false);
  request.set_replication(file.replication);
  request.set_block_size(file.block_bytes);
  const auto response = call<proto::CreateResponse>("create", request, "create", path);
  if (!response) return response.error();
  const auto status = read_status(response->status());
  if (!status.is_erasure_coded && !status.is_encrypted) return OpenFile{path, status.file_id, file.client_name};
  static_cast<void>(remove(path, false).has_value());
  return foreign_coding(name_ + path,
                        status.is_encrypted ? "in an encryption zone" : "in a folder with erasure coding");
}

Result<OpenFile> NameNode::append(const std::string& path, const std::string& client_name) {
  proto::AppendRequest request;
  request.set_source(path);
  request.set_client_name(client_name);
  const auto response = call<proto::AppendResponse>("append", request, "append to", path);
  if (!response) return response.error();
  return OpenFile{path, response->status().file_id(), client_name};
}

Result<LocatedBlock> NameNode::add_block(const OpenFile& file, const std::optional<Block>& previous,
                                         const std::vector<DataNode>& excluded) {
  proto::AddBlockRequest request;
  request.set_source(file.path);
  request.set_client_name(file.client_name);
  if (previous) write_block(*previous, *request.mutable_previous());
  for (const auto& node : excluded) write_data_node(node, *request.add_excluded());
  request.set_file_id(file.id);
  const auto response = call<proto::AddBlockResponse>("addBlock", request, "write", file.path);
  if (!response) return response.error();
  return read_located_block(response->block());
}

Result<Done> NameNode::abandon_block(const OpenFile& file, const Block& block) {
  proto::AbandonBlockRequest request;
  write_block(block, *request.mutable_block());
  request.set_source(file.path);
  request.set_holder(file.client_name);
  request.set_file_id(file.id);
  return done(call<proto::AbandonBlockResponse>("abandonBlock", request, "write", file.path));
}

Result<Done> NameNode::complete(const OpenFile& file, const std::optional<Block>& last) {
  proto::CompleteRequest request;
  request.set_source(file.path);
  request.set_client_name(file.client_name);
  if (last) write_block(*last, *request.mutable_last());
  request.set_file_id(file.id);
  // The first response is usually no: the DataNode reports the block to the NameNode as it sends its last ack.
  const auto begin = rules_.now_ms();
  for (auto delay = rules_.complete_wait_ms;; delay = std::min(2 * delay, rules_.block_wait_ms)) {
    const auto is_complete = boolean(call<proto::CompleteResponse>("complete", request, "complete", file.path));
    if (!is_complete) return is_complete.error();
    if (*is_complete) return Done{};
    if (rules_.now_ms() - begin >= rules_.complete_timeout_ms)
      return Error{Errc::timed_out, "cannot complete '" + name_ + file.path +
                                        "': its last block has not enough replicas; see the pages of the NameNode"};
    rules_.wait_ms(delay);
  }
}

void NameNode::renew_lease(const std::string& client_name) {
  proto::RenewLeaseRequest request;
  request.set_client_name(client_name);
  CallOptions options;
  options.timeout_ms = renewal_timeout_ms;
  client_.call_bytes("renewLease", request.SerializeAsString(), options, [](const RpcResult<RpcAnswer>&) {});
}

Result<OpenFile> NameNode::lock(const std::string& path, const NewFile& file) {
  const auto begin = rules_.now_ms();
  bool is_told = false;
  while (true) {
    auto held = create(path, file);
    if (held || held.error().code != Errc::exists) return held;
    // Succeeds for a closed file, and for one whose holder has not renewed its lease for 60 s: it died.
    held = append(path, file.client_name);
    if (held || (held.error().code != Errc::exists && held.error().code != Errc::not_found)) return held;
    const auto waited = rules_.now_ms() - begin;
    if (waited >= rules_.lock_wait_ms) return held;
    if (waited >= rules_.lock_notice_ms) {
      const std::string what = "the lock '" + name_ + path + "'";
      if (rules_.is_cancelled && rules_.is_cancelled())
        return Error{Errc::cancelled, "cancelled while another process held " + what};
      if (!std::exchange(is_told, true) && rules_.on_notice)
        rules_.on_notice("another process holds " + what + "; waits up to " +
                         std::to_string((rules_.lock_wait_ms - waited) / 1000) + " s, in case it has died");
    }
    const auto pause = std::clamp(waited / 10, lock_pause_ms_min, lock_pause_ms_max);
    rules_.wait_ms(std::min(pause, rules_.lock_wait_ms - waited));
  }
}

void NameNode::unlock(const OpenFile& file) {
  CallOptions options;
  options.timeout_ms = release_timeout_ms;
  // After a renewal nobody can take the lock over for 60 s. Only then is fsync, which fails unless this client has the
  // lease of this file, a proof that also holds when the NameNode removes the file.
  proto::RenewLeaseRequest renewal;
  renewal.set_client_name(file.client_name);
  if (!client_.call_and_wait<proto::RenewLeaseResponse>("renewLease", renewal, options)) return;
  proto::FsyncRequest proof;
  proof.set_source(file.path);
  proof.set_client_name(file.client_name);
  proof.set_file_id(file.id);
  if (!client_.call_and_wait<proto::FsyncResponse>("fsync", proof, options)) return;
  // The folder of the lock may have been renamed, and another one made in its place.
  proto::GetFileInfoRequest question;
  question.set_source(file.path);
  const auto found = client_.call_and_wait<proto::GetFileInfoResponse>("getFileInfo", question, options);
  if (!found || found->status().file_id() != file.id) return;
  proto::DeleteRequest request;
  request.set_source(file.path);
  request.set_recursive(false);
  static_cast<void>(client_.call_and_wait<proto::DeleteResponse>("delete", request, options).has_value());
}

Result<Done> NameNode::rename(const std::string& from, const std::string& to, bool replaces) {
  proto::Rename2Request request;
  request.set_source(from);
  request.set_destination(to);
  request.set_overwrite(replaces);
  return done(call<proto::Rename2Response>("rename2", request, "rename", from));
}

Result<bool> NameNode::remove(const std::string& path, bool is_recursive) {
  proto::DeleteRequest request;
  request.set_source(path);
  request.set_recursive(is_recursive);
  return boolean(call<proto::DeleteResponse>("delete", request, "remove", path));
}

Result<Done> NameNode::make_directories(const std::string& path, std::uint32_t permissions, bool with_parents) {
  proto::MkdirsRequest request;
  request.set_source(path);
  request.mutable_masked()->set_permission(permissions);
  request.set_create_parent(with_parents);
  return done(call<proto::MkdirsResponse>("mkdirs", request, "create the folder", path));
}

}  // namespace heddle::interop::hdfs
