// The file system of one NameNode, or of a pair of them: ports/file_system.hpp over NameNode and DataNodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interop/hadoop/hadoop_site.hpp"
#include "interop/hdfs/file_writer.hpp"
#include "ports/file_system.hpp"

namespace heddle::interop::hdfs {

struct HdfsSettings {
  std::string name;                    // "hdfs://host:8020"; paths of this file system begin with it
  std::vector<std::string> addresses;  // "host:port" of each NameNode
  std::string user;
  std::optional<CredentialToken> token;  // delegation token; none: SIMPLE
  std::uint32_t umask = 022;
  std::optional<std::uint32_t> replication;  // of new files; none: the default of the NameNode
  std::optional<std::uint64_t> block_bytes;  // of new files; none: the default of the NameNode
  std::optional<ChecksumKind> checksum;      // of new files; none: the default of the NameNode
  bool uses_host_names = false;              // connect to names of DataNodes instead of IP addresses
  TransferLimits transfer;
  RetryRules retries;
  NameNodeRules name_node;
  LeaseRenewer::Periods leases;
};

/// Settings of "hdfs://AUTHORITY" from site files. Errc::refused for Kerberos, encrypted RPC, encrypted or signed block
/// transfer; Errc::usage for a value that cannot be read.
[[nodiscard]] Result<HdfsSettings> read_hdfs_settings(const HadoopSite& site, const std::string& authority);

class HdfsFileSystem : public ports::FileSystem {
public:
  /// Precondition: `thread` outlives the file system and all files that it has opened.
  HdfsFileSystem(RpcThread& thread, HdfsSettings settings);

  // -- metadata
  Result<ports::FileStatus> status(const std::string& path) const override;
  Result<std::vector<ports::FileStatus>> list(const std::string& path) const override;
  Result<std::vector<ports::FileStatus>> list_with_blocks(const std::string& path) const override;
  Result<std::vector<ports::FileBlock>> locate(const std::string& path, std::int64_t offset,
                                               std::int64_t length) const override;
  // -- content
  Result<std::unique_ptr<ports::ByteSource>> open(const std::string& path,
                                                  const ports::ReadRange& range) const override;
  Result<std::unique_ptr<ports::ByteSink>> create(const std::string& path,
                                                  const ports::CreateOptions& options) override;
  Result<ports::OwnFile> open_own_file(const std::string& path, const std::string& trusted,
                                       ports::Locking locking) const override;
  Result<Done> sync(const std::vector<std::string>& paths) override;
  // -- names
  using ports::FileSystem::make_directories;
  Result<Done> make_directories(const std::string& path, std::uint32_t permissions) override;
  Result<Done> make_directory(const std::string& path) override;
  Result<Done> rename_replacing(const std::string& from, const std::string& to, const std::string& trusted) override;
  Result<bool> rename_exclusive(const std::string& from, const std::string& to) override;
  Result<Done> remove_all(const std::string& path, const std::string& trusted) override;
  Result<bool> remove_directory(const std::string& path) override;

private:
  /// The path without the name of the file system. Errc::usage for a path of another one.
  [[nodiscard]] Result<std::string> local(const std::string& path) const;
  [[nodiscard]] Result<ServerDefaults> defaults() const;
  [[nodiscard]] Result<std::vector<ports::FileStatus>> list_entries(const std::string& path, bool with_blocks) const;
  [[nodiscard]] Result<std::unique_ptr<ports::FileLock>> lock(const std::string& path, const std::string& folder) const;

  HdfsSettings settings_;
  FileSystemParts parts_;
  std::shared_ptr<LeaseRenewer> leases_;
  mutable std::mutex mutex_;  // of defaults_
  mutable std::optional<ServerDefaults> defaults_;
};

}  // namespace heddle::interop::hdfs
