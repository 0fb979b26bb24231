// Goal: the size of a container is the sum of its executor's memory settings. Method: the numbered cases of the
// specification as a table.
#include "policies/executors/executor_memory.hpp"

#include <boost/test/unit_test.hpp>

#include "model/random_stream.hpp"

namespace executor_memory_test {

using namespace heddle::policies;

BOOST_AUTO_TEST_SUITE(executor_memory)

BOOST_AUTO_TEST_CASE(containers_hold_heap_overhead_and_off_heap) {  // C-YA-17, C-YA-18, C-YA-19, C-YA-20, C-YA-21
  struct Row {
    const char* id;
    ExecutorMemory memory;
    std::int64_t wanted;
  };
  const Row rows[] = {
      {"C-YA-17", {1024, std::nullopt, 0.1, 384, 1024, 0}, 1024 + 1024 + 384},
      {"C-YA-18", {4096, std::nullopt, 0.5, 384, 0, 0}, 6144},
      {"C-YA-19", {10240, 4096, 0.5, 384, 0, 0}, 14336},
      {"C-YA-20", {1024, std::nullopt, 0.1, 500, 0, 0}, 1524},
      {"C-YA-21", {1024, 100, 0.1, 500, 0, 0}, 1124},
  };
  for (const auto& row : rows) {
    BOOST_TEST_INFO(row.id);
    BOOST_TEST(container_memory(row.memory) == row.wanted);
  }
}

BOOST_AUTO_TEST_CASE(a_container_grows_with_its_heap_and_never_falls_below_its_parts) {
  heddle::RandomStream random{11};
  for (int i = 0; i < 1000; ++i) {
    ExecutorMemory memory{static_cast<std::int64_t>(random.below(100'000)) + 1, std::nullopt, 0.1, 384, 0, 0};
    memory.off_heap = static_cast<std::int64_t>(random.below(1000));
    const auto whole = container_memory(memory);
    BOOST_TEST(whole >= memory.heap + memory.overhead_min + memory.off_heap);
    memory.heap += 1;
    BOOST_TEST(container_memory(memory) > whole);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace executor_memory_test
