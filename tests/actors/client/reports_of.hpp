// Reports of one type to the session among the effects of a ClientProtocol, in their order.
#pragma once

#include <variant>
#include <vector>

#include "actors/client/client_protocol.hpp"
#include "tests/support/effects_of.hpp"

namespace heddle::actors {

template <class Report>
[[nodiscard]] std::vector<Report> reports_of(const ClientEffects& effects) {
  std::vector<Report> found;
  for (const auto& each : tests::effects_of<ReportToSession>(effects))
    if (const auto* report = std::get_if<Report>(&each.report)) found.push_back(*report);
  return found;
}

}  // namespace heddle::actors
