// Reads a file of HDFS in order: one block after the other, each from its nearest replica without a fault.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "interop/hdfs/block_reader.hpp"
#include "interop/hdfs/data_nodes.hpp"
#include "interop/hdfs/name_node.hpp"
#include "ports/file_system.hpp"

namespace heddle::interop::hdfs {

/// What the files of one file system share.
struct FileSystemParts {
  std::shared_ptr<NameNode> name_node;
  std::shared_ptr<DataNodes> data_nodes;
  std::string client_name;
};

class FileReader : public ports::ByteSource {
public:
  /// Asks the NameNode for the blocks of the range. Errors: those of NameNode::locate.
  [[nodiscard]] static Result<std::unique_ptr<ports::ByteSource>> open(FileSystemParts parts, std::string path,
                                                                       const ports::ReadRange& range);
  ~FileReader() override;
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  Result<std::size_t> read(char* to, std::size_t size) override;
  std::int64_t bytes_consumed() const override { return static_cast<std::int64_t>(position_ - begin_); }

private:
  FileReader(FileSystemParts parts, std::string path, std::uint64_t begin, std::uint64_t expected_end)
      : parts_{std::move(parts)},
        path_{std::move(path)},
        begin_{begin},
        position_{begin},
        expected_end_{expected_end} {}
  [[nodiscard]] Result<Done> locate();
  [[nodiscard]] Result<const LocatedBlock*> block_at_position();
  /// Opens a replica at position_. Skips replicas that failed for this block.
  [[nodiscard]] Result<Done> open_replica();
  [[nodiscard]] Result<BlockReader> open_at(const LocatedBlock& block, const std::string& address) const;
  void on_fault(const std::string& address, const Error& error);
  void close_replica();
  /// A replica that has sent bytes since its last fault is tried again, unless it has a wrong checksum.
  void forget_faults();
  /// Prepares another try of all replicas but those with a wrong checksum.
  [[nodiscard]] Result<Done> locate_again();
  [[nodiscard]] bool is_corrupt_everywhere() const;
  [[nodiscard]] Error no_replica(const LocatedBlock& block) const;

  FileSystemParts parts_;
  std::string path_;
  std::uint64_t begin_;
  std::uint64_t position_;
  std::uint64_t expected_end_;
  LocatedBlocks located_;
  std::optional<BlockReader> reader_;
  std::string address_;                // of the replica that reader_ reads
  std::map<std::string, bool> tried_;  // addresses that failed for the block at position_; true: wrong checksum
  std::uint64_t tried_block_ = 0;
  int relocations_left_ = relocations_max;
  std::string faults_;                       // of the block at position_, for the error
  std::uint64_t fault_position_ = 0;         // position_ at the last fault
  static constexpr int relocations_max = 2;  // located again so often after all replicas failed at one position
};

}  // namespace heddle::interop::hdfs
