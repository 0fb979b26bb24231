#include "work/files/file_handle.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace heddle::work {

Error file_error(int number, const char* verb, const std::string& path) {
  const bool is_missing = number == ENOENT || number == ENOTDIR;  // not ESTALE: the file may still exist on the server
  const bool is_broken = number == EIO || number == EUCLEAN;      // the disk lost data
  const bool is_full = number == ENOSPC || number == EDQUOT;
  return Error{is_missing  ? Errc::not_found
               : is_broken ? Errc::corrupt
               : is_full   ? Errc::no_space
                           : Errc::io,
               std::string{"cannot "} + verb + " '" + path + "': " + std::generic_category().message(number)};
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<FileHandle> FileHandle::open_to_read(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file_error(errno, "open", path);
  return FileHandle{descriptor, path};
}

Result<FileHandle> open_input_file(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer would block.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return file_error(errno, "open", path);
  FileHandle file{descriptor, path};
  struct stat about {};
  if (::fstat(descriptor, &about) != 0) return file_error(errno, "read", path);
  if (S_ISDIR(about.st_mode)) return file_error(EISDIR, "read", path);
  if (!S_ISREG(about.st_mode))
    return Error{Errc::usage, "cannot read '" + path + "': it is not a regular file but a pipe, a socket or a device"};
  return file;
}

Result<FileHandle> FileHandle::create(const std::string& path, unsigned permissions) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, permissions);
  if (descriptor < 0) return file_error(errno, "create", path);
  return FileHandle{descriptor, path};
}

Result<FileHandle> FileHandle::create_new(const std::string& path, unsigned permissions) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
  if (descriptor < 0 && errno == EEXIST) return Error{Errc::exists, "'" + path + "' already exists"};
  if (descriptor < 0) return file_error(errno, "create", path);
  return FileHandle{descriptor, path};
}

Result<std::size_t> FileHandle::read_at(char* to, std::size_t size, std::int64_t offset) const {
  std::size_t done = 0;
  while (done < size) {
    const auto count = ::pread(descriptor_, to + done, size - done, offset + static_cast<std::int64_t>(done));
    if (count == 0) break;
    if (count > 0) done += static_cast<std::size_t>(count);
    else if (errno != EINTR) return file_error(errno, "read", path_);
  }
  return done;
}

Result<Done> FileHandle::write(const char* from, std::size_t size) const {
  while (size > 0) {
    const auto count = ::write(descriptor_, from, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error(errno, "write", path_);
    from += count;
    size -= static_cast<std::size_t>(count);
  }
  return Done{};
}

Result<Done> FileHandle::sync() const {
  if (::fsync(descriptor_) != 0) return file_error(errno, "write", path_);
  return Done{};
}

void FileHandle::begin_sync() const { ::sync_file_range(descriptor_, 0, 0, SYNC_FILE_RANGE_WRITE); }

Result<Done> FileHandle::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR) return file_error(errno, "write", path_);
  return Done{};
}

}  // namespace heddle::work
