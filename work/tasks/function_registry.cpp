#include "work/tasks/function_registry.hpp"

#include <utility>

#include "config/text/did_you_mean.hpp"
#include "work/tasks/aggregate.hpp"

namespace heddle::work {

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
  return Error{Errc::usage,
               "two task functions are named " + duplicates_.front() + "; names must be unique in a program"};
}

Result<TaskFunction> FunctionRegistry::find(std::string_view name) const {
  if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
  if (const auto built_in = find_built_in_function(name); built_in != nullptr) return built_in;
  std::string text = "this program has no task function named " + std::string{name};
  std::vector<std::string_view> known;
  for (const auto& [other, function] : functions_) known.push_back(other);
  text += config::suggestion(name, known);
  if (known.empty()) text += "; it registers none with HEDDLE_TASK";
  return Error{Errc::not_found, text};
}

std::string FunctionRegistry::name_of(TaskFunction function) const {
  for (const auto& [name, added] : functions_)
    if (added == function) return name;
  return {};
}

std::vector<std::string> FunctionRegistry::names() const {
  std::vector<std::string> result;
  for (const auto& [name, function] : functions_) result.push_back(name);
  return result;
}

}  // namespace heddle::work
