// Goal: names and amounts of resources are parsed as in YARN and Spark, and everything else is refused. Method: tables.
#include "model/resource_text.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle {
namespace resource_text_test {
namespace {

BOOST_AUTO_TEST_CASE(amounts_have_units_or_are_refused) {
  BOOST_TEST(*read_resource_amount("7") == 7);
  BOOST_TEST(*read_resource_amount("3k") == 3'000);
  BOOST_TEST(*read_resource_amount("2g") == 2'000'000'000);
  BOOST_TEST(*read_resource_amount("2Gi") == std::int64_t{2} << 30);
  for (const char* wrong : {"", "G", "-1", "-0", "2X", "2 G", "1.5G", "9999999999P", "9223372036854775808"})
    BOOST_TEST(!read_resource_amount(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(kinds_are_named_as_in_yarn) {
  for (const char* name :
       {"gpu", "yarn.io/gpu", "My-Resource01", "my_resource", "a.b", "com.acme/my.resource", "9-a.b/c"})
    BOOST_TEST(is_resource_name(name), name);
  for (const char* wrong : {"", "10mine", "my resource", "com/acme/mine", "$NS/mine", "-none-/mine", "/mine", "a./mine",
                            "a..b/mine", "yarn.io/", "a=b", "a,b", "gpu\n"})
    BOOST_TEST(!is_resource_name(wrong), wrong);
}

BOOST_AUTO_TEST_CASE(a_resource_comes_back_as_it_was_written) {
  const Resource resource{1024, 2, {{"yarn.io/gpu", 2}, {"license", 10}}};
  BOOST_TEST(to_text(resource) == "memory-mb=1024,vcores=2,license=10,yarn.io/gpu=2");
  BOOST_TEST((*read_resource(to_text(resource)) == resource));
  BOOST_TEST((*read_resource("gpu=2k") == Resource{0, 0, {{"gpu", 2000}}}));
  BOOST_TEST((*read_resource("") == Resource{}));
  for (const char* wrong : {"b", "=3", "c=x", "a=1,,b=2"}) BOOST_TEST(!read_resource(wrong).has_value(), wrong);
}

}  // namespace
}  // namespace resource_text_test
}  // namespace heddle
