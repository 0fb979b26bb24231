// Reads .jhist files in both encodings, of this program and of Hadoop. Fields that are not known are skipped; a field
// that is missing keeps its default, except ids.
#pragma once

#include <string_view>

#include "ports/job_history.hpp"

namespace heddle::work {

/// A torn end, even of the first lines, is no fault: it is behind `whole_bytes`.
[[nodiscard]] ports::JobHistoryContent read_jhist(std::string_view file);

}  // namespace heddle::work
