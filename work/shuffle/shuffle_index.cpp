#include "work/shuffle/shuffle_index.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "work/files/file_handle.hpp"

namespace heddle::work {
namespace {

// Format: magic, u32 partitions, u32 length of the data file's name, offsets, name, u64 xxh3 of all bytes before it.
constexpr std::uint32_t magic = 0x31584448;

template <class T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T get(const std::string& from, std::size_t at) {
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}

Result<std::string> read_file(const std::string& path) {
  auto file = FileHandle::open_to_read(path);
  if (!file) return file.error();
  struct stat about {};
  if (::fstat(file->descriptor(), &about) != 0) return file_error(errno, "read", path);
  // Larger than every index: there are at most 2^24 partitions.
  constexpr off_t bytes_max = (off_t{8} << 24) + 4096;
  if (about.st_size > bytes_max) return Error{Errc::corrupt, "'" + path + "' is too large for a shuffle index"};
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  auto count = file->read_at(text.data(), text.size(), 0);
  if (!count) return count.error();
  text.resize(*count);
  return text;
}

bool is_whole(const std::string& text) {
  if (text.size() < 20 || get<std::uint32_t>(text, 0) != magic) return false;
  const auto partitions = get<std::uint32_t>(text, 4);
  const auto name = get<std::uint32_t>(text, 8);
  if (text.size() != 12 + (std::size_t{partitions} + 1) * 8 + name + 8) return false;
  return get<std::uint64_t>(text, text.size() - 8) == XXH3_64bits(text.data(), text.size() - 8);
}

/// Stage attempt in the name of a data file; -1 for a migrated copy.
std::int32_t stage_attempt_of(const std::string& data_path) {
  const auto name = data_path.substr(data_path.rfind('/') + 1);
  const auto begin = name.find('-');
  std::int32_t attempt = -1;
  if (begin == std::string::npos) return attempt;
  const auto* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + begin + 1, end, attempt);
  return read.ec == std::errc{} && read.ptr != end && *read.ptr == '.' ? attempt : -1;
}

/// Attempts of one map, and a copy of its output, can be put in place at the same time, in one process or in several.
/// Unlocked when the handle closes.
Result<FileHandle> lock_folder(const std::string& directory, ShuffleId shuffle) {
  auto folder = FileHandle::open_to_read(shuffle_folder(directory, shuffle));
  if (!folder) return folder;
  while (::flock(folder->descriptor(), LOCK_EX) != 0)
    if (errno != EINTR) return file_error(errno, "lock", folder->path());
  return folder;
}

}  // namespace

std::string shuffle_folder(const std::string& directory, ShuffleId shuffle) {
  return directory + "/shuffle-" + std::to_string(shuffle.value);
}

std::string shuffle_index_path(const std::string& directory, ShuffleId shuffle, std::int32_t map) {
  return shuffle_folder(directory, shuffle) + '/' + std::to_string(map) + ".index";
}

Result<ShuffleIndex> read_shuffle_index(const std::string& directory, ShuffleId shuffle, std::int32_t map) {
  const auto path = shuffle_index_path(directory, shuffle, map);
  const auto text = read_file(path);
  if (!text) return text.error();
  if (!is_whole(*text)) return Error{Errc::corrupt, "'" + path + "' is not a complete shuffle index"};
  ShuffleIndex index;
  index.offsets.resize(get<std::uint32_t>(*text, 4) + std::size_t{1});
  std::memcpy(index.offsets.data(), text->data() + 12, index.offsets.size() * 8);
  const auto name_at = 12 + index.offsets.size() * 8;
  const auto name = text->substr(name_at, text->size() - 8 - name_at);
  const bool is_in_order = index.offsets.front() >= 0 && std::is_sorted(index.offsets.begin(), index.offsets.end());
  if (!is_in_order || name.empty() || name.find_first_of(std::string_view{"/\0", 2}) != name.npos)
    return Error{Errc::corrupt, "'" + path + "' is not a shuffle index"};
  index.data_path = shuffle_folder(directory, shuffle) + '/' + name;
  struct stat about {};
  if (::stat(index.data_path.c_str(), &about) != 0) return file_error(errno, "find", index.data_path);
  if (about.st_size < index.offsets.back())
    return Error{Errc::corrupt, "'" + index.data_path + "' is shorter than its index requires"};
  return index;
}

Result<Done> write_shuffle_index(const std::string& directory, ShuffleId shuffle, std::int32_t map,
                                 const ShuffleIndex& index, FormerIndex former) {
  const auto path = shuffle_index_path(directory, shuffle, map);
  const auto name = index.data_path.substr(index.data_path.rfind('/') + 1);
  std::string text;
  put(text, magic);
  put(text, static_cast<std::uint32_t>(index.partitions()));
  put(text, static_cast<std::uint32_t>(name.size()));
  for (const auto offset : index.offsets) put(text, offset);
  text += name;
  put(text, static_cast<std::uint64_t>(XXH3_64bits(text.data(), text.size())));
  const auto beside = index.data_path + ".index";
  auto file = FileHandle::create(beside);
  if (!file) return file.error();
  auto done = file->write(text.data(), text.size());
  if (done) done = file->close();
  if (done && former == FormerIndex::kept && ::link(beside.c_str(), path.c_str()) != 0)
    done = errno == EEXIST ? Error{Errc::refused, "map " + std::to_string(map) + " already has an output on this node"}
                           : file_error(errno, "write", path);
  else if (done && former == FormerIndex::replaced && std::rename(beside.c_str(), path.c_str()) != 0)
    done = file_error(errno, "write", path);
  if (!done || former == FormerIndex::kept) ::unlink(beside.c_str());
  return done;
}

Result<ShuffleIndex> commit_shuffle_index(const std::string& directory, ShuffleId shuffle, std::int32_t map,
                                          const ShuffleIndex& index) {
  const auto folder = lock_folder(directory, shuffle);
  if (!folder) return folder.error();
  auto former = read_shuffle_index(directory, shuffle, map);
  if (!former && former.error().code == Errc::io) return former.error();  // it may be valid: do not replace it
  const auto attempt = stage_attempt_of(index.data_path);
  if (former && attempt >= 0 && stage_attempt_of(former->data_path) >= attempt) return former;
  if (auto done = write_shuffle_index(directory, shuffle, map, index); !done) return done.error();
  return index;
}

Result<Done> commit_migrated_index(const std::string& directory, ShuffleId shuffle, std::int32_t map,
                                   const ShuffleIndex& index) {
  const auto folder = lock_folder(directory, shuffle);
  if (!folder) return folder.error();
  const auto former = read_shuffle_index(directory, shuffle, map);
  const bool is_copy = former && stage_attempt_of(former->data_path) < 0;
  return write_shuffle_index(directory, shuffle, map, index, is_copy ? FormerIndex::replaced : FormerIndex::kept);
}

}  // namespace heddle::work
