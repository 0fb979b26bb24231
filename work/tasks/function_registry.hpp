// Registry of the named C++ functions that a FunctionBody can call. Filled before main, checked at start.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace heddle::work {

class TaskContext;
using TaskFunction = void (*)(TaskContext&);

class FunctionRegistry {
public:
  /// The registry that FunctionRegistration fills.
  [[nodiscard]] static FunctionRegistry& of_program();

  /// Adds a function; keeps the first one of a name. check() reports duplicates.
  void add(std::string name, TaskFunction function);
  /// Errc::usage if two functions have the same name.
  [[nodiscard]] Result<Done> check() const;
  /// Returns the function `name`, or the built-in one (work/tasks/aggregate.hpp). Errc::not_found with the most similar
  /// name.
  [[nodiscard]] Result<TaskFunction> find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  /// Returns the name of a function, the first in alphabetical order; empty if it is not registered.
  [[nodiscard]] std::string name_of(TaskFunction function) const;

private:
  std::map<std::string, TaskFunction, std::less<>> functions_;
  std::vector<std::string> duplicates_;
};

/// Registers a function from a variable at namespace scope.
struct FunctionRegistration {
  FunctionRegistration(const char* name, TaskFunction function) { FunctionRegistry::of_program().add(name, function); }
};

}  // namespace heddle::work
