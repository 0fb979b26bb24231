// Goal: a Resource arrives as it was sent, with and without other resource types.
// Method: serialise and read back.
#include <boost/test/unit_test.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <vector>

#include "messages/nouns.hpp"

namespace heddle {
namespace resource_test {
namespace {

Resource sent(Resource resource) {
  std::vector<char> bytes;
  caf::binary_serializer sink{static_cast<caf::execution_unit*>(nullptr), bytes};
  BOOST_REQUIRE(!sink(resource));
  Resource received{1, 1, {{"stale", 1}}};
  caf::binary_deserializer source{static_cast<caf::execution_unit*>(nullptr), bytes};
  BOOST_REQUIRE(!source(received));
  return received;
}

BOOST_AUTO_TEST_CASE(a_resource_arrives_as_it_was_sent) {
  for (const Resource& resource :
       {Resource{}, Resource{1024, 2}, Resource{1024, 2, {{"yarn.io/gpu", 2}, {"license", 10}}}})
    BOOST_TEST((sent(resource) == resource));
}

}  // namespace
}  // namespace resource_test
}  // namespace heddle
