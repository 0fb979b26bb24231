#include "work/files/file_store.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "work/files/file_handle.hpp"

namespace heddle::work {
namespace {

namespace filesystem = std::filesystem;

std::string folder_of(const std::string& path) {
  const auto at = path.rfind('/');
  if (at == std::string::npos) return ".";
  return at == 0 ? "/" : path.substr(0, at);
}

// A rename is on disk once its folder is.
Result<Done> sync_folder(const std::string& path) {
  auto folder = FileHandle::open_to_read(folder_of(path));
  if (!folder) return folder.error();
  return folder->sync();
}

// A neighbour of `path` with the content, on disk.
Result<std::string> write_beside(const std::string& path, std::string_view content) {
  std::string name = path + ".XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return file_error(errno, "create", path);
  FileHandle file{descriptor, path};
  ::fchmod(descriptor, 0644);
  auto done = file.write(content.data(), content.size());
  if (done) done = file.sync();
  if (done) done = file.close();
  if (done) return name;
  ::unlink(name.c_str());
  return done.error();
}

}  // namespace

Result<ports::FileStatus> LocalFileStore::status(const std::string& path) const {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) return file_error(errno, "find", path);
  const bool is_link = S_ISLNK(about.st_mode);
  if (is_link && ::stat(path.c_str(), &about) != 0) return file_error(errno, "find", path);
  return ports::FileStatus{path, S_ISDIR(about.st_mode) ? 0 : static_cast<std::int64_t>(about.st_size),
                           S_ISDIR(about.st_mode), is_link};
}

bool LocalFileStore::exists(const std::string& path) const {
  struct stat about {};
  return ::lstat(path.c_str(), &about) == 0;
}

Result<std::vector<ports::FileStatus>> LocalFileStore::list(const std::string& path) const {
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr) return file_error(errno, "list", path);
  std::vector<std::string> names;
  while (const auto* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(folder);
  std::sort(names.begin(), names.end());
  std::vector<ports::FileStatus> children;
  for (const auto& name : names) {
    auto child = status(path.ends_with('/') ? path + name : path + '/' + name);
    if (child) children.push_back(std::move(child).value());
    else if (child.error().code != Errc::not_found) return child.error();  // a link to nothing, or just removed
  }
  return children;
}

Result<std::string> LocalFileStore::read_all(const std::string& path) const {
  auto file = FileHandle::open_to_read(path);
  if (!file) return file.error();
  std::string content;
  for (;;) {
    const auto size = content.size();
    content.resize(size + (64 << 10));
    auto count = file->read_at(content.data() + size, content.size() - size, static_cast<std::int64_t>(size));
    if (!count) return count.error();
    content.resize(size + *count);
    if (*count == 0) return content;
  }
}

Result<Done> LocalFileStore::write_atomically(const std::string& path, std::string_view content) {
  auto written = write_beside(path, content);
  if (!written) return written.error();
  if (::rename(written->c_str(), path.c_str()) != 0) {
    const int number = errno;
    ::unlink(written->c_str());
    return file_error(number, "write", path);
  }
  return sync_folder(path);
}

Result<bool> LocalFileStore::create_once(const std::string& path, std::string_view content, const std::string& folder) {
  auto written = write_beside(folder + path.substr(path.rfind('/')), content);
  if (!written) return written.error();
  const int number = ::link(written->c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(written->c_str());
  if (number == EEXIST) return false;
  if (number != 0) return file_error(number, "write", path);
  if (auto done = sync_folder(path); !done) return done.error();
  return true;
}

Result<Done> LocalFileStore::sync(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    auto file = FileHandle::open_to_read(path);
    if (!file) return file.error();
    if (auto done = file->sync(); !done) return done;
  }
  return Done{};
}

Result<Done> LocalFileStore::make_directories(const std::string& path) {
  std::error_code fault;
  filesystem::create_directories(path, fault);
  if (fault) return file_error(fault.value(), "make folder", path);
  return Done{};
}

Result<Done> LocalFileStore::move(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return Done{};
  if (errno == ENOENT && exists(to) && !exists(from)) return Done{};
  return file_error(errno, "move", from);
}

Result<Done> LocalFileStore::remove_all(const std::string& path) {
  std::error_code fault;
  filesystem::remove_all(path, fault);
  if (fault) return file_error(fault.value(), "remove", path);
  return Done{};
}

}  // namespace heddle::work
