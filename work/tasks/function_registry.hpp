// The named C++ functions of a program: what a FunctionBody can call. Filled before main, checked at start.
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

  /// The first function with a name stays; check() reports the second.
  void add(std::string name, TaskFunction function);
  /// usage, if two functions have one name.
  [[nodiscard]] Result<Done> check() const;
  /// The function added under that name, else the built-in one (work/tasks/aggregate.hpp); not_found, with the nearest
  /// name.
  [[nodiscard]] Result<TaskFunction> find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  /// The name under which a function was added; its first in alphabetical order; empty if it was not.
  [[nodiscard]] std::string name_of(TaskFunction function) const;

private:
  std::map<std::string, TaskFunction, std::less<>> functions_;
  std::vector<std::string> duplicates_;
};

/// Registers at namespace scope.
struct FunctionRegistration {
  FunctionRegistration(const char* name, TaskFunction function) { FunctionRegistry::of_program().add(name, function); }
};

}  // namespace heddle::work
