// Implements ports/file_system.hpp on the local file system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ports/file_system.hpp"

namespace heddle::work {

class LocalFileSystem : public ports::FileSystem {
public:
  /// Reserves descriptors, so that an output can be committed or removed when the process has no others left.
  LocalFileSystem();
  [[nodiscard]] Result<ports::FileStatus> status(const std::string& path) const override;
  [[nodiscard]] Result<bool> is_present(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<ports::FileStatus>> list(const std::string& path) const override;
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
};

/// The local files of this process, for its whole life.
[[nodiscard]] LocalFileSystem& local_files();

}  // namespace heddle::work
