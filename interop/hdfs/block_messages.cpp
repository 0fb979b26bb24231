#include "interop/hdfs/block_messages.hpp"

#include <algorithm>

namespace heddle::interop::hdfs {
namespace {

DataNode read_data_node(const proto::DatanodeInfo& message) {
  const auto& id = message.id();
  return {id.ip_address(), id.host_name(), id.uuid(),         id.transfer_port(),
          id.info_port(),  id.ipc_port(),  message.location()};
}

}  // namespace

void write_block(const Block& block, proto::ExtendedBlock& message) {
  message.set_pool_id(block.pool);
  message.set_block_id(block.id);
  message.set_generation_stamp(block.generation);
  message.set_length(block.bytes);
}

void write_token(const BlockToken& token, proto::Token& message) {
  message.set_identifier(token.identifier);
  message.set_password(token.password);
  message.set_kind(token.kind);
  message.set_service(token.service);
}

void write_data_node(const DataNode& node, proto::DatanodeInfo& message) {
  auto& id = *message.mutable_id();
  id.set_ip_address(node.ip_address);
  id.set_host_name(node.host_name);
  id.set_uuid(node.uuid);
  id.set_transfer_port(node.transfer_port);
  id.set_info_port(node.info_port);
  id.set_ipc_port(node.ipc_port);
  if (!node.rack.empty()) message.set_location(node.rack);
}

Block read_block(const proto::ExtendedBlock& message) {
  return {message.pool_id(), message.block_id(), message.generation_stamp(), message.length()};
}

LocatedBlock read_located_block(const proto::LocatedBlock& message) {
  LocatedBlock located;
  located.block = read_block(message.block());
  located.offset = message.offset();
  located.locations.reserve(static_cast<std::size_t>(message.locations_size()));
  for (const auto& location : message.locations()) located.locations.push_back(read_data_node(location));
  const auto cached = std::min(message.is_cached_size(), message.locations_size());
  located.is_cached.assign(message.is_cached().begin(), message.is_cached().begin() + cached);
  located.storage_types.assign(message.storage_types().begin(), message.storage_types().end());
  located.storage_ids.assign(message.storage_ids().begin(), message.storage_ids().end());
  const auto& token = message.block_token();
  located.token = {token.identifier(), token.password(), token.kind(), token.service()};
  located.is_corrupt = message.corrupt();
  return located;
}

LocatedBlocks read_located_blocks(const proto::LocatedBlocks& message) {
  LocatedBlocks located;
  located.file_bytes = message.file_length();
  located.blocks.reserve(static_cast<std::size_t>(message.blocks_size()));
  for (const auto& block : message.blocks()) located.blocks.push_back(read_located_block(block));
  located.is_under_construction = message.under_construction();
  located.is_last_complete = message.is_last_block_complete();
  return located;
}

Status read_status(const proto::HdfsFileStatus& message) {
  Status status;
  status.name = message.path();
  status.type = message.file_type() == proto::HdfsFileStatus::IS_DIR       ? FileType::directory
                : message.file_type() == proto::HdfsFileStatus::IS_SYMLINK ? FileType::link
                                                                           : FileType::file;
  status.length = message.length();
  status.modified_ms = static_cast<std::int64_t>(message.modification_time());
  status.replication = message.replication();
  status.block_bytes = message.block_size();
  status.file_id = message.file_id();
  status.owner = message.owner();
  // Releases before 3.1 have no flags but the policies themselves.
  status.is_encrypted = message.has_file_encryption_info() || (message.flags() & proto::HdfsFileStatus::HAS_CRYPT) != 0;
  status.is_erasure_coded =
      message.has_erasure_coding_policy() || (message.flags() & proto::HdfsFileStatus::HAS_EC) != 0;
  if (message.has_locations()) {
    auto located = read_located_blocks(message.locations());
    status.blocks = std::move(located.blocks);
    status.is_under_construction = located.is_under_construction;
  }
  return status;
}

}  // namespace heddle::interop::hdfs
