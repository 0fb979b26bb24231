// All file systems of a process as one: each call goes to the file system that the scheme and the authority of its path
// name. A path without scheme is local.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/file_path.hpp"
#include "ports/file_system.hpp"

namespace heddle::work {

/// Relative paths start at the working directory of this process.
[[nodiscard]] ports::PathDefaults local_path_defaults();

class FileSystems final : public ports::FileSystem {
public:
  /// Makes the file system of one authority (`host:port` or a name service; may be empty) when a path first names it.
  /// Its error names what is missing.
  using Make = std::function<Result<std::unique_ptr<ports::FileSystem>>(const std::string& authority)>;

  /// `makers`: of file systems that are not local, by scheme.
  explicit FileSystems(ports::PathDefaults defaults = local_path_defaults(), std::map<std::string, Make> makers = {})
      : defaults_{std::move(defaults)}, makers_{std::move(makers)} {}
  /// The text of the path that a user wrote, completed. Errc::not_found for an unknown scheme, with the known ones, and
  /// whatever Make returns.
  [[nodiscard]] Result<std::string> resolve(std::string_view written, ports::PathKind kind) const;
  /// The same for a file of the client: without scheme it is local.
  [[nodiscard]] Result<std::string> resolve_of_client(std::string_view written) const;

  [[nodiscard]] Result<ports::FileStatus> status(const std::string& path) const override;
  [[nodiscard]] Result<bool> is_present(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<ports::FileStatus>> list(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<ports::FileStatus>> list_with_blocks(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<ports::FileBlock>> locate(const std::string& path, std::int64_t offset,
                                                             std::int64_t length) const override;
  [[nodiscard]] Result<std::unique_ptr<ports::ByteSource>> open(const std::string& path,
                                                                const ports::ReadRange& range) const override;
  [[nodiscard]] Result<std::unique_ptr<ports::ByteSink>> create(const std::string& path,
                                                                const ports::CreateOptions& options) override;
  [[nodiscard]] Result<std::string> read_all(const std::string& path) const override;
  [[nodiscard]] Result<ports::OwnFile> open_own_file(const std::string& path, const std::string& trusted,
                                                     ports::Locking locking) const override;
  [[nodiscard]] Result<Done> write_atomically(const std::string& path, std::string_view content,
                                              const std::string& folder) override;
  [[nodiscard]] Result<bool> create_once(const std::string& path, std::string_view content,
                                         const std::string& folder) override;
  [[nodiscard]] Result<Done> sync(const std::vector<std::string>& paths) override;
  using ports::FileSystem::make_directories;
  [[nodiscard]] Result<Done> make_directories(const std::string& path, std::uint32_t permissions) override;
  [[nodiscard]] Result<Done> make_directory(const std::string& path) override;
  [[nodiscard]] Result<Done> rename_replacing(const std::string& from, const std::string& to,
                                              const std::string& trusted) override;
  [[nodiscard]] Result<bool> rename_exclusive(const std::string& from, const std::string& to) override;
  [[nodiscard]] Result<Done> remove_all(const std::string& path, const std::string& trusted) override;
  [[nodiscard]] Result<bool> remove_directory(const std::string& path) override;

private:
  [[nodiscard]] Result<ports::FileSystem*> of(const std::string& path) const;
  /// That of both paths; Errc::refused if they are on different ones.
  [[nodiscard]] Result<ports::FileSystem*> of_both(const std::string& from, const std::string& to) const;
  [[nodiscard]] Result<std::string> check(const Result<ports::FilePath>& path, std::string_view written) const;

  ports::PathDefaults defaults_;
  std::map<std::string, Make> makers_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::unique_ptr<ports::FileSystem>> made_;  // by `scheme://authority`
};

}  // namespace heddle::work
