// Goal: an unknown function of a stage is found before the stage is sent to executors.
// Method: stages of commands and functions with a registry of one function.
#include "work/tasks/task_attempt.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::work {
namespace task_attempt_test {
namespace {

void do_nothing(TaskContext&) {}

BOOST_AUTO_TEST_SUITE(task_attempt)

BOOST_AUTO_TEST_CASE(an_unknown_function_is_a_task_binary_error) {
  FunctionRegistry registry;
  registry.add("count_words", do_nothing);
  StageProgram work;
  work.bodies = {CommandBody{}, FunctionBody{"count_words"}};
  BOOST_TEST(task_binary_error(work, registry).empty());
  const auto found = find_functions(work, registry);
  BOOST_REQUIRE(found.bodies.size() == 2U);
  BOOST_TEST((found.bodies[0] == nullptr));
  BOOST_TEST((found.bodies[1] == &do_nothing));
  work.bodies.emplace_back(FunctionBody{"count_word"});
  BOOST_TEST(task_binary_error(work, registry).find("count_words") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace task_attempt_test
}  // namespace heddle::work
