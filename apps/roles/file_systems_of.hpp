// The file systems of a process: those that its settings describe.
#pragma once

#include "config/table/settings.hpp"
#include "work/files/file_systems.hpp"

namespace heddle::apps {

[[nodiscard]] work::FileSystems file_systems_of(const config::Settings& settings);

}  // namespace heddle::apps
