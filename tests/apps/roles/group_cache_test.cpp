// Goal: a user's groups are kept for a while, and those of few users. Method: plain calls with instants.
#include "apps/roles/group_cache.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::apps {
namespace group_cache_test {

BOOST_AUTO_TEST_CASE(the_groups_of_a_user_are_kept_until_they_are_old) {
  GroupCache cache;
  const GroupCache::Time start{};
  BOOST_TEST(!cache.find("ann", start).has_value());
  cache.keep("ann", {"ann1"}, start);
  BOOST_TEST(cache.find("ann", start + GroupCache::kept_for - std::chrono::seconds{1}).value().front() == "ann1");
  BOOST_TEST(!cache.find("ann", start + GroupCache::kept_for).has_value());
  cache.keep("ann", {"ann2"}, start + GroupCache::kept_for);
  BOOST_TEST(cache.find("ann", start + GroupCache::kept_for).value().front() == "ann2");
  BOOST_TEST(cache.size() == 1U);
}

BOOST_AUTO_TEST_CASE(no_more_users_are_kept_than_the_bound) {
  GroupCache cache;
  GroupCache::Time now{};
  for (std::size_t user = 0; user <= GroupCache::users_max; ++user)
    cache.keep(std::to_string(user), {}, now += std::chrono::milliseconds{1});
  BOOST_TEST(cache.size() == GroupCache::users_max);
  BOOST_TEST(!cache.find("0", now).has_value());
  BOOST_TEST(cache.find("1", now).has_value());
}

}  // namespace group_cache_test
}  // namespace heddle::apps
