// Goal: the name of a file determines its compression, as in Hadoop. Method: a table of names.
#include "model/input_split.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle {
namespace input_split_test {
namespace {

BOOST_AUTO_TEST_SUITE(input_split)

BOOST_AUTO_TEST_CASE(the_end_of_a_name_tells_the_packing_and_only_plain_text_and_bzip2_are_split) {
  const std::pair<const char*, Packing> table[] = {
      {"a", Packing::none},           {"a.txt", Packing::none},
      {"gz", Packing::none},          {"a.gzz", Packing::none},
      {"a.gz.1", Packing::none},      {"a.gz", Packing::gzip},
      {"A.GZ", Packing::gzip},        {".gz", Packing::gzip},
      {"a.Bz2", Packing::bzip2},      {"a.deflate", Packing::unreadable},
      {"a.LZ4", Packing::unreadable}, {"a.snappy", Packing::unreadable},
      {"a.zst", Packing::unreadable},
  };
  for (const auto& [name, packing] : table) {
    BOOST_TEST((packing_of(name) == packing), name);
    BOOST_TEST(is_splittable_name(name) == (packing == Packing::none || packing == Packing::bzip2), name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace input_split_test
}  // namespace heddle
