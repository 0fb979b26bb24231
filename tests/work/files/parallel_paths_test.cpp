// Goal: each path is used once, an error or exception ends the rest and reaches the caller.
#include "work/files/parallel_paths.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::work {
namespace parallel_paths_test {

std::vector<std::string> numbered_paths(int count) {
  std::vector<std::string> paths;
  for (int i = 0; i < count; ++i) paths.push_back("path" + std::to_string(i));
  return paths;
}

BOOST_AUTO_TEST_CASE(the_action_gets_each_path_once) {
  for (const int count : {0, 1, 15, 16, 33, 1000}) {
    std::mutex mutex;
    std::map<std::string, int> calls;
    const auto end = for_paths_in_parallel(numbered_paths(count), [&](const std::string& path) -> Result<Done> {
      const std::lock_guard lock{mutex};
      ++calls[path];
      return Done{};
    });
    BOOST_TEST(end.has_value());
    BOOST_TEST(calls.size() == static_cast<std::size_t>(count));
    for (const auto& [path, times] : calls) BOOST_TEST(times == 1, path);
  }
}

BOOST_AUTO_TEST_CASE(an_error_is_returned) {
  const auto end = for_paths_in_parallel(numbered_paths(200), [](const std::string& path) -> Result<Done> {
    if (path == "path150") return Error{Errc::io, "no " + path};
    return Done{};
  });
  BOOST_REQUIRE(!end);
  BOOST_TEST(end.error().text == "no path150");
}

BOOST_AUTO_TEST_CASE(an_exception_is_thrown_on_the_thread_of_the_caller) {
  const auto fail = [](const std::string& path) -> Result<Done> {
    if (path == "path150") throw std::length_error{path};
    return Done{};
  };
  BOOST_CHECK_THROW(static_cast<void>(for_paths_in_parallel(numbered_paths(200), fail)), std::length_error);
}

}  // namespace parallel_paths_test
}  // namespace heddle::work
