// What becomes of the output of a job whose Driver is gone for good, or does not end it: a decided commit is finished,
// everything else is removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/table/settings.hpp"
#include "model/ids.hpp"

namespace heddle::apps {

/// Whose outputs they are.
struct OutputOwner {
  config::Settings settings;
  ApplicationId application;
  std::string journal;  // folder in which the application's Drivers note finished commits
};

struct SettledOutput {
  bool is_committed = false;
  std::string text;  // what could not be removed; empty: nothing is left
};

/// Only when no Driver writes any more: `attempt` comes after the last one of the application. Blocks.
[[nodiscard]] SettledOutput settle_output(const OutputOwner& owner, const std::vector<std::string>& paths,
                                          std::int32_t attempt);

}  // namespace heddle::apps
