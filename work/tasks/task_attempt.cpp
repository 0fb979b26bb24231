#include "work/tasks/task_attempt.hpp"

#include <variant>

namespace heddle::work {

StageFunctions find_functions(const StageProgram& work, const FunctionRegistry& registry) {
  StageFunctions result;
  const auto find = [&](const TaskBody& body) -> TaskFunction {
    const auto* function = std::get_if<FunctionBody>(&body);
    if (function == nullptr) return nullptr;
    auto found = registry.find(function->name);
    if (found) return *found;
    result.missing = found.error().text;
    return nullptr;
  };
  for (const auto& body : work.bodies) result.bodies.push_back(find(body));
  if (work.shuffle_output && work.shuffle_output->description.combiner)
    result.combiner = find(*work.shuffle_output->description.combiner);
  return result;
}

std::string task_binary_error(const StageProgram& work, const FunctionRegistry& registry) {
  return find_functions(work, registry).missing;
}

}  // namespace heddle::work
