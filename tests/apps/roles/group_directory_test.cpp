// Goal: a lookup that hangs blocks no caller, and concurrent requests share one lookup.
// Method: a lookup that waits for the test.
#include "apps/roles/group_directory.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <memory>

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

BOOST_AUTO_TEST_CASE(a_look_up_that_hangs_delays_no_other_user_and_no_end) {
  std::promise<void> hangs;
  auto may_answer = std::make_shared<std::promise<void>>();
  auto has_left = std::make_shared<std::promise<void>>();
  std::promise<void> is_found;
  {
    GroupDirectory directory{[&hangs, has_left, gate = may_answer->get_future().share()](const std::string& user) {
      if (user == "ann") {
        hangs.set_value();
        gate.wait();
        has_left->set_value();
      }
      return GroupDirectory::Groups{user + "s"};
    }};
    directory.look_up("ann", [] { BOOST_ERROR("found after the end of the directory"); });
    hangs.get_future().wait();
    directory.look_up("bob", [&is_found] { is_found.set_value(); });
    const auto found = is_found.get_future().wait_for(std::chrono::seconds{30});
    BOOST_TEST((found == std::future_status::ready));
    BOOST_TEST((directory.known("bob") == GroupDirectory::Groups{"bobs"}));
  }
  may_answer->set_value();
  has_left->get_future().wait();
}

BOOST_AUTO_TEST_CASE(look_ups_beyond_the_bound_wait_and_are_made_then) {
  std::promise<void> may_answer;
  std::atomic<int> looked = 0;
  std::atomic<int> found = 0;
  std::promise<void> all_found;
  constexpr int users = 3 * static_cast<int>(GroupDirectory::look_ups_max);
  GroupDirectory directory{[&, gate = may_answer.get_future().share()](const std::string&) {
    ++looked;
    gate.wait();
    return GroupDirectory::Groups{};
  }};
  for (int user = 0; user < users; ++user)
    directory.look_up(std::to_string(user), [&] {
      if (++found == users) all_found.set_value();
    });
  BOOST_TEST(looked <= static_cast<int>(GroupDirectory::look_ups_max));
  may_answer.set_value();
  all_found.get_future().wait();
  BOOST_TEST(looked == users);
}

}  // namespace group_directory_test
}  // namespace heddle::apps
