// Goal: text longer than a library can count reaches it whole, in pieces that it can count.
// Method: an address range without memory behind it in place of the text; a consumer that counts and reads nothing.
#include "work/output/text_pieces.hpp"

#include <sys/mman.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

namespace text_pieces_test {

namespace {

using namespace heddle;
using namespace heddle::work;

BOOST_AUTO_TEST_CASE(text_above_4_gib_passes_in_pieces_that_32_bits_count) {
  constexpr std::size_t size = (std::size_t{9} << 30) + 5;
  constexpr std::size_t piece_max = std::size_t{1} << 30;
  void* const at = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  BOOST_REQUIRE(at != MAP_FAILED);
  const char* const begin = static_cast<const char*>(at);
  const char* next = begin;
  int pieces = 0;
  const auto done = in_pieces({begin, size}, piece_max, [&](std::string_view piece) -> Result<Done> {
    BOOST_TEST(piece.data() == static_cast<const void*>(next));
    BOOST_TEST(static_cast<std::uint32_t>(piece.size()) == piece.size());
    BOOST_TEST(piece.size() <= piece_max);
    next += piece.size();
    ++pieces;
    return Done{};
  });
  BOOST_TEST(done.has_value());
  BOOST_TEST(static_cast<std::size_t>(next - begin) == size);
  BOOST_TEST(pieces == 10);
  ::munmap(at, size);
}

BOOST_AUTO_TEST_CASE(the_first_piece_that_fails_is_the_last) {
  int pieces = 0;
  const auto done = in_pieces("abcdef", 2, [&](std::string_view) -> Result<Done> {
    if (++pieces == 2) return Error{Errc::io, "full disk"};
    return Done{};
  });
  BOOST_REQUIRE(!done.has_value());
  BOOST_TEST(done.error().text == "full disk");
  BOOST_TEST(pieces == 2);
}

BOOST_AUTO_TEST_CASE(an_empty_text_has_no_piece_and_a_full_one_has_no_empty_end) {
  std::vector<std::string_view> pieces;
  const auto keep = [&](std::string_view piece) -> Result<Done> {
    pieces.push_back(piece);
    return Done{};
  };
  BOOST_TEST(in_pieces("", 2, keep).has_value());
  BOOST_TEST(pieces.empty());
  BOOST_TEST(in_pieces("abcd", 2, keep).has_value());
  BOOST_TEST(pieces == (std::vector<std::string_view>{"ab", "cd"}), boost::test_tools::per_element());
}

}  // namespace

}  // namespace text_pieces_test
