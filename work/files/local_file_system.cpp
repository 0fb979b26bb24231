#include "work/files/local_file_system.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <random>
#include <system_error>

#include "work/files/file_handle.hpp"
#include "work/files/parallel_paths.hpp"

namespace heddle::work {
namespace {

constexpr int pause_ms = 10;  // retry interval for a lock or a descriptor
constexpr int descriptor_tries = 50;
constexpr int lock_tries = 500;
constexpr std::int64_t own_file_bytes_max = 1 << 20;

/// Descriptors in reserve for when the process has no others left. As many as one move between folders needs.
class SpareDescriptors {
public:
  static SpareDescriptors& of_process() {
    static SpareDescriptors spares;
    return spares;
  }
  void give() {
    const std::lock_guard lock{mutex_};
    for (auto& each : descriptors_)
      if (const int descriptor = std::exchange(each, -1); descriptor >= 0) ::close(descriptor);
  }
  void refill() {
    const std::lock_guard lock{mutex_};
    for (auto& each : descriptors_)
      if (each < 0) each = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }

private:
  std::mutex mutex_;
  std::array<int, 4> descriptors_{-1, -1, -1, -1};
};

struct RefillSpares {
  ~RefillSpares() { SpareDescriptors::of_process().refill(); }
};

/// Retries for a moment if no descriptor is left, because ending tasks close theirs.
template <class Open>
int open_patiently(const Open& open) {
  for (int tries = 0;; ++tries) {
    const int descriptor = open();
    if (descriptor >= 0 || (errno != EMFILE && errno != ENFILE) || tries == descriptor_tries) return descriptor;
    SpareDescriptors::of_process().give();
    if (tries > 0) ::poll(nullptr, 0, pause_ms);
  }
}

std::string folder_of(const std::string& path) {
  const auto at = path.rfind('/');
  if (at == std::string::npos) return ".";
  return at == 0 ? "/" : path.substr(0, at);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Result<FileHandle> open_to_read(const std::string& path) {
  const int descriptor = open_patiently([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (descriptor < 0) return file_error(errno, "open", path);
  return FileHandle{descriptor, path};
}

enum class FolderUse : std::uint8_t { enter, list };

/// Opens a folder in the folder `at`; does not follow links.
Result<FileHandle> open_step(int at, const std::string& name, const std::string& path, FolderUse use) {
  const int mode = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | (use == FolderUse::list ? O_RDONLY : O_PATH);
  const int descriptor = open_patiently([&] { return ::openat(at, name.c_str(), mode); });
  if (descriptor >= 0) return FileHandle{descriptor, path};
  const int number = errno;
  struct stat about {};
  if (::fstatat(at, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(about.st_mode))
    return Error{Errc::refused, "'" + path + "' is a symbolic link, which is not followed here"};
  return file_error(number, "open folder", path);
}

bool is_own_folder(const FileHandle& folder) {
  struct stat about {};
  return ::fstat(folder.descriptor(), &about) == 0 && about.st_uid == ::geteuid();
}

/// Opens the folder `path`, which must be `trusted` or below it. `only_own`: all folders must belong to this user.
Result<FileHandle> open_folder(const std::string& path, const std::string& trusted, FolderUse use,
                               bool only_own = false) {
  const bool is_inside = path == trusted || path.starts_with(trusted == "/" ? trusted : trusted + '/');
  if (!is_inside) return Error{Errc::refused, "'" + path + "' is not in '" + trusted + "'"};
  auto folder = open_step(AT_FDCWD, trusted, trusted, path == trusted ? use : FolderUse::enter);
  for (std::size_t done = trusted.size(); folder && done < path.size();) {
    if (only_own && !is_own_folder(*folder)) break;
    const auto begin = path.find_first_not_of('/', done);
    if (begin == std::string::npos) break;
    done = std::min(path.find('/', begin), path.size());
    const auto name = path.substr(begin, done - begin);
    if (name == "..") return Error{Errc::refused, "'" + path + "' leads out of '" + trusted + "'"};
    folder = open_step(folder->descriptor(), name, path.substr(0, done),
                       path.find_first_not_of('/', done) == std::string::npos ? use : FolderUse::enter);
  }
  if (folder && only_own && !is_own_folder(*folder))
    return Error{Errc::refused, "'" + folder->path() + "' belongs to another user"};
  return folder;
}

/// Lists a folder. Owns the descriptor.
class FolderReader {
public:
  explicit FolderReader(FileHandle folder) : path_{folder.path()} {
    folder_ = ::fdopendir(folder.descriptor());
    if (folder_ != nullptr) static_cast<void>(folder.release());
  }
  ~FolderReader() {
    if (folder_ != nullptr) ::closedir(folder_);
  }
  FolderReader(const FolderReader&) = delete;
  FolderReader& operator=(const FolderReader&) = delete;

  [[nodiscard]] int descriptor() const { return ::dirfd(folder_); }
  /// Names without "." and "..".
  [[nodiscard]] Result<std::vector<std::string>> names() {
    if (folder_ == nullptr) return file_error(errno, "list", path_);
    std::vector<std::string> found;
    while (true) {
      errno = 0;  // only errno distinguishes an error from the end of the folder
      const auto* entry = ::readdir(folder_);
      if (entry == nullptr) break;
      const std::string name = entry->d_name;
      if (name != "." && name != "..") found.push_back(name);
    }
    if (errno != 0) return file_error(errno, "list", path_);
    return found;
  }

private:
  std::string path_;
  DIR* folder_ = nullptr;
};

/// Opens each folder from the root again, so that a deep tree needs only a few descriptors.
Result<Done> remove_tree(const std::string& path, const std::string& trusted) {
  {
    auto parent = open_folder(folder_of(path), trusted, FolderUse::enter);
    if (!parent && parent.error().code == Errc::not_found) return Done{};
    if (!parent) return parent.error();
    if (::unlinkat(parent->descriptor(), name_of(path).c_str(), 0) == 0 || errno == ENOENT) return Done{};
    if (errno != EISDIR && errno != EPERM) return file_error(errno, "remove", path);
  }
  std::vector<std::string> folders;
  {
    auto folder = open_folder(path, trusted, FolderUse::list);
    if (!folder) return folder.error();
    FolderReader reader{std::move(*folder)};
    const auto names = reader.names();
    if (!names) return names.error();
    for (const auto& name : *names) {
      if (::unlinkat(reader.descriptor(), name.c_str(), 0) == 0 || errno == ENOENT) continue;
      if (errno != EISDIR && errno != EPERM) return file_error(errno, "remove", path + '/' + name);
      // A commit leaves an empty folder of each task attempt.
      if (::unlinkat(reader.descriptor(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) continue;
      folders.push_back(path + '/' + name);
    }
  }
  for (const auto& folder : folders)
    if (auto done = remove_tree(folder, trusted); !done) return done;
  auto parent = open_folder(folder_of(path), trusted, FolderUse::enter);
  if (!parent) return parent.error();
  if (::unlinkat(parent->descriptor(), name_of(path).c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return Done{};
  return file_error(errno, "remove", path);
}

// Syncs the folder, so that a rename in it is on disk.
Result<Done> sync_folder(const std::string& path) {
  auto folder = open_to_read(folder_of(path));
  if (!folder) return folder.error();
  return folder->sync();
}

// Writes a new, synced file in `folder`, with the permissions of the umask; returns its path.
Result<std::string> write_new(const std::string& folder, const std::string& path, std::string_view content) {
  std::string name;
  int descriptor = -1;
  do {
    char suffix[16];
    std::snprintf(suffix, sizeof suffix, ".%08x", static_cast<unsigned>(std::random_device{}()));
    name = folder + '/' + name_of(path) + suffix;
    descriptor = open_patiently([&] { return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0) return file_error(errno, "create", path);
  FileHandle file{descriptor, path};
  auto done = file.write(content.data(), content.size());
  if (done) done = file.sync();
  if (done) done = file.close();
  if (done) return name;
  ::unlink(name.c_str());
  return done.error();
}

/// Renames unless `to` exists. Returns 0 or errno; some network file systems return EINVAL.
int rename_once(const std::string& from, const std::string& to) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
}

class LocalSource final : public ports::ByteSource {
public:
  LocalSource(FileHandle file, std::int64_t offset) : file_{std::move(file)}, offset_{offset} {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    auto count = file_.read_at(to, size, offset_ + consumed_);
    if (count) consumed_ += static_cast<std::int64_t>(*count);
    return count;
  }
  [[nodiscard]] std::int64_t bytes_consumed() const override { return consumed_; }

private:
  FileHandle file_;
  std::int64_t offset_;
  std::int64_t consumed_ = 0;
};

class LocalSink final : public ports::ByteSink {
public:
  LocalSink(FileHandle file, ports::Durability durability) : file_{std::move(file)}, durability_{durability} {}
  Result<Done> write(std::string_view bytes) override { return file_.write(bytes.data(), bytes.size()); }
  Result<Done> close() override {
    if (durability_ == ports::Durability::deferred) file_.begin_sync();
    if (durability_ == ports::Durability::synced)
      if (auto synced = file_.sync(); !synced) return synced;
    return file_.close();
  }

private:
  FileHandle file_;
  ports::Durability durability_;
};

/// The descriptor holds the lock.
class DescriptorLock final : public ports::FileLock {
public:
  explicit DescriptorLock(FileHandle file) : file_{std::move(file)} {}

private:
  FileHandle file_;
};

}  // namespace

LocalFileSystem& local_files() {
  static LocalFileSystem files;
  return files;
}

LocalFileSystem::LocalFileSystem() { SpareDescriptors::of_process().refill(); }

Result<ports::FileStatus> LocalFileSystem::status(const std::string& path) const {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) return file_error(errno, "find", path);
  const bool is_link = S_ISLNK(about.st_mode);
  if (is_link && ::stat(path.c_str(), &about) != 0) return file_error(errno, "find", path);
  ports::FileStatus found;
  found.path = path;
  found.is_directory = S_ISDIR(about.st_mode);
  found.length = found.is_directory ? 0 : static_cast<std::int64_t>(about.st_size);
  found.is_link = is_link;
  found.modified_ms = static_cast<std::int64_t>(about.st_mtim.tv_sec) * 1000 + about.st_mtim.tv_nsec / 1'000'000;
  return found;
}

Result<bool> LocalFileSystem::is_present(const std::string& path) const {
  struct stat about {};
  if (::lstat(path.c_str(), &about) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return file_error(errno, "find", path);
}

Result<std::vector<ports::FileStatus>> LocalFileSystem::list(const std::string& path) const {
  const RefillSpares at_end;
  const int mode = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  const int descriptor = open_patiently([&] { return ::open(path.c_str(), mode); });
  if (descriptor < 0) return file_error(errno, "list", path);
  auto names = FolderReader{FileHandle{descriptor, path}}.names();
  if (!names) return names.error();
  std::sort(names->begin(), names->end());
  std::vector<ports::FileStatus> children;
  for (const auto& name : *names) {
    auto child = status(path.ends_with('/') ? path + name : path + '/' + name);
    if (child) children.push_back(std::move(child).value());
    else if (child.error().code != Errc::not_found) return child.error();  // broken link, or just removed
  }
  return children;
}

Result<std::unique_ptr<ports::ByteSource>> LocalFileSystem::open(const std::string& path,
                                                                 const ports::ReadRange& range) const {
  auto file = open_input_file(path);
  if (!file) return file.error();
  return std::unique_ptr<ports::ByteSource>{std::make_unique<LocalSource>(std::move(*file), range.offset)};
}

Result<std::unique_ptr<ports::ByteSink>> LocalFileSystem::create(const std::string& path,
                                                                 const ports::CreateOptions& options) {
  auto file = options.replaces ? FileHandle::create(path, options.permissions)
                               : FileHandle::create_new(path, options.permissions);
  if (!file) return file.error();
  return std::unique_ptr<ports::ByteSink>{std::make_unique<LocalSink>(std::move(*file), options.durability)};
}

Result<std::string> LocalFileSystem::read_all(const std::string& path) const {
  const RefillSpares at_end;
  auto file = open_to_read(path);
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

Result<ports::OwnFile> LocalFileSystem::open_own_file(const std::string& path, const std::string& trusted,
                                                      ports::Locking locking) const {
  const RefillSpares at_end;
  const Error is_not_own{Errc::refused, "'" + path + "' is not a file of this user"};
  auto folder = open_folder(folder_of(path), trusted, FolderUse::enter, true);
  if (!folder) return folder.error();
  const auto name = name_of(path);
  const int mode = (locking == ports::Locking::none ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int descriptor = open_patiently([&] { return ::openat(folder->descriptor(), name.c_str(), mode); });
  if (descriptor < 0 && errno == ELOOP) return is_not_own;
  if (descriptor < 0) return file_error(errno, "open", path);
  FileHandle file{descriptor, path};
  struct stat about {};
  if (::fstat(descriptor, &about) != 0) return file_error(errno, "read", path);
  if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid() || about.st_nlink > 1 ||
      about.st_size > own_file_bytes_max)
    return is_not_own;
  if (locking == ports::Locking::exclusive) {
    int tries = 0;
    while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK || ++tries > lock_tries) return file_error(errno, "lock", path);
      ::poll(nullptr, 0, pause_ms);
    }
    // The previous holder of the lock may have removed or replaced the file.
    struct stat now {};
    if (::fstatat(folder->descriptor(), name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0)
      return file_error(errno, "read", path);
    if (now.st_ino != about.st_ino || now.st_dev != about.st_dev)
      return Error{Errc::refused, "'" + path + "' was just replaced by another process"};
  }
  ports::OwnFile found;
  found.content.resize(static_cast<std::size_t>(about.st_size));
  auto count = file.read_at(found.content.data(), found.content.size(), 0);
  if (!count) return count.error();
  found.content.resize(*count);
  if (locking == ports::Locking::exclusive) found.lock = std::make_unique<DescriptorLock>(std::move(file));
  return found;
}

Result<Done> LocalFileSystem::write_atomically(const std::string& path, std::string_view content,
                                               const std::string& folder) {
  const RefillSpares at_end;
  auto written = write_new(folder, path, content);
  if (!written) return written.error();
  if (::rename(written->c_str(), path.c_str()) != 0) {
    const int number = errno;
    ::unlink(written->c_str());
    return file_error(number, "write", path);
  }
  return sync_folder(path);
}

Result<bool> LocalFileSystem::create_once(const std::string& path, std::string_view content,
                                          const std::string& folder) {
  const RefillSpares at_end;
  auto written = write_new(folder, path, content);
  if (!written) return written.error();
  int number = rename_once(*written, path);
  if (number == EINVAL || number == ENOSYS) number = ::link(written->c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(written->c_str());
  if (number == EEXIST) return false;
  if (number != 0) return file_error(number, "write", path);
  if (auto done = sync_folder(path); !done) return done.error();
  return true;
}

Result<Done> LocalFileSystem::sync(const std::vector<std::string>& paths) {
  const RefillSpares at_end;
  return for_paths_in_parallel(paths, [](const std::string& path) -> Result<Done> {
    auto file = open_to_read(path);
    return file ? file->sync() : Result<Done>{file.error()};
  });
}

Result<Done> LocalFileSystem::make_directories(const std::string& path, std::uint32_t permissions) {
  for (auto at = path.find('/', 1);; at = path.find('/', at + 1)) {
    const auto folder = path.substr(0, at);
    if (::mkdir(folder.c_str(), permissions) != 0) {
      const int number = errno;
      struct stat about {};
      if (::stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))
        return file_error(number == EEXIST ? ENOTDIR : number, "make folder", folder);
    }
    if (at == std::string::npos) return Done{};
  }
}

Result<Done> LocalFileSystem::make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return Done{};
  return file_error(errno, "make folder", path);
}

Result<Done> LocalFileSystem::rename_replacing(const std::string& from, const std::string& to,
                                               const std::string& trusted) {
  const RefillSpares at_end;
  auto target = open_folder(folder_of(to), trusted, FolderUse::enter);
  if (!target) return target.error();
  const auto is_there = [&] {
    struct stat about {};
    return ::fstatat(target->descriptor(), name_of(to).c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0;
  };
  auto source = open_folder(folder_of(from), trusted, FolderUse::enter);
  if (!source) return source.error().code == Errc::not_found && is_there() ? Result<Done>{Done{}} : source.error();
  if (::renameat(source->descriptor(), name_of(from).c_str(), target->descriptor(), name_of(to).c_str()) == 0)
    return Done{};
  const int number = errno;
  if (number == ENOENT && is_there()) return Done{};
  return file_error(number, "move", from);
}

Result<bool> LocalFileSystem::rename_exclusive(const std::string& from, const std::string& to) {
  int number = rename_once(from, to);
  if (number == EINVAL || number == ENOSYS) {
    // A plain rename replaces only an empty folder.
    struct stat about {};
    if (::lstat(to.c_str(), &about) == 0) return false;
    number = ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
  }
  if (number == 0) return true;
  if (number == EEXIST || number == ENOTEMPTY || number == ENOTDIR) return false;
  return file_error(number, "move", from);
}

Result<Done> LocalFileSystem::remove_all(const std::string& path, const std::string& trusted) {
  const RefillSpares at_end;
  return remove_tree(path, trusted);
}

Result<bool> LocalFileSystem::remove_directory(const std::string& path) {
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return true;
  if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) return false;
  return file_error(errno, "remove", path);
}

}  // namespace heddle::work
