// Goal: properties that each resource scheduler reports. Method: one scheduler of each kind, made from its file.
#include "policies/cluster/scheduler/resource_scheduler.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/capacity_world.hpp"

namespace heddle::policies {
namespace resource_scheduler_test {
namespace {

// C-Y-139: fair scheduler; capacity default; capacity with the dominant calculator.
BOOST_AUTO_TEST_CASE(a_scheduler_says_which_kinds_of_resource_it_counts) {
  const ResourceKinds memory{ResourceKind::memory};
  const ResourceKinds both{ResourceKind::memory, ResourceKind::cores};
  auto rows = two_queues("50", "50");
  ResourceScheduler capacity{CapacityScheduler{{}, file_of(rows)}};
  BOOST_TEST((capacity.counted_kinds() == memory));
  rows.emplace_back("resource-calculator", "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
  BOOST_TEST((ResourceScheduler{CapacityScheduler{{}, file_of(rows)}}.counted_kinds() == both));
  ResourceEffects effects;
  BOOST_REQUIRE(capacity
                    .apply(Instant{},
                           resource_input::QueuesChanged{std::make_shared<const QueueFile>(file_of(rows)), {}, {}},
                           effects)
                    .has_value());
  BOOST_TEST((capacity.counted_kinds() == both));
  BOOST_TEST((ResourceScheduler{FairScheduler{{}, {}, Instant{}}}.counted_kinds() == both));
  BOOST_TEST((ResourceScheduler{FifoScheduler{{}}}.counted_kinds() == memory));
}

}  // namespace
}  // namespace resource_scheduler_test
}  // namespace heddle::policies
