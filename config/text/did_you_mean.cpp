#include "config/text/did_you_mean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "config/text/value_text.hpp"

namespace heddle::config {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto left = lower_case(a);
  const auto right = lower_case(b);
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> above(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const auto replace = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[right.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  // A much longer text is not a misspelt key, and the cost of a comparison is quadratic.
  constexpr std::size_t longest = 200;
  if (word.empty() || word.size() > longest) return {};
  std::string_view best;
  std::size_t least = longest;
  for (const auto candidate : known) {
    const auto limit = std::max<std::size_t>(1, candidate.size() / 3);
    if (candidate.size() > word.size() + limit || word.size() > candidate.size() + limit) continue;
    const auto distance = edit_distance(word, candidate);
    if (distance <= limit && distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  const auto best = nearest(word, known);
  return best.empty() ? std::string{} : fmt::format("; did you mean \"{}\"?", best);
}

}  // namespace heddle::config
