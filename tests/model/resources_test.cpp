// Goal: a Resource holds all resource types as one value: sums, comparisons and room count each of them.
// Method: tables, and random sums against a map.
#include "model/resources.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <map>
#include <string>

#include "model/random_stream.hpp"

namespace heddle {
namespace resources_test {
namespace {

BOOST_AUTO_TEST_CASE(a_missing_type_has_the_amount_zero) {
  BOOST_TEST((ResourceAmounts{{"gpu", 0}} == ResourceAmounts{}));
  BOOST_TEST((ResourceAmounts{{"gpu", 2}, {"fpga", 1}} == ResourceAmounts{{"fpga", 1}, {"gpu", 2}}));
  BOOST_TEST((ResourceAmounts{{"gpu", 2}} != ResourceAmounts{{"gpu", 1}}));
  BOOST_TEST(ResourceAmounts{}.of("gpu") == 0);
}

BOOST_AUTO_TEST_CASE(the_last_amount_of_a_type_counts) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  ResourceAmounts amounts{{"gpu", most}, {"fpga", 1}, {"gpu", most}};
  BOOST_TEST((amounts == ResourceAmounts{{"fpga", 1}, {"gpu", most}}));
  BOOST_TEST((ResourceAmounts{{"gpu", 2}, {"gpu", 0}} == ResourceAmounts{}));
  amounts.set("gpu", 0);
  amounts.set("license", 0);
  BOOST_TEST((amounts == ResourceAmounts{{"fpga", 1}}));
  amounts.set("fpga", 0);
  BOOST_TEST(amounts.empty());
}

BOOST_AUTO_TEST_CASE(a_container_fits_where_each_type_has_room) {
  const Resource room{1024, 2, {{"gpu", 2}}};
  BOOST_TEST(fits_in({1024, 2}, room));
  BOOST_TEST(fits_in({1024, 2, {{"gpu", 2}}}, room));
  BOOST_TEST(!fits_in({1024, 2, {{"gpu", 3}}}, room));
  BOOST_TEST(!fits_in({1024, 2, {{"fpga", 1}}}, room));
  BOOST_TEST(!fits_in({1025, 2, {{"gpu", 1}}}, room));
  BOOST_TEST((Resource{0, 0, {{"fpga", 1}, {"gpu", 3}}}.others.first_beyond(room.others)->name == "fpga"));
}

BOOST_AUTO_TEST_CASE(the_larger_of_two_has_the_larger_amount_of_each_type) {
  BOOST_TEST((larger_of_each_type({1, 5, {{"fpga", 1}, {"gpu", 2}}}, {2, 4, {{"gpu", 3}, {"license", 7}}}) ==
              Resource{2, 5, {{"fpga", 1}, {"gpu", 3}, {"license", 7}}}));
}

BOOST_AUTO_TEST_CASE(copies_are_apart_and_a_value_can_be_added_to_itself) {
  Resource first{1, 1, {{"gpu", 1}}};
  const Resource copy = first;
  const Resource& itself = first;
  first += itself;
  BOOST_TEST((first == Resource{2, 2, {{"gpu", 2}}}));
  BOOST_TEST((copy == Resource{1, 1, {{"gpu", 1}}}));
  first -= itself;
  BOOST_TEST((first == Resource{}));
  BOOST_TEST(first.others.empty());
  first = copy;
  const Resource moved = std::move(first);
  BOOST_TEST((moved == copy));
}

BOOST_AUTO_TEST_CASE(random_sums_and_differences_count_each_type_on_its_own) {
  RandomStream random{3};
  Resource sum;
  std::map<std::string, std::int64_t> expected;
  for (int step = 0; step < 2000; ++step) {
    const std::string name = "type" + std::to_string(random.below(4));
    const auto amount = static_cast<std::int64_t>(random.below(5));
    const bool is_added = random.below(2) == 0;
    const Resource change{1, 1, {{name, amount}}};
    sum = is_added ? sum + change : sum - change;
    expected[name] += is_added ? amount : -amount;
    ResourceAmounts same;
    for (const auto& [each, total] : expected) same.set(each, total);
    BOOST_TEST((sum.others == same));
    BOOST_TEST(sum.others.of(name) == expected[name]);
  }
}

}  // namespace
}  // namespace resources_test
}  // namespace heddle
