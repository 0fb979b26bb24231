// Shipped files that lie on another file system: each is fetched once per process, when a task attempt first needs it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "ports/file_system.hpp"

namespace heddle::work {

class ShippedFiles {
public:
  /// `files` must outlive this object. `folder`: for the copies, created when needed and not removed.
  ShippedFiles(const ports::FileSystem& files, std::string folder) : files_{files}, folder_{std::move(folder)} {}

  /// A local path with the content of `path`: a local path itself, or the path of a copy, which its owner can execute.
  /// Folders are fetched with their content. Callers that need the same file wait for one fetch; after an error the
  /// next call tries again. Can be called from several threads.
  [[nodiscard]] Result<std::string> local_path(const std::string& path);

private:
  struct Copy {
    std::string folder;
    std::mutex mutex;
    std::string path;  // empty: not fetched
  };
  [[nodiscard]] Result<Done> fetch(const std::string& from, const std::string& to) const;

  const ports::FileSystem& files_;
  std::string folder_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Copy>, std::less<>> copies_;  // by path
};

/// exec fails with ETXTBSY while a process has the file open for writing, such as a child that another thread has just
/// forked. The kernel grants a read lease only when no process has.
void wait_until_closed(const std::string& file);

}  // namespace heddle::work
