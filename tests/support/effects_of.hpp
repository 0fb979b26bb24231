// Effects of one type among those of a decider or a flow, in their order.
#pragma once

#include <variant>
#include <vector>

namespace heddle::tests {

template <class Effect, class Effects>
[[nodiscard]] std::vector<Effect> effects_of(const Effects& effects) {
  std::vector<Effect> found;
  for (const auto& effect : effects)
    if (const auto* one = std::get_if<Effect>(&effect)) found.push_back(*one);
  return found;
}

}  // namespace heddle::tests
