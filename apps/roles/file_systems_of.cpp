#include "apps/roles/file_systems_of.hpp"

namespace heddle::apps {

work::FileSystems file_systems_of(const config::Settings&) { return work::FileSystems{}; }

}  // namespace heddle::apps
