// The machine's own file system behind the file port.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ports/file_store.hpp"

namespace heddle::work {

class LocalFileStore : public ports::FileStore {
public:
  [[nodiscard]] Result<ports::FileStatus> status(const std::string& path) const override;
  [[nodiscard]] bool exists(const std::string& path) const override;
  [[nodiscard]] Result<std::vector<ports::FileStatus>> list(const std::string& path) const override;
  [[nodiscard]] Result<std::string> read_all(const std::string& path) const override;
  [[nodiscard]] Result<Done> write_atomically(const std::string& path, std::string_view content) override;
  [[nodiscard]] Result<bool> create_once(const std::string& path, std::string_view content,
                                         const std::string& folder) override;
  [[nodiscard]] Result<Done> sync(const std::vector<std::string>& paths) override;
  [[nodiscard]] Result<Done> make_directories(const std::string& path) override;
  [[nodiscard]] Result<Done> move(const std::string& from, const std::string& to) override;
  [[nodiscard]] Result<Done> remove_all(const std::string& path) override;
};

}  // namespace heddle::work
