// Goal: a text longer than 32 bits can count is passed completely, in chunks.
// Method: a reserved address range instead of a text; a consumer that counts without reading.
#include "work/output/text_pieces.hpp"

#include <sys/mman.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

namespace text_pieces_test {

namespace {

using namespace heddle;
using namespace heddle::work;

BOOST_AUTO_TEST_CASE(text_above_4_gib_is_passed_in_chunks_below_4_gib) {
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

BOOST_AUTO_TEST_CASE(no_chunk_follows_one_that_fails) {
  int pieces = 0;
  const auto done = in_pieces("abcdef", 2, [&](std::string_view) -> Result<Done> {
    if (++pieces == 2) return Error{Errc::io, "full disk"};
    return Done{};
  });
  BOOST_REQUIRE(!done.has_value());
  BOOST_TEST(done.error().text == "full disk");
  BOOST_TEST(pieces == 2);
}

BOOST_AUTO_TEST_CASE(there_are_no_empty_chunks) {
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
