#include "work/function_registry.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle::work {
namespace {

/// Insertions, deletions and replacements between two names.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (left[i - 1] == right[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

FunctionRegistry& FunctionRegistry::of_program() {
  static FunctionRegistry registry;
  return registry;
}

void FunctionRegistry::add(std::string name, TaskFunction function) {
  const auto [place, is_new] = functions_.emplace(std::move(name), function);
  if (!is_new) duplicates_.push_back(place->first);
}

Result<Done> FunctionRegistry::check() const {
  if (duplicates_.empty()) return Done{};
  return Error{Errc::usage, "two task functions are named " + duplicates_.front() + "; names must be unique in a program"};
}

Result<TaskFunction> FunctionRegistry::find(std::string_view name) const {
  if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
  std::string text = "this program has no task function named " + std::string{name};
  const auto nearest = std::min_element(functions_.begin(), functions_.end(), [name](const auto& left, const auto& right) {
    return edit_distance(left.first, name) < edit_distance(right.first, name);
  });
  if (nearest != functions_.end()) text += "; the nearest is " + nearest->first;
  return Error{Errc::not_found, text};
}

std::vector<std::string> FunctionRegistry::names() const {
  std::vector<std::string> result;
  for (const auto& [name, function] : functions_) result.push_back(name);
  return result;
}

}  // namespace heddle::work
