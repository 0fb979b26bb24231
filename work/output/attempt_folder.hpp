// The folder that an attempt works in when its commands ship files.
#pragma once

#include <string>

#include "model/result.hpp"
#include "model/stage_work.hpp"

namespace heddle::work {

[[nodiscard]] bool ships_files(const StageProgram& work);

/// A folder of an attempt's own, with its shipped files linked in; gone with this object. A program that may not be
/// executed is copied, and the copy may: YARN makes all files executable that it brings to a container.
class AttemptFolder {
public:
  AttemptFolder() = default;
  ~AttemptFolder();
  AttemptFolder(const AttemptFolder&) = delete;
  AttemptFolder& operator=(const AttemptFolder&) = delete;
  Result<Done> make(const std::string& path, const StageProgram& work);
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

}  // namespace heddle::work
