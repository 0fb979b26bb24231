#include "ports/file_system.hpp"

#include <cstdio>
#include <random>
#include <utility>

#include "ports/file_path.hpp"

namespace heddle::ports {
namespace {

/// Writes a new, synced file in `folder`; returns its path.
Result<std::string> write_new(FileSystem& files, const std::string& folder, const std::string& path,
                              std::string_view content) {
  CreateOptions options;
  options.replaces = false;
  options.durability = Durability::synced;
  for (;;) {
    char suffix[16];
    std::snprintf(suffix, sizeof suffix, ".%08x", static_cast<unsigned>(std::random_device{}()));
    auto name = folder + '/' + last_component(path) + suffix;
    auto sink = files.create(name, options);
    if (!sink && sink.error().code == Errc::exists) continue;
    if (!sink) return sink.error();
    auto done = (*sink)->write(content);
    if (done) done = (*sink)->close();
    if (done) return name;
    sink->reset();
    static_cast<void>(files.remove_all(name, folder));
    return done.error();
  }
}

}  // namespace

Result<bool> FileSystem::is_present(const std::string& path) const {
  const auto found = status(path);
  if (found) return true;
  return found.error().code == Errc::not_found ? Result<bool>{false} : Result<bool>{found.error()};
}

Result<std::vector<FileStatus>> FileSystem::list_with_blocks(const std::string& path) const { return list(path); }

Result<std::vector<FileBlock>> FileSystem::locate(const std::string&, std::int64_t, std::int64_t) const {
  return std::vector<FileBlock>{};
}

Result<std::string> FileSystem::read_all(const std::string& path) const {
  constexpr std::size_t step = 64 << 10;
  auto source = open(path, {});
  if (!source) return source.error();
  std::string content;
  for (;;) {
    const auto size = content.size();
    content.resize(size + step);
    const auto count = (*source)->read(content.data() + size, step);
    if (!count) return count.error();
    content.resize(size + *count);
    if (*count < step) return content;
  }
}

Result<Done> FileSystem::write_atomically(const std::string& path, std::string_view content,
                                          const std::string& folder) {
  const auto written = write_new(*this, folder, path, content);
  if (!written) return written.error();
  const auto target = parent_of(path);
  if (auto done = rename_replacing(*written, path, target); !done) {
    static_cast<void>(remove_all(*written, folder));
    return done;
  }
  return sync({target});
}

Result<bool> FileSystem::create_once(const std::string& path, std::string_view content, const std::string& folder) {
  const auto written = write_new(*this, folder, path, content);
  if (!written) return written.error();
  const auto renamed = rename_exclusive(*written, path);
  if (renamed && *renamed) {
    const auto synced = sync({parent_of(path)});
    return synced ? renamed : Result<bool>{synced.error()};
  }
  static_cast<void>(remove_all(*written, folder));
  return renamed;
}

}  // namespace heddle::ports
