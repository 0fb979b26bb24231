// Goal: a map of a MapReduce job spills, combines and counts where a map of Hadoop does.
// Method: records of recorded jobs of Hadoop Streaming 3.4.2, with the counters of their maps.
#include <boost/test/unit_test.hpp>
#include <optional>

#include "tests/support/shuffle_pairs.hpp"

namespace heddle::work {
namespace map_reduce_shuffle_test {
namespace {

using namespace shuffle_test;

/// What `burst.awk` of the recorded jobs prints: so many records for each of so many lines.
Pairs burst(int lines, int records, int keys, std::size_t value_bytes) {
  Pairs pairs;
  for (int line = 0; line < lines; ++line)
    for (int i = 0; i < records; ++i) {
      auto value = std::to_string(i);
      value.insert(0, value_bytes - std::min(value_bytes, value.size()), '0');
      pairs.emplace_back(std::string{"a"} + static_cast<char>('a' + line) + "-" + std::to_string(i * 7 % keys),
                         std::move(value));
    }
  return pairs;
}

ShuffleWriterSettings map_settings(const ScratchFolder& folder, std::int32_t sort_factor = 10) {
  ShuffleWriterSettings settings;
  settings.directory = folder.path();
  settings.memory_bytes = 1;  // without effect: the rules of the job decide
  settings.map_reduce.emplace();
  settings.map_reduce->sort_mib = 1;
  settings.map_reduce->spill_part = 0.05F;
  settings.map_reduce->sort_factor = sort_factor;
  return settings;
}

/// Keeps the first record of each key.
Result<Done> keep_first(RecordStream& records, const RecordSink& sink) {
  std::optional<std::string> last;
  RecordBatch batch;
  while (checked(records.next(batch)))
    for (const auto& record : batch) {
      if (last && *last == record.key) continue;
      last = record.key;
      if (auto done = sink(record.key, record.value); !done) return done;
    }
  return Done{};
}

// spill-one-at-end
BOOST_AUTO_TEST_CASE(one_spill_counts_each_record_once) {
  const ScratchFolder folder;
  const auto written = write_map(burst(2, 308, 35, 9), output_of(1), 0, map_settings(folder));
  BOOST_TEST(written.counts.spilled_records == 616);
  BOOST_TEST(written.counts.serialised_bytes == 9608);
  BOOST_TEST(written.bytes_spilled == 0);
}

BOOST_AUTO_TEST_CASE(a_map_output_counts_its_spills_while_records_come) {
  const ScratchFolder folder;
  auto writer = checked(ShuffleWriter::open(output_of(1), 0, "0.0", map_settings(folder), keep_first));
  std::int64_t records = 0;
  for (const auto& [key, value] : burst(2, 3000, 35, 9)) {
    checked(writer->add(key, value));
    ++records;
    if (writer->counts().spilled_records > 0) break;
  }
  BOOST_TEST(records < 6000);
  BOOST_TEST(writer->counts().records_in == records);
  BOOST_TEST(writer->counts().serialised_bytes > 15 * records);
  BOOST_TEST(writer->counts().combine_records_in == records - 1);
  BOOST_TEST(writer->counts().combine_records_out == writer->counts().spilled_records);
}

// merge-passes-factor-two
BOOST_AUTO_TEST_CASE(early_merges_of_hadoop_count_although_nothing_is_merged_early) {
  const ScratchFolder folder;
  const auto written = write_map(burst(6, 921, 46, 4), output_of(1), 0, map_settings(folder, 2));
  BOOST_TEST(written.counts.spilled_records == 5526 + 3568 + 5526);
  BOOST_TEST(written.counts.serialised_bytes == 59'580);
  BOOST_TEST(read_all(*reader_of(folder, output_of(1), shapes[0], 1, 0)).size() == 5526U);
}

// spills-several-combined
BOOST_AUTO_TEST_CASE(a_combiner_runs_at_each_spill_and_from_three_spills_on_at_the_last_merge) {
  const ScratchFolder folder;
  const auto written = write_map(burst(6, 1115, 34, 8), output_of(1), 0, map_settings(folder), keep_first);
  BOOST_TEST(written.counts.combine_records_in == 6996);
  BOOST_TEST(written.counts.combine_records_out == 510);
  BOOST_TEST(written.counts.spilled_records == 510);
  BOOST_TEST(read_all(*reader_of(folder, output_of(1), shapes[0], 1, 0)).size() == 204U);
}

// spills-combined-from-one, spills-combined-only-when-five
BOOST_AUTO_TEST_CASE(the_number_of_spills_from_which_the_last_merge_combines_can_be_chosen) {
  const ScratchFolder folder;
  auto settings = map_settings(folder);
  settings.map_reduce->combine_spills_min = 1;
  const auto always = write_map(burst(3, 1011, 39, 2), output_of(1), 0, settings, keep_first);
  BOOST_TEST(always.counts.combine_records_in == 3172);
  BOOST_TEST(always.counts.combine_records_out == 256);
  settings.map_reduce->combine_spills_min = 9;
  const auto never = write_map(burst(5, 1010, 32, 2), output_of(1), 0, settings, keep_first);
  BOOST_TEST(never.counts.combine_records_in == 5050);
  BOOST_TEST(never.counts.combine_records_out == 221);
  BOOST_TEST(never.counts.spilled_records == 442);
}

BOOST_AUTO_TEST_CASE(keys_that_are_offsets_have_eight_bytes_and_values_of_whole_keys_none) {
  const ScratchFolder folder;
  auto settings = map_settings(folder);
  settings.map_reduce->has_offset_keys = true;
  BOOST_TEST(write_map({{"123456789012", "abc"}}, output_of(1), 0, settings).counts.serialised_bytes == 8 + 4);
  settings.map_reduce->has_offset_keys = false;
  auto output = output_of(1);
  output.description.key.fields = 0;
  BOOST_TEST(write_map({{"abc", ""}}, output, 0, settings).counts.serialised_bytes == 4);
}

}  // namespace
}  // namespace map_reduce_shuffle_test
}  // namespace heddle::work
