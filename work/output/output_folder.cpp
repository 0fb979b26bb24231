#include "work/output/output_folder.hpp"

#include <string_view>

#include "work/files/process_owner.hpp"

namespace heddle::work {
namespace {

constexpr std::string_view discarded = ".discarded";  // behind the number of an attempt that was put aside

}  // namespace

std::string owner_path(const std::string& output) { return temporary_of(output) + '/' + std::string{owner_file_name}; }

std::string claim_folder(const std::string& output) {
  constexpr std::size_t name_bytes_max = 200;  // the whole name has at most 255
  return output.substr(0, output.rfind('/') + 1) + '.' + last_component(output).substr(0, name_bytes_max) +
         ".heddle-claim";
}

Result<bool> is_committed(const ports::FileSystem& files, const std::vector<std::string>& outputs) {
  for (const auto& output : outputs) {
    const auto found = files.is_present(success_path(output));
    if (!found || !*found) return found;
  }
  return true;
}

Result<bool> holds_only_temporary(const ports::FileSystem& files, const std::string& folder) {
  const auto children = files.list(folder);
  if (!children) return children.error();
  return children->size() == 1 && children->front().path == temporary_of(folder);
}

Result<Done> empty_temporary(ports::FileSystem& files, const std::string& output) {
  const auto children = files.list(temporary_of(output));
  if (!children && children.error().code == Errc::not_found) return Done{};
  if (!children) return children.error();
  for (const auto& child : *children)
    if (child.path != record_path(output) && child.path != owner_path(output))
      if (auto done = files.remove_all(child.path, output); !done) return done;
  return files.remove_all(record_path(output), output);
}

Result<Done> remove_temporary(ports::FileSystem& files, const std::string& output) {
  if (auto done = empty_temporary(files, output); !done) return done;
  for (const auto& path : {owner_path(output), temporary_of(output)})
    if (auto done = files.remove_all(path, output); !done) return done;
  return Done{};
}

Result<bool> remove_output(ports::FileSystem& files, const std::string& output) {
  if (auto done = empty_temporary(files, output); !done) return done.error();
  const auto aside = claim_folder(output);
  const auto is_alone = holds_only_temporary(files, output);
  const auto is_aside = is_alone && *is_alone ? files.rename_exclusive(output, aside) : Result<bool>{false};
  const auto& folder = is_aside && *is_aside ? aside : output;
  if (auto done = remove_temporary(files, folder); !done) return done.error();
  const auto removed = files.remove_directory(folder);
  if (removed && !*removed && &folder == &aside)  // a file of others has come meanwhile
    if (const auto back = files.rename_exclusive(aside, output); !back) return back;
  return removed;
}

Result<Done> put_aside(ports::FileSystem& files, const std::vector<std::string>& outputs,
                       std::int32_t application_attempt) {
  for (const auto& output : outputs) {
    const auto children = files.list(temporary_of(output));
    if (!children && children.error().code == Errc::not_found) continue;  // nothing was set up there yet
    if (!children) return children.error();
    for (const auto& child : *children) {
      if (!child.is_directory || last_component(child.path) == std::to_string(application_attempt) ||
          child.path.ends_with(discarded))
        continue;
      const auto aside = child.path + std::string{discarded};
      if (auto done = files.remove_all(aside, output); !done) return done;
      if (auto done = files.rename_replacing(child.path, aside, output); !done) return done;
    }
  }
  return Done{};
}

Result<Done> put_back(ports::FileSystem& files, const std::vector<std::string>& outputs) {
  for (const auto& output : outputs) {
    const auto children = files.list(temporary_of(output));
    if (!children && children.error().code == Errc::not_found) continue;
    if (!children) return children.error();
    for (const auto& child : *children)
      if (child.path.ends_with(discarded))
        if (auto done =
                files.rename_replacing(child.path, child.path.substr(0, child.path.size() - discarded.size()), output);
            !done)
          return done;
  }
  return Done{};
}

}  // namespace heddle::work
