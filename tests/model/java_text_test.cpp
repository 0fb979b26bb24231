// Goal: text has the hash of Java's String, and survives a conversion to a Java String and back. Method: known values
// of Java.
#include "model/java_text.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

namespace heddle::java {
namespace java_text_test {
namespace {

BOOST_AUTO_TEST_CASE(names_hash_as_in_java) {
  BOOST_TEST(string_hash("") == 0U);
  BOOST_TEST(string_hash("abc") == 96354U);
  BOOST_TEST(string_hash("hello world") == 1794106052U);
  BOOST_TEST(string_hash("\xc3\xa9") == 233U);
}

BOOST_AUTO_TEST_CASE(strings_hash_by_utf_16_units_and_broken_bytes_become_marks) {
  BOOST_TEST(string_hash("hello") == 99162322U);
  BOOST_TEST(string_hash("\xf0\x9f\x98\x80") == 31U * 0xd83d + 0xde00);
  std::string room;
  BOOST_TEST(string_bytes("a\xff"
                          "b",
                          room) ==
             "a\xef\xbf\xbd"
             "b");
  BOOST_TEST(string_bytes("\xe2\x82", room) == "\xef\xbf\xbd");
  BOOST_TEST(string_bytes("\xe2\x28\xa1", room) == "\xef\xbf\xbd(\xef\xbf\xbd");
  BOOST_TEST(string_bytes("\xc3\xa9", room) == "\xc3\xa9");
}

BOOST_AUTO_TEST_CASE(a_map_folds_the_upper_half_of_a_hash_into_the_lower) {
  BOOST_TEST(map_bucket(0x00010000U, 16) == 1U);
  BOOST_TEST(map_bucket(0x00010001U, 16) == 0U);
  BOOST_TEST(map_bucket(string_hash("abc"), 16) == ((96354U ^ (96354U >> 16)) & 15U));
}

}  // namespace
}  // namespace java_text_test
}  // namespace heddle::java
