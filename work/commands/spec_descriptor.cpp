#include "work/commands/spec_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "work/commands/spawn.hpp"

namespace heddle::work {
namespace {

constexpr std::string_view option = "--spec-fd";

}  // namespace

Result<FileHandle> make_spec_descriptor(const LaunchSpec& spec) {
  const auto bytes = write_launch_spec(spec);
  if (bytes.size() > launch_spec_bytes_max)
    return Error{Errc::refused, fmt::format("the launch spec of a {} has {} bytes, the limit is {}", role_name(spec),
                                            bytes.size(), launch_spec_bytes_max)};
  const FileHandle made{::memfd_create("heddle launch spec", MFD_CLOEXEC | MFD_ALLOW_SEALING), "a launch spec"};
  if (!made.is_open()) return file_error(errno, "create", made.path());
  if (auto written = made.write(bytes.data(), bytes.size()); !written) return written.error();
  if (::fcntl(made.descriptor(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return file_error(errno, "seal", made.path());
  // Must be larger than the numbers that the child gets, or a dup2 would overwrite it.
  FileHandle moved{::fcntl(made.descriptor(), F_DUPFD_CLOEXEC, spec_descriptor + 1), made.path()};
  if (!moved.is_open()) return file_error(errno, "keep", made.path());
  return moved;
}

std::vector<std::string> role_arguments(const std::string& program, const LaunchSpec& spec) {
  return {program, "heddle-role", std::string{role_name(spec)}, std::string{option}, std::to_string(spec_descriptor)};
}

Result<LaunchSpec> read_spec_descriptor(int descriptor) {
  const FileHandle file{descriptor, fmt::format("launch spec in descriptor {}", descriptor)};
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return file_error(errno, "read", file.path());
  if (!S_ISREG(status.st_mode))
    return Error{Errc::corrupt, fmt::format("cannot read the {}: it is not a file", file.path())};
  if (status.st_size > static_cast<std::int64_t>(launch_spec_bytes_max))
    return Error{Errc::corrupt, fmt::format("the {} has {} bytes, the limit is {}", file.path(), status.st_size,
                                            launch_spec_bytes_max)};
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  const auto count = file.read_at(bytes.data(), bytes.size(), 0);
  if (!count) return count.error();
  bytes.resize(*count);
  return read_launch_spec(bytes);
}

Result<LaunchSpec> read_spec_of_arguments(const std::vector<std::string>& arguments) {
  const auto usage = [](const std::string& text) {
    return Error{Errc::usage,
                 fmt::format("{}; roles are started by heddle itself: heddle-role ROLE {} N", text, option)};
  };
  if (arguments.size() != 3 || arguments[1] != option) return usage("a role needs the descriptor of its launch spec");
  int descriptor = -1;
  const auto& text = arguments[2];
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), descriptor);
  if (fault != std::errc{} || end != text.data() + text.size() || descriptor < 0)
    return usage(fmt::format("'{}' is no descriptor of a launch spec", text));
  auto spec = read_spec_descriptor(descriptor);
  if (spec && role_name(*spec) != arguments[0])
    return usage(fmt::format("the launch spec is for the role {}, not for {}", role_name(*spec), arguments[0]));
  return spec;
}

}  // namespace heddle::work
