// Resource profile of a stage whose datasets name none, one or several: the numbered case of the specification, then
// merges of random profiles.
#include "policies/stages/resource_profiles.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace heddle::policies {
namespace resource_profiles_test {
namespace {

ResourceNeeds needs(std::int64_t cores, double cpus) { return {{{"cores", cores}}, {{"cpus", cpus}}}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(resource_profiles)

// C-DAG-62.
BOOST_AUTO_TEST_CASE(a_stage_has_the_profile_that_is_named_or_the_larger_of_several) {
  ResourceProfiles profiles{needs(1, 1)};
  BOOST_TEST((*profiles.choose({}, false) == ResourceProfiles::standard));
  const ProfileId first = profiles.intern(needs(4, 1));
  BOOST_TEST((*profiles.choose(std::vector{first}, false) == first));
  const ProfileId second = profiles.intern(needs(2, 2));
  const std::vector both{first, second};
  const auto refused = profiles.choose(both, false);
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST(refused.error().text.starts_with("Multiple ResourceProfiles specified in the RDDs for this stage"));
  const ProfileId merged = *profiles.choose(both, true);
  BOOST_TEST((profiles.at(merged) == needs(4, 2)));
  BOOST_TEST((merged != first && merged != second));
  BOOST_TEST((*profiles.choose(both, true) == merged));
  BOOST_TEST(profiles.size() == 4U);

  const std::vector three{profiles.intern(needs(4, 1)), profiles.intern(needs(2, 1)), profiles.intern(needs(3, 2))};
  BOOST_TEST((profiles.at(*profiles.choose(three, true)) == needs(4, 2)));

  const ResourceNeeds few{{{"gpu", 4}}, {{"gpu", 1}}};
  const ResourceNeeds more{{{"gpu", 2}}, {{"gpu", 2}}};
  BOOST_TEST((merged_needs(few, more) == ResourceNeeds{{{"gpu", 4}}, {{"gpu", 2}}}));
  BOOST_TEST((merged_needs({{{"gpu", 2}}, {}}, {{{"fpga", 3}}, {{"cpus", 1}}}) ==
              ResourceNeeds{{{"gpu", 2}, {"fpga", 3}}, {{"cpus", 1}}}));
}

BOOST_AUTO_TEST_CASE(random_merges_hold_each_profile_whatever_their_order) {
  RandomStream random{6};
  for (int round = 0; round < 300; ++round) {
    ResourceProfiles profiles{needs(1, 1)};
    std::vector<ProfileId> named;
    for (std::uint64_t i = 2 + random.below(4); i > 0; --i) {
      ResourceNeeds one;
      for (const char* name : {"cores", "memory", "gpu"})
        if (random.chance(2, 3)) one.executor[name] = static_cast<std::int64_t>(random.below(5));
      one.task["cpus"] = static_cast<double>(random.below(4));
      named.push_back(profiles.intern(one));
    }
    const ProfileId merged = *profiles.choose(named, true);
    std::vector<ProfileId> backwards(named.rbegin(), named.rend());
    BOOST_REQUIRE((*profiles.choose(backwards, true) == merged));
    for (const ProfileId each : named)
      BOOST_REQUIRE((merged_needs(profiles.at(merged), profiles.at(each)) == profiles.at(merged)));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace resource_profiles_test
}  // namespace heddle::policies
