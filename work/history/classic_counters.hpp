// Counters in a history file of Hadoop 1.2: {(group)(its name for people)[(counter)(its name for people)(value)]…}…
#pragma once

#include <string>
#include <string_view>

#include "ports/job_history_events.hpp"

namespace heddle::work {

[[nodiscard]] std::string classic_counters_text(const history::Counters& counters);
/// Returns false if the text is not of this form. Keeps the name of the counters.
[[nodiscard]] bool read_classic_counters(std::string_view text, history::Counters& counters);

}  // namespace heddle::work
