#include "tests/actors/yarn_allocator/allocator_world.hpp"

#include "tests/actors/yarn_allocator/yarn_allocator_replay.hpp"

namespace heddle::actors {

AllocatorWorld::~AllocatorWorld() {
  tests::YarnAllocatorReplay replay;
  for (const auto& line : events().lines) replay.take(line);
  for (const auto& difference : replay.differences()) BOOST_ERROR(difference);
  BOOST_TEST(replay.taken("container_allocator_start") == 1);
}

}  // namespace heddle::actors
