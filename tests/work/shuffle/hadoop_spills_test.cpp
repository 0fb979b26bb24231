// Goal: a map spills before the same records as Hadoop's.
// Method: sizes of recorded jobs of Hadoop Streaming 3.4.2 with the records of each of their spills; then random
// records: no spill is empty, and none holds more than the buffer.
#include "work/shuffle/hadoop_spills.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "model/random_stream.hpp"

namespace heddle::work {
namespace hadoop_spills_test {
namespace {

SerialisedSize text_of(std::int64_t key, std::int64_t value) {
  return {vint_bytes(key), key, vint_bytes(value), value};
}

/// Records of each spill; one that is spilled alone is a 0.
struct SpilledRecords {
  HadoopSpills ring;
  std::vector<int> spills{};
  int left = 0;

  void add(const SerialisedSize& size) {
    const auto step = ring.add(size);
    if (step.spills_before) spills.push_back(std::exchange(left, 0));
    if (step.is_alone) spills.push_back(0);
    else ++left;
  }
  std::vector<int> finish() {
    if (left > 0) spills.push_back(left);
    return spills;
  }
};

BOOST_AUTO_TEST_CASE(a_vint_has_one_byte_up_to_127_and_then_one_more_than_the_number_needs) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> lengths{{0, 1},   {127, 1},   {128, 2},   {255, 2},
                                                                   {256, 3}, {65535, 3}, {65536, 4}, {1 << 24, 5}};
  for (const auto& [number, bytes] : lengths) BOOST_TEST(vint_bytes(number) == bytes, number);
}

BOOST_AUTO_TEST_CASE(records_of_one_size_spill_as_in_the_recorded_jobs) {
  struct Job {
    const char* name;
    int records;
    std::int64_t key;
    std::int64_t value;
    std::vector<int> spills;
  };
  const std::vector<Job> jobs{{"spills-several", 6390, 4, 4, {2016, 2017, 2017, 340}},
                              {"spills-two-combined", 2565, 4, 4, {2016, 549}},
                              {"merge-passes-combined without its longer keys", 1000, 4, 4, {1000}}};
  for (const auto& job : jobs) {
    SpilledRecords map{{1, 0.05F}};
    for (int i = 0; i < job.records; ++i) map.add(text_of(job.key, job.value));
    BOOST_TEST(map.finish() == job.spills, boost::test_tools::per_element());
    BOOST_TEST(map.ring.bytes() == job.records * (job.key + job.value + 2));
  }
}

// merge-passes-factor-two, spills-several-combined: keys "xx-0" to "xx-45" and "xx-0" to "xx-33".
BOOST_AUTO_TEST_CASE(records_of_different_sizes_spill_as_in_the_recorded_jobs) {
  const auto burst = [](int lines, int records, int keys, std::int64_t value) {
    SpilledRecords map{{1, 0.05F}};
    for (int line = 0; line < lines; ++line)
      for (int i = 0; i < records; ++i) map.add(text_of(i * 7 % keys < 10 ? 4 : 5, value));
    return map.finish();
  };
  BOOST_TEST(burst(6, 921, 46, 4) == (std::vector<int>{1958, 1958, 1610}), boost::test_tools::per_element());
  BOOST_TEST(burst(6, 1115, 34, 8) == (std::vector<int>{1707, 1708, 1708, 1567}), boost::test_tools::per_element());
}

// records-half-the-buffer
BOOST_AUTO_TEST_CASE(a_record_that_does_not_fit_behind_the_others_spills_them_in_the_middle_of_its_write) {
  SpilledRecords map{{1, 0.8F}};
  for (std::int64_t i = 1; i <= 3; ++i) {
    map.add(text_of(433'847 + i, 1));
    map.add(text_of(2, 5));
  }
  BOOST_TEST(map.finish() == (std::vector<int>{3, 3}), boost::test_tools::per_element());
  BOOST_TEST(map.ring.bytes() == 1'301'592);
}

// records-larger-than-the-buffer
BOOST_AUTO_TEST_CASE(a_record_larger_than_the_buffer_is_a_spill_of_its_own_and_counts_as_in_the_file) {
  SpilledRecords map{{1, 0.8F}};
  for (std::int64_t i = 1; i <= 4; ++i) {
    map.add(text_of(1'100'113 + i, 1));
    map.add(text_of(2, 5));
  }
  BOOST_TEST(map.finish() == (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1}), boost::test_tools::per_element());
  BOOST_TEST(map.ring.bytes() == 4'400'542);
}

BOOST_AUTO_TEST_CASE(the_part_of_the_buffer_is_computed_in_single_precision) {
  // 100 MiB x 0.8F is 83886080 in Java, and 83886081 in double precision of the float.
  SpilledRecords map{{100, 0.8F}};
  const SerialisedSize large{0, 83'886'080 - 32, 0, 0};
  map.add(large);
  map.add({0, 0, 0, 0});
  BOOST_TEST(map.finish() == (std::vector<int>{1, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(no_spill_is_empty_or_larger_than_the_buffer) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random{seed};
    HadoopSpills ring{1, 0.02F + static_cast<float>(random.below(98)) / 100};
    std::int64_t held = 0;
    std::int64_t sum = 0;
    for (int i = 0; i < 20'000; ++i) {
      const auto large = random.below(500) == 0 ? random.below(1'300'000) : random.below(300);
      const auto size = text_of(static_cast<std::int64_t>(large), static_cast<std::int64_t>(random.below(40)));
      const auto step = ring.add(size);
      BOOST_REQUIRE(!step.spills_before || held > 0);
      if (step.spills_before) held = 0;
      BOOST_REQUIRE(!step.is_alone || held == 0);
      held += step.is_alone ? 0 : size.bytes() + 16;
      sum += size.bytes() + (step.is_alone ? vint_bytes(size.key_bytes()) + vint_bytes(size.value_bytes()) : 0);
      BOOST_REQUIRE(held <= ring.size());
    }
    BOOST_TEST(ring.bytes() == sum);
  }
}

}  // namespace
}  // namespace hadoop_spills_test
}  // namespace heddle::work
