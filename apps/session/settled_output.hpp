// Completes or removes the outputs of a job whose Driver is lost: completes a recorded commit, removes anything else.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/table/settings.hpp"
#include "model/ids.hpp"
#include "work/files/process_owner.hpp"

namespace heddle::apps {

/// The application to which the outputs belong.
struct OutputOwner {
  config::Settings settings;
  ApplicationId application;
  std::string journal;                            // folder in which the application's Drivers record finished commits
  std::optional<work::ProcessOwner> writer = {};  // in the owner files of the outputs; none: this process
  std::function<bool()> is_interrupted = {};      // see file_systems_of
};

struct SettledOutput {
  bool is_committed = false;
  std::string text;  // files that could not be removed; empty: none
};

/// Precondition: no Driver of the application writes any more. `attempt`: number after the last application attempt.
/// Blocks.
[[nodiscard]] SettledOutput settle_output(const OutputOwner& owner, const std::vector<std::string>& paths,
                                          std::int32_t attempt);

}  // namespace heddle::apps
