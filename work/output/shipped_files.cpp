#include "work/output/shipped_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "ports/file_path.hpp"
#include "work/files/copy_bytes.hpp"
#include "work/files/local_file_system.hpp"

namespace heddle::work {

void wait_until_closed(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  for (int tries = 0; tries < 1000 && ::fcntl(descriptor, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN; ++tries)
    ::poll(nullptr, 0, 1);
  ::close(descriptor);
}

Result<std::string> ShippedFiles::local_path(const std::string& path) {
  if (ports::scheme_of(path).empty()) return path;
  Copy* copy = nullptr;
  {
    const std::lock_guard lock{mutex_};
    auto& known = copies_[path];
    if (!known) {
      known = std::make_unique<Copy>();
      known->folder = folder_ + '/' + std::to_string(copies_.size());
    }
    copy = known.get();
  }
  const std::lock_guard lock{copy->mutex};
  if (!copy->path.empty()) return copy->path;
  const auto to = copy->folder + '/' + ports::last_component(path);
  if (auto made = local_files().make_directories(copy->folder); !made) return made.error();
  if (auto fetched = fetch(path, to); !fetched) {
    static_cast<void>(local_files().remove_all(to, copy->folder));
    return Error{fetched.error().code, "cannot fetch the shipped file " + path + ": " + fetched.error().text};
  }
  copy->path = to;
  return to;
}

Result<Done> ShippedFiles::fetch(const std::string& from, const std::string& to) const {
  const auto status = files_.status(from);
  if (!status) return status.error();
  if (status->is_directory) {
    const auto children = files_.list(from);
    if (!children) return children.error();
    if (auto made = local_files().make_directory(to); !made) return made;
    for (const auto& child : *children)
      if (auto done = fetch(child.path, to + '/' + ports::last_component(child.path)); !done) return done;
    return Done{};
  }
  auto source = files_.open(from, {});
  if (!source) return source.error();
  ports::CreateOptions options;
  options.permissions = 0777;  // as YARN does with localized files
  auto sink = local_files().create(to, options);
  if (!sink) return sink.error();
  if (auto copied = copy_bytes(**source, **sink); !copied) return copied;
  wait_until_closed(to);
  return Done{};
}

}  // namespace heddle::work
