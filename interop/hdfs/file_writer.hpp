// Writes a new file of HDFS, block after block. A block whose pipeline cannot be set up is abandoned and placed anew
// without the DataNode that failed. A pipeline that breaks later ends the file with Errc::interrupted.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interop/hdfs/block_writer.hpp"
#include "interop/hdfs/file_reader.hpp"
#include "interop/hdfs/lease_renewer.hpp"
#include "ports/file_system.hpp"

namespace heddle::interop::hdfs {

struct WriteRules {
  ChecksumKind checksum;
  std::uint64_t block_bytes = 0;
  bool must_sync = false;  // each DataNode writes its replica to its disk before a block counts as written
};

class FileWriter : public ports::ByteSink, private OpenPipeline {
public:
  static constexpr int pipelines_max = 5;  // tries to set up a pipeline for one block

  FileWriter(FileSystemParts parts, std::shared_ptr<LeaseRenewer> leases, OpenFile file, const WriteRules& rules);
  ~FileWriter() override;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  Result<Done> write(std::string_view bytes) override;
  Result<Done> close() override;

private:
  void send_heartbeat() override;
  [[nodiscard]] Result<Done> open_block();
  [[nodiscard]] Result<Done> close_block();
  [[nodiscard]] Error error_of(const Error& fault) const;
  [[nodiscard]] WriteRequest request_for(const LocatedBlock& located, const std::string& first) const;

  FileSystemParts parts_;
  std::shared_ptr<LeaseRenewer> leases_;
  OpenFile file_;
  WriteRules rules_;
  std::optional<Block> block_;  // that is written, otherwise the last one
  std::mutex mutex_;            // of writer_
  std::unique_ptr<BlockWriter> writer_;
};

}  // namespace heddle::interop::hdfs
