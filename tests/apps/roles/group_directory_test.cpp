// Goal: a lookup that hangs blocks no caller, and concurrent requests share one lookup.
// Method: a lookup that waits for the test.
#include "apps/roles/group_directory.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <future>

namespace heddle::apps {
namespace group_directory_test {

BOOST_AUTO_TEST_CASE(a_lookup_runs_on_its_own_thread_once_for_concurrent_requests) {
  std::promise<void> may_answer;
  std::promise<void> is_found;
  std::atomic<int> looked = 0;
  GroupDirectory directory{[&, gate = may_answer.get_future().share()](const std::string& user) {
    ++looked;
    gate.wait();
    return GroupDirectory::Groups{user + "s"};
  }};
  BOOST_TEST(!directory.known("ann").has_value());
  directory.look_up("ann", [&is_found] { is_found.set_value(); });
  directory.look_up("ann", [] { BOOST_ERROR("a second look-up of the same user"); });
  BOOST_TEST(!directory.known("ann").has_value());  // at once, while it hangs
  may_answer.set_value();
  is_found.get_future().wait();
  BOOST_TEST((directory.known("ann") == GroupDirectory::Groups{"anns"}));
  BOOST_TEST(looked == 1);
}

}  // namespace group_directory_test
}  // namespace heddle::apps
