#include "work/files/file_systems.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "work/files/local_file_system.hpp"

namespace heddle::work {
namespace {

/// The result of `call` on a file system, or the error of its choice.
template <class Call>
auto on(const Result<ports::FileSystem*>& files, const Call& call) -> decltype(call(**files)) {
  if (!files) return files.error();
  return call(**files);
}

}  // namespace

ports::PathDefaults local_path_defaults() {
  std::error_code failed;
  return {std::filesystem::current_path(failed).string(), {}, {}};
}

Result<ports::FileSystem*> FileSystems::of(const std::string& path) const {
  if (ports::scheme_of(path).empty()) return static_cast<ports::FileSystem*>(&local_files());
  const auto parts = ports::read_path(path);
  const auto maker = makers_.find(parts.scheme);
  if (maker == makers_.end()) {
    std::string known = "file";
    for (const auto& [scheme, make] : makers_) known += ", " + scheme;
    return Error{Errc::not_found, path + ": no such file system: " + parts.scheme + "; known: " + known};
  }
  const auto key = parts.scheme + "://" + parts.authority;
  const std::lock_guard lock{mutex_};
  const auto found = made_.find(key);
  if (found != made_.end()) return found->second.get();
  auto made = maker->second(parts.authority);
  if (!made) return Error{made.error().code, path + ": " + made.error().text};
  return (made_[key] = std::move(*made)).get();
}

Result<ports::FileSystem*> FileSystems::of_both(const std::string& from, const std::string& to) const {
  const auto source = of(from);
  const auto target = source ? of(to) : source;
  if (!target || *source == *target) return target;
  return Error{Errc::refused, "'" + from + "' cannot be renamed to '" + to + "', which is on another file system"};
}

Result<std::string> FileSystems::check(const Result<ports::FilePath>& path, std::string_view written) const {
  if (!path) return path.error();
  auto text = to_string(*path);
  const auto known = of(text);
  if (known) return text;
  // The user knows the path as written.
  const auto rest = known.error().text.substr(std::min(text.size(), known.error().text.size()));
  return Error{known.error().code, std::string{written} + rest};
}

Result<std::string> FileSystems::resolve(std::string_view written, ports::PathKind kind) const {
  return check(ports::resolve_path(written, defaults_, kind), written);
}

Result<std::string> FileSystems::resolve_of_client(std::string_view written) const {
  auto defaults = defaults_;
  if (ports::scheme_of(written).empty()) defaults.file_system.clear();
  return check(ports::resolve_path(written, defaults, ports::PathKind::plain), written);
}

Result<ports::FileStatus> FileSystems::status(const std::string& path) const {
  return on(of(path), [&](ports::FileSystem& files) { return files.status(path); });
}

Result<bool> FileSystems::is_present(const std::string& path) const {
  return on(of(path), [&](ports::FileSystem& files) { return files.is_present(path); });
}

Result<std::vector<ports::FileStatus>> FileSystems::list(const std::string& path) const {
  return on(of(path), [&](ports::FileSystem& files) { return files.list(path); });
}

Result<std::vector<ports::FileStatus>> FileSystems::list_with_blocks(const std::string& path) const {
  return on(of(path), [&](ports::FileSystem& files) { return files.list_with_blocks(path); });
}

Result<std::vector<ports::FileBlock>> FileSystems::locate(const std::string& path, std::int64_t offset,
                                                          std::int64_t length) const {
  return on(of(path), [&](ports::FileSystem& files) { return files.locate(path, offset, length); });
}

Result<std::unique_ptr<ports::ByteSource>> FileSystems::open(const std::string& path,
                                                             const ports::ReadRange& range) const {
  return on(of(path), [&](ports::FileSystem& files) { return files.open(path, range); });
}

Result<std::unique_ptr<ports::ByteSink>> FileSystems::create(const std::string& path,
                                                             const ports::CreateOptions& options) {
  return on(of(path), [&](ports::FileSystem& files) { return files.create(path, options); });
}

Result<std::string> FileSystems::read_all(const std::string& path) const {
  return on(of(path), [&](ports::FileSystem& files) { return files.read_all(path); });
}

Result<ports::OwnFile> FileSystems::open_own_file(const std::string& path, const std::string& trusted,
                                                  ports::Locking locking) const {
  return on(of_both(path, trusted),
            [&](ports::FileSystem& files) { return files.open_own_file(path, trusted, locking); });
}

Result<Done> FileSystems::write_atomically(const std::string& path, std::string_view content,
                                           const std::string& folder) {
  return on(of_both(path, folder),
            [&](ports::FileSystem& files) { return files.write_atomically(path, content, folder); });
}

Result<bool> FileSystems::create_once(const std::string& path, std::string_view content, const std::string& folder) {
  return on(of_both(path, folder), [&](ports::FileSystem& files) { return files.create_once(path, content, folder); });
}

Result<Done> FileSystems::sync(const std::vector<std::string>& paths) {
  // All paths of one file system together: it may sync several at a time.
  std::vector<std::pair<ports::FileSystem*, std::vector<std::string>>> paths_of;
  for (const auto& path : paths) {
    const auto files = of(path);
    if (!files) return files.error();
    auto row = std::find_if(paths_of.begin(), paths_of.end(), [&](const auto& each) { return each.first == *files; });
    if (row == paths_of.end()) row = paths_of.insert(row, {*files, {}});
    row->second.push_back(path);
  }
  for (const auto& [files, own_paths] : paths_of)
    if (auto done = files->sync(own_paths); !done) return done;
  return Done{};
}

Result<Done> FileSystems::make_directories(const std::string& path, std::uint32_t permissions) {
  return on(of(path), [&](ports::FileSystem& files) { return files.make_directories(path, permissions); });
}

Result<Done> FileSystems::make_directory(const std::string& path) {
  return on(of(path), [&](ports::FileSystem& files) { return files.make_directory(path); });
}

Result<Done> FileSystems::rename_replacing(const std::string& from, const std::string& to, const std::string& trusted) {
  return on(of_both(from, to), [&](ports::FileSystem& files) { return files.rename_replacing(from, to, trusted); });
}

Result<bool> FileSystems::rename_exclusive(const std::string& from, const std::string& to) {
  return on(of_both(from, to), [&](ports::FileSystem& files) { return files.rename_exclusive(from, to); });
}

Result<Done> FileSystems::remove_all(const std::string& path, const std::string& trusted) {
  return on(of_both(path, trusted), [&](ports::FileSystem& files) { return files.remove_all(path, trusted); });
}

Result<bool> FileSystems::remove_directory(const std::string& path) {
  return on(of(path), [&](ports::FileSystem& files) { return files.remove_directory(path); });
}

}  // namespace heddle::work
