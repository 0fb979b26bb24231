// Goal: partition and order of keys are those of Hadoop, also for wrong options.
// Method: tables, in addition to the recorded cases of key_partition.
#include <boost/test/unit_test.hpp>

#include "work/records/key_comparator.hpp"
#include "work/records/partitioner.hpp"

namespace heddle::work {
namespace key_test {
namespace {

KeyComparator comparator_of(const char* options) {
  ShuffleDescription description;
  description.comparator = ComparatorKind::key_field;
  description.comparator_options = options;
  return KeyComparator::make(description).value();
}

BOOST_AUTO_TEST_CASE(hashes_equal_those_of_hadoops_text) {  // ST-10
  BOOST_TEST(text_hash("") == 1);
  BOOST_TEST(text_hash("hadoop") == -337361050);
  BOOST_TEST(text_hash("\xff\xfe") == 928);
}

BOOST_AUTO_TEST_CASE(partitions_depend_on_the_named_fields) {  // C-E4-10
  ShuffleDescription description;
  description.partitioner = PartitionerKind::key_field;
  description.partitioner_options = options_of_first_fields(1);
  const auto partitioner = Partitioner::make(description, 7).value();
  BOOST_TEST(partitioner.partition_of("roses\tare") == partitioner.partition_of("roses\tattract"));
  BOOST_TEST(partitioner.partition_of("") == 0);
}

BOOST_AUTO_TEST_CASE(numbers_order_by_value) {
  const auto numeric = comparator_of("-n");
  const char* ascending[] = {"-10", "-9.5", "-1", "0", "0.25", "1", "1.5", "9", "10", "100"};
  for (std::size_t i = 0; i + 1 < std::size(ascending); ++i) {
    BOOST_TEST(numeric.compare(ascending[i], ascending[i + 1]) < 0, ascending[i]);
    BOOST_TEST(numeric.compare(ascending[i + 1], ascending[i]) > 0, ascending[i]);
  }
  BOOST_TEST(numeric.compare("-0.0", "0") == 0);
}

BOOST_AUTO_TEST_CASE(the_largest_field_number_matches_no_field) {
  BOOST_TEST(comparator_of("-k2.2147483647").compare("a\t2", "b\t1") == comparator_of("-k9").compare("a\t2", "b\t1"));
}

BOOST_AUTO_TEST_CASE(fields_may_be_reversed_and_fall_back_to_the_global_options) {
  BOOST_TEST(comparator_of("-k2,2nr").compare("a\t2", "a\t10") > 0);
  BOOST_TEST(comparator_of("-r -k1,1").compare("a", "b") > 0);
  BOOST_TEST(comparator_of("-k 1,1").compare("a\tz", "a\tb") == 0);
}

BOOST_AUTO_TEST_CASE(unknown_words_in_options_are_ignored_as_in_hadoop) {
  for (const char* options : {"-rn", "-x", "k1", "2"})
    BOOST_TEST(comparator_of(options).compare("10", "9") < 0, options);
  BOOST_TEST(comparator_of("-rn -k2,2n").compare("a\t2", "a\t10") < 0);
  BOOST_TEST(comparator_of("-rn -nr").compare("10", "9") < 0);
}

BOOST_AUTO_TEST_CASE(malformed_options_are_errors_with_the_option) {
  for (const char* options : {"-k", "-kx", "-k1,", "-k1.", "-k1z", "-k1,2z"}) {
    const auto fields = parse_key_fields(options);
    BOOST_REQUIRE_MESSAGE(!fields, options);
    BOOST_TEST((fields.error().code == Errc::usage));
  }
}

}  // namespace
}  // namespace key_test
}  // namespace heddle::work
