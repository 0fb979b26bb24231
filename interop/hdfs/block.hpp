// Values of HDFS that NameNode and DataNode exchange with a client: blocks, their replicas, and statuses of files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::interop::hdfs {

struct DataNode {
  std::string ip_address;
  std::string host_name;
  std::string uuid;
  std::uint32_t transfer_port = 0;
  std::uint32_t info_port = 0;
  std::uint32_t ipc_port = 0;
  std::string rack;
  bool operator==(const DataNode&) const = default;
};

struct Block {
  std::string pool;
  std::uint64_t id = 0;
  std::uint64_t generation = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Block&) const = default;
};

/// Permission to read or write one block. Empty if the cluster does not check block access.
struct BlockToken {
  std::string identifier;
  std::string password;
  std::string kind;
  std::string service;
  bool operator==(const BlockToken&) const = default;
};

struct LocatedBlock {
  Block block;
  std::uint64_t offset = 0;         // in the file
  std::vector<DataNode> locations;  // nearest first
  std::vector<bool> is_cached;      // of the location with the same index; may be shorter than `locations`
  std::vector<std::uint32_t> storage_types;
  std::vector<std::string> storage_ids;
  BlockToken token;
  bool is_corrupt = false;  // every replica
};

struct LocatedBlocks {
  std::uint64_t file_bytes = 0;
  std::vector<LocatedBlock> blocks;  // by offset
  bool is_under_construction = false;
  bool is_last_complete = true;
};

enum class FileType : std::uint8_t { directory = 1, file = 2, link = 3 };

struct Status {
  std::string name;  // without folder; empty if one path was requested
  FileType type = FileType::file;
  std::uint64_t length = 0;
  std::int64_t modified_ms = 0;  // since 1970
  std::uint32_t replication = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t file_id = 0;
  std::string owner;
  bool is_encrypted = false;
  bool is_erasure_coded = false;
  std::vector<LocatedBlock> blocks;  // if requested
  bool is_under_construction = false;
};

struct ServerDefaults {
  std::uint64_t block_bytes = 0;
  std::uint32_t chunk_bytes = 512;
  std::uint32_t checksum_type = 2;
  std::uint32_t replication = 0;
  bool encrypts_transfer = false;
};

}  // namespace heddle::interop::hdfs
