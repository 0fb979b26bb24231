#include "work/output/attempt_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <variant>

namespace heddle::work {

bool ships_files(const StageWork& work) {
  return std::any_of(work.bodies.begin(), work.bodies.end(), [](const TaskBody& body) {
    const auto* command = std::get_if<CommandBody>(&body);
    return command != nullptr && !command->files.empty();
  });
}

AttemptFolder::~AttemptFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<Done> AttemptFolder::make(const std::string& path, const StageWork& work) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return Error{Errc::io, "cannot make the task's folder " + path + ": " + failed.message()};
  path_ = path;
  for (const auto& body : work.bodies) {
    const auto* command = std::get_if<CommandBody>(&body);
    if (command == nullptr) continue;
    for (const auto& file : command->files) {
      const auto link = std::filesystem::path{path} / std::filesystem::path{file}.filename();
      if (std::filesystem::is_symlink(link, failed)) continue;
      std::filesystem::create_symlink(file, link, failed);
      if (failed) return Error{Errc::io, "cannot link " + file + " into the task's folder: " + failed.message()};
    }
  }
  return Done{};
}

}  // namespace heddle::work
