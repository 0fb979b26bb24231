#include "work/output/attempt_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <variant>

#include "ports/file_path.hpp"

namespace heddle::work {

bool ships_files(const StageProgram& work) {
  return std::any_of(work.bodies.begin(), work.bodies.end(), [](const TaskBody& body) {
    const auto* command = std::get_if<CommandBody>(&body);
    return command != nullptr && !command->files.empty();
  });
}

namespace {

/// Returns true for a shipped program that its owner cannot execute.
bool lacks_execution(const std::string& file, const CommandBody& command) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed) || ::access(file.c_str(), X_OK) == 0) return false;
  const auto program = command.arguments.empty() ? std::string{} : command.arguments.front();
  if (std::filesystem::path{program}.filename() == std::filesystem::path{file}.filename()) return true;
  std::array<char, 4> head{};
  std::ifstream stream{file, std::ios::binary};
  stream.read(head.data(), head.size());
  const std::string_view begin{head.data(), static_cast<std::size_t>(stream.gcount())};
  return begin.starts_with("#!") || begin ==
                                        "\x7f"
                                        "ELF";
}

std::error_code copy_executable(const std::string& file, const std::filesystem::path& to) {
  using std::filesystem::perms;
  std::error_code failed;
  std::filesystem::copy_file(file, to, failed);
  if (!failed)
    std::filesystem::permissions(to, perms::owner_exec | perms::owner_read, std::filesystem::perm_options::add, failed);
  if (!failed) wait_until_closed(to.string());
  return failed;
}

}  // namespace

AttemptFolder::~AttemptFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<Done> AttemptFolder::make(const std::string& path, const StageProgram& work, ShippedFiles& shipped) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return Error{Errc::io, "cannot make the task's folder " + path + ": " + failed.message()};
  path_ = path;
  for (const auto& body : work.bodies) {
    const auto* command = std::get_if<CommandBody>(&body);
    if (command == nullptr) continue;
    for (const auto& named : command->files) {
      const auto link = std::filesystem::path{path} / ports::last_component(named);
      if (std::filesystem::exists(std::filesystem::symlink_status(link, failed))) continue;
      const auto local = shipped.local_path(named);
      if (!local) return local.error();
      const auto& file = *local;
      if (lacks_execution(file, *command)) failed = copy_executable(file, link);
      else std::filesystem::create_symlink(file, link, failed);
      if (failed) return Error{Errc::io, "cannot link " + file + " into the task's folder: " + failed.message()};
    }
  }
  return Done{};
}

}  // namespace heddle::work
