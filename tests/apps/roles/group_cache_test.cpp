// Goal: the cache limits the age and the number of entries.
// Method: plain calls with times.
#include "apps/roles/group_cache.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::apps {
namespace group_cache_test {

BOOST_AUTO_TEST_CASE(an_entry_is_kept_until_its_maximum_age) {
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

BOOST_AUTO_TEST_CASE(the_number_of_entries_is_limited) {
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
