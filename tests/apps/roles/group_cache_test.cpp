// Goal: a user's groups are looked up once in a while, and few users are kept. Method: a look-up that counts.
#include "apps/roles/group_cache.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::apps {
namespace group_cache_test {

BOOST_AUTO_TEST_CASE(a_user_is_looked_up_again_only_when_the_answer_is_old) {
  int looked = 0;
  GroupCache cache{[&looked](const std::string& user) {
    ++looked;
    return GroupCache::Groups{user + std::to_string(looked)};
  }};
  const GroupCache::Time start{};
  BOOST_TEST(cache.groups_of("ann", start).front() == "ann1");
  BOOST_TEST(cache.groups_of("ann", start + GroupCache::kept_for - std::chrono::seconds{1}).front() == "ann1");
  BOOST_TEST(cache.groups_of("ann", start + GroupCache::kept_for).front() == "ann2");
}

BOOST_AUTO_TEST_CASE(no_more_users_are_kept_than_the_bound) {
  int looked = 0;
  GroupCache cache{[&looked](const std::string&) {
    ++looked;
    return GroupCache::Groups{};
  }};
  GroupCache::Time now{};
  for (std::size_t user = 0; user <= GroupCache::users_max; ++user)
    static_cast<void>(cache.groups_of(std::to_string(user), now += std::chrono::milliseconds{1}));
  BOOST_TEST(cache.size() == GroupCache::users_max);
  const int before = looked;
  static_cast<void>(cache.groups_of("1", now));
  BOOST_TEST(looked == before);
  static_cast<void>(cache.groups_of("0", now));
  BOOST_TEST(looked == before + 1);
}

}  // namespace group_cache_test
}  // namespace heddle::apps
