// Working folder of a task attempt whose commands ship files.
#pragma once

#include <string>

#include "model/result.hpp"
#include "model/stage_work.hpp"
#include "work/output/shipped_files.hpp"

namespace heddle::work {

[[nodiscard]] bool ships_files(const StageProgram& work);

/// Creates the working folder of one attempt with links to the shipped files, and removes it. A shipped program without
/// execute permission is copied and made executable, as YARN does with localized files.
class AttemptFolder {
public:
  AttemptFolder() = default;
  ~AttemptFolder();
  AttemptFolder(const AttemptFolder&) = delete;
  AttemptFolder& operator=(const AttemptFolder&) = delete;
  Result<Done> make(const std::string& path, const StageProgram& work, ShippedFiles& shipped);
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

}  // namespace heddle::work
