// A remote file system for tests: `SCHEME://AUTHORITY/path` is kept in a local folder. Its files have blocks of 1 MiB
// on hosts of the test, and it has no files of other schemes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/assert.hpp"
#include "ports/file_path.hpp"
#include "work/files/file_systems.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::work {

class RemoteFiles final : public ports::FileSystem {
public:
  static constexpr std::int64_t block_bytes = 1 << 20;

  /// `root`: `hdfs://n:8020`, without `/` at the end. `folder` exists.
  RemoteFiles(std::string root, std::string folder) : root_{std::move(root)}, folder_{std::move(folder)} {}

  [[nodiscard]] Result<ports::FileStatus> status(const std::string& path) const override {
    auto found = files_.status(local(path));
    if (found) show(*found);
    return found;
  }
  [[nodiscard]] Result<std::vector<ports::FileStatus>> list(const std::string& path) const override {
    auto found = files_.list(local(path));
    if (found)
      for (auto& each : *found) show(each);
    return found;
  }
  [[nodiscard]] Result<std::vector<ports::FileStatus>> list_with_blocks(const std::string& path) const override {
    auto found = list(path);
    if (found)
      for (auto& each : *found)
        if (!each.is_directory) each.blocks = blocks_of(each.length, 0, each.length);
    return found;
  }
  [[nodiscard]] Result<std::vector<ports::FileBlock>> locate(const std::string& path, std::int64_t offset,
                                                             std::int64_t length) const override {
    const auto found = files_.status(local(path));
    if (!found) return found.error();
    return blocks_of(found->length, offset, length);
  }
  [[nodiscard]] Result<std::unique_ptr<ports::ByteSource>> open(const std::string& path,
                                                                const ports::ReadRange& range) const override {
    return files_.open(local(path), range);
  }
  [[nodiscard]] Result<std::unique_ptr<ports::ByteSink>> create(const std::string& path,
                                                                const ports::CreateOptions& options) override {
    return files_.create(local(path), options);
  }
  [[nodiscard]] Result<ports::OwnFile> open_own_file(const std::string& path, const std::string& trusted,
                                                     ports::Locking locking) const override {
    return files_.open_own_file(local(path), local(trusted), locking);
  }
  [[nodiscard]] Result<Done> sync(const std::vector<std::string>& paths) override {
    for (const auto& path : paths) static_cast<void>(local(path));
    return Done{};
  }
  using ports::FileSystem::make_directories;
  [[nodiscard]] Result<Done> make_directories(const std::string& path, std::uint32_t permissions) override {
    return files_.make_directories(local(path), permissions);
  }
  [[nodiscard]] Result<Done> make_directory(const std::string& path) override {
    return files_.make_directory(local(path));
  }
  [[nodiscard]] Result<Done> rename_replacing(const std::string& from, const std::string& to,
                                              const std::string& trusted) override {
    return files_.rename_replacing(local(from), local(to), local(trusted));
  }
  [[nodiscard]] Result<bool> rename_exclusive(const std::string& from, const std::string& to) override {
    return files_.rename_exclusive(local(from), local(to));
  }
  [[nodiscard]] Result<Done> remove_all(const std::string& path, const std::string& trusted) override {
    return files_.remove_all(local(path), local(trusted));
  }
  [[nodiscard]] Result<bool> remove_directory(const std::string& path) override {
    return files_.remove_directory(local(path));
  }

private:
  [[nodiscard]] std::string local(const std::string& path) const {
    HEDDLE_ASSERT(path.starts_with(root_ + '/'), path);
    HEDDLE_ASSERT(path == to_string(ports::read_path(path)), path);
    return path.size() == root_.size() + 1 ? folder_ : folder_ + path.substr(root_.size());
  }
  void show(ports::FileStatus& status) const {
    status.path = root_ + status.path.substr(folder_.size());
    if (!status.is_directory) status.block_bytes = block_bytes;
  }
  [[nodiscard]] static std::vector<ports::FileBlock> blocks_of(std::int64_t file_length, std::int64_t offset,
                                                               std::int64_t length) {
    std::vector<ports::FileBlock> blocks;
    for (std::int64_t at = 0; at < file_length; at += block_bytes) {
      ports::FileBlock block;
      block.offset = at;
      block.length = std::min(block_bytes, file_length - at);
      block.hosts = {"host-" + std::to_string(at / block_bytes), "host-of-all"};
      if (at + block.length > offset && at < offset + length) blocks.push_back(std::move(block));
    }
    return blocks;
  }

  std::string root_;
  std::string folder_;
  mutable LocalFileSystem files_;
};

/// Local files, and `hdfs://AUTHORITY/…` in a folder that exists.
[[nodiscard]] inline FileSystems with_remote_files(std::string authority, std::string folder,
                                                   ports::PathDefaults defaults = local_path_defaults()) {
  const FileSystems::Make make = [authority = std::move(authority), folder = std::move(folder)](
                                     const std::string& wanted) -> Result<std::unique_ptr<ports::FileSystem>> {
    if (wanted != authority) return Error{Errc::unreachable, "no NameNode answers at '" + wanted + "'"};
    return std::unique_ptr<ports::FileSystem>{std::make_unique<RemoteFiles>("hdfs://" + authority, folder)};
  };
  return FileSystems{std::move(defaults), {{"hdfs", make}}};
}

}  // namespace heddle::work
