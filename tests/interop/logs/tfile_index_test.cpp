// Goal: the index of a TFile is read, and damaged ones are refused. Method: numbers at the limits of each length;
// bytes that Hadoop's writer has written, damaged at each place.
#include "interop/logs/tfile_index.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "tests/support/decoder_memory.hpp"

namespace heddle::interop {
namespace tfile_index_test {
namespace {

/// Big-endian bytes of a number, the lowest `count` of them.
std::string bytes_of(std::int64_t number, int count) {
  std::string made;
  for (int i = count - 1; i >= 0; --i) made += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
  return made;
}

/// The shortest encoding, written from the format's description.
std::string encoded(std::int64_t n) {
  const auto fits = [n](int bits) { return n >= -(std::int64_t{1} << bits) && n < (std::int64_t{1} << bits); };
  if (n >= -32 && n < 128) return bytes_of(n, 1);
  if (n >= -20 * 256 && n < 20 * 256) return bytes_of((n >> 8) - 52, 1) + bytes_of(n, 1);
  if (n >= -16 * 65536 && n < 16 * 65536) return bytes_of((n >> 16) - 88, 1) + bytes_of(n, 2);
  if (n >= -8 * (std::int64_t{1} << 24) && n < 8 * (std::int64_t{1} << 24))
    return bytes_of((n >> 24) - 112, 1) + bytes_of(n, 3);
  for (const auto size : {4, 5, 6, 7})
    if (fits(8 * size - 1)) return bytes_of(size - 129, 1) + bytes_of(n, size);
  return bytes_of(8 - 129, 1) + bytes_of(n, 8);
}

constexpr std::int64_t file_bytes = 1000;

std::string text_of(std::string_view text) {
  return encoded(static_cast<std::int64_t>(text.size())) + std::string{text};
}

std::string index_with(const std::string& compression) {
  return encoded(2) + text_of("data:TFile.meta") + text_of("none") + encoded(10) + encoded(6) + encoded(6) +
         text_of("data:BCFile.index") + text_of(compression) + encoded(500) + encoded(15) + encoded(15);
}

BOOST_AUTO_TEST_CASE(a_number_of_each_length_is_read) {
  std::vector<std::int64_t> numbers{0, 1, -1, std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min()};
  for (int bit = 0; bit < 63; ++bit)
    for (const std::int64_t near : {-1, 0, 1})
      for (const auto sign : {-1, 1}) numbers.push_back(sign * ((std::int64_t{1} << bit) + near));
  for (const auto edge : {20 * 256, 16 * 65536, 8 << 24})
    for (const auto near : {-1, 0, 1})
      for (const auto sign : {-1, 1}) numbers.push_back(sign * (edge + near));
  for (const auto number : numbers) {
    const auto bytes = encoded(number) + "x";
    std::string_view rest{bytes};
    BOOST_TEST(tfile_number_rest(bytes.front()) == bytes.size() - 2, number);
    BOOST_TEST(take_tfile_number(rest).value() == number);
    BOOST_TEST(rest == "x");
    for (std::size_t size = 0; size + 1 < bytes.size(); ++size) {
      auto shorter = std::string_view{bytes}.substr(0, size);
      BOOST_TEST(!take_tfile_number(shorter).has_value());
    }
  }
  for (int first = -128; first < -125; ++first) {  // lengths of 1 to 3 bytes have other encodings
    const auto bytes = bytes_of(first, 1) + "12345678";
    std::string_view rest{bytes};
    BOOST_TEST(!take_tfile_number(rest).has_value());
  }
}

BOOST_AUTO_TEST_CASE(the_end_of_a_file_names_its_index) {
  const std::string magic{"\xd1\x11\xd3\x68\x91\xb5\xd7\xb6\x39\xdf\x41\x40\x92\xba\xe1\x50", 16};
  const auto end = [&](std::int64_t offset, int version) {
    return bytes_of(offset, 8) + bytes_of(version, 2) + bytes_of(0, 2) + magic;
  };
  BOOST_TEST(parse_tfile_end(end(900, 1), file_bytes).value() == 900);
  BOOST_TEST((parse_tfile_end(end(973, 1), file_bytes).error().code == Errc::corrupt));
  BOOST_TEST((parse_tfile_end(end(-1, 1), file_bytes).error().code == Errc::corrupt));
  BOOST_TEST((parse_tfile_end(end(0, 1), std::int64_t{1} << 40).error().code == Errc::corrupt));  // an index of 1 TiB
  BOOST_TEST((parse_tfile_end(end(900, 2), file_bytes).error().code == Errc::refused));
  auto damaged = end(900, 1);
  damaged.back() = 'x';
  BOOST_TEST((parse_tfile_end(damaged, file_bytes).error().code == Errc::corrupt));
  BOOST_TEST((parse_tfile_end("", file_bytes).error().code == Errc::corrupt));
}

BOOST_AUTO_TEST_CASE(an_index_names_the_list_of_blocks) {
  const auto index = index_with("none");
  BOOST_TEST((parse_tfile_index(index + "what follows", file_bytes).value() == TFileBlock{500, 15, 15}));
  for (std::size_t size = 0; size < index.size(); ++size)
    BOOST_TEST((parse_tfile_index(index.substr(0, size), file_bytes).error().code == Errc::corrupt));
  BOOST_TEST((parse_tfile_index(index, 510).error().code == Errc::corrupt));  // behind the end of the file
  const auto compressed = parse_tfile_index(index_with("gz"), file_bytes);
  BOOST_TEST((compressed.error().code == Errc::refused));
  BOOST_TEST(compressed.error().text.find("compressed with gz") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_list_has_the_places_of_blocks) {
  const auto list =
      text_of("none") + encoded(2) + encoded(16) + encoded(300) + encoded(300) + encoded(316) + encoded(9) + encoded(9);
  const auto blocks = parse_tfile_blocks(list, file_bytes);
  BOOST_REQUIRE(blocks.has_value());
  BOOST_TEST((*blocks == std::vector<TFileBlock>{{16, 300, 300}, {316, 9, 9}}));
  for (std::size_t size = 0; size < list.size(); ++size)
    BOOST_TEST((parse_tfile_blocks(list.substr(0, size), file_bytes).error().code == Errc::corrupt));
  BOOST_TEST((parse_tfile_blocks(text_of("lzo") + encoded(0), file_bytes).error().code == Errc::refused));
  BOOST_TEST(parse_tfile_blocks(text_of("none") + encoded(0), file_bytes)->empty());
  BOOST_TEST(!parse_tfile_blocks(text_of("none") + encoded(std::int64_t{1} << 40), file_bytes).has_value());
}

BOOST_AUTO_TEST_CASE(hostile_lists_need_little_memory) {
  const auto blocks = tests::repeated("\x01\x01\x01");
  const auto count = static_cast<std::int64_t>(blocks.size() / 3);
  const std::string inputs[] = {text_of("none") + encoded(count) + blocks,
                                text_of("none") + encoded(std::int64_t{1} << 40) + blocks,
                                encoded(count) + blocks,
                                encoded(count) + tests::repeated("\x01"
                                                                 "a"),
                                encoded(1 << 20) + blocks,
                                tests::repeated("\x7f"),
                                tests::repeated("\x80")};
  for (const auto& list : inputs) {
    tests::check_decoder_memory("the list of blocks", [&] { (void)parse_tfile_blocks(list, file_bytes).has_value(); });
    tests::check_decoder_memory("the index", [&] { (void)parse_tfile_index(list, file_bytes).has_value(); });
  }
}

}  // namespace
}  // namespace tfile_index_test
}  // namespace heddle::interop
