// Goal: sealed bytes come back as they were, and all other bytes are refused with a sentence. Method: one content;
// then truncated, changed and foreign bytes.
#include "model/sealed_bytes.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle {
namespace sealed_bytes_test {
namespace {

constexpr SealForm letters{"letter", "HDXX", 3, 100};

BOOST_AUTO_TEST_CASE(sealed_bytes_have_the_documented_header_and_come_back) {
  const auto bytes = seal(letters, "content");
  BOOST_TEST(bytes.substr(0, 8) == (std::string{"HDXX\3\0\0\0", 8}));
  BOOST_TEST(bytes.substr(seal_header_bytes) == "content");
  BOOST_TEST(unseal(letters, bytes).value() == "content");
  BOOST_TEST(unseal(letters, seal(letters, "")).value().empty());
}

BOOST_AUTO_TEST_CASE(changed_and_truncated_bytes_are_refused_with_a_sentence) {
  const auto whole = seal(letters, "content");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    BOOST_REQUIRE(!unseal(letters, changed).has_value());
    const auto cut = unseal(letters, std::string_view{whole}.substr(0, i));
    BOOST_REQUIRE(!cut.has_value());
    BOOST_TEST((cut.error().code == Errc::corrupt));
    BOOST_TEST(cut.error().text.starts_with("the letter "));
  }
  BOOST_TEST(!unseal(letters, whole + "x").has_value());
}

BOOST_AUTO_TEST_CASE(each_refusal_has_its_numbers) {
  auto other_version = letters;
  other_version.version = 4;
  BOOST_TEST(unseal(letters, seal(other_version, "")).error().text ==
             "the letter has version 4, this program reads version 3: another build wrote it; use one build for all "
             "processes");
  BOOST_TEST(unseal(letters, "some other file format").error().text ==
             "the letter has no valid header: its 22 bytes do not start with HDXX");
  BOOST_TEST(unseal(letters, std::string(101, 'x')).error().text == "the letter has 101 bytes, the maximum is 100");
}

BOOST_AUTO_TEST_CASE(numbers_are_written_lowest_byte_first) {
  BOOST_TEST(little_endian(0x0102, 4) == (std::string{"\2\1\0\0", 4}));
  BOOST_TEST(from_little_endian(little_endian(0xfedcba9876543210U, 8)) == 0xfedcba9876543210U);
}

}  // namespace
}  // namespace sealed_bytes_test
}  // namespace heddle
