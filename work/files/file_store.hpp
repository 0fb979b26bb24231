// Implements ports/file_store.hpp on the local file system.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ports/file_store.hpp"

namespace heddle::work {

class LocalFileStore : public ports::FileStore {
public:
  /// Reserves descriptors, so that an output can be committed or removed when the process has no others left.
  LocalFileStore();
  [[nodiscard]] Result<ports::FileStatus> status(const std::string& path) const override;
  [[nodiscard]] Result<bool> is_present(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<ports::FileStatus>> list(const std::string& path) const override;
  [[nodiscard]] Result<std::string> read_all(const std::string& path) const override;
  [[nodiscard]] Result<ports::OwnFile> open_own_file(const std::string& path, const std::string& trusted,
                                                     ports::Locking locking) const override;
  [[nodiscard]] Result<Done> write_atomically(const std::string& path, std::string_view content,
                                              const std::string& folder) override;
  [[nodiscard]] Result<bool> create_once(const std::string& path, std::string_view content,
                                         const std::string& folder) override;
  [[nodiscard]] Result<Done> sync(const std::vector<std::string>& paths) override;
  [[nodiscard]] Result<Done> make_directories(const std::string& path) override;
  [[nodiscard]] Result<bool> make_directory(const std::string& path) override;
  [[nodiscard]] Result<Done> move(const std::string& from, const std::string& to, const std::string& trusted) override;
  [[nodiscard]] Result<bool> move_once(const std::string& from, const std::string& to) override;
  [[nodiscard]] Result<Done> remove_all(const std::string& path, const std::string& trusted) override;
  [[nodiscard]] Result<bool> remove_directory(const std::string& path) override;
};

}  // namespace heddle::work
