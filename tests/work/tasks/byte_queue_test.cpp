// Goal: a complete line reaches the next body at once, and neither side waits without need.
// Method: one thread if the order of calls suffices, two if one must wait for the other.
#include "work/tasks/byte_queue.hpp"

#include <poll.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <thread>

namespace byte_queue_test {

namespace {

using namespace heddle;
using namespace heddle::work;

bool is_readable(int descriptor) {
  pollfd polled{descriptor, POLLIN, 0};
  return ::poll(&polled, 1, 0) == 1;
}

BOOST_AUTO_TEST_CASE(a_line_is_read_before_the_writer_writes_more) {
  ByteQueue queue{1000};
  QueueOutput output{queue};
  BOOST_TEST(output.add_line("one").has_value());
  BOOST_TEST(queue.next_bytes().value() == "one\n");
  BOOST_TEST(output.add_pair("key", "value").has_value());
  BOOST_TEST(output.add_text("a\nb").has_value());
  BOOST_TEST(queue.next_bytes().value() == "key\tvalue\na\n");
  BOOST_TEST(output.finish().has_value());
  queue.close();
  BOOST_TEST(queue.next_bytes().value() == "b");
  BOOST_TEST(queue.next_bytes().value().empty());
}

BOOST_AUTO_TEST_CASE(the_descriptor_is_readable_while_a_read_does_not_block) {
  ByteQueue queue{10};
  BOOST_REQUIRE(queue.make_pollable().has_value());
  QueueOutput output{queue};
  const auto is_ready = [&queue] { return is_readable(queue.ready_descriptor()); };
  BOOST_TEST(!is_ready());
  BOOST_TEST(output.add_text("half").has_value());
  BOOST_TEST(!is_ready());
  BOOST_TEST(output.add_text("\nha").has_value());
  BOOST_TEST(is_ready());
  BOOST_TEST(queue.next_bytes().value() == "half\n");
  BOOST_TEST(!is_ready());
  BOOST_TEST(output.add_text("longer than it all").has_value());
  BOOST_TEST(is_ready());
  BOOST_TEST(queue.next_bytes().value() == "halonger than it all");
  BOOST_TEST(!is_ready());
  queue.close();
  BOOST_TEST(is_ready());
  BOOST_TEST(queue.next_bytes().value().empty());
  BOOST_TEST(is_ready());
}

// Waking the reader for each line is expensive: it reads a chunk at most once per millisecond, or when the chunk is
// large.
BOOST_AUTO_TEST_CASE(frequent_lines_are_collected) {
  ByteQueue queue{1 << 20};
  constexpr int lines = 200'000;
  const auto begin = std::chrono::steady_clock::now();
  std::thread writer{[&] {
    QueueOutput output{queue};
    for (int i = 0; i < lines; ++i)
      if (!output.add_line("x")) break;
    queue.close();
  }};
  std::size_t bytes = 0;
  std::chrono::milliseconds::rep pieces = 0;
  for (auto piece = queue.next_bytes(); !piece->empty(); piece = queue.next_bytes(), ++pieces) bytes += piece->size();
  writer.join();
  const auto taken = std::chrono::steady_clock::now() - begin;
  BOOST_TEST(bytes == 2U * lines);
  BOOST_TEST(pieces <= std::chrono::ceil<std::chrono::milliseconds>(taken).count() + 10);
}

BOOST_AUTO_TEST_CASE(all_bytes_pass_in_order_between_two_threads) {
  ByteQueue queue{64};
  std::string expected;
  for (int i = 0; i < 20'000; ++i) expected += std::to_string(i) + (i % 7 == 0 ? "\n" : " ");
  std::thread writer{[&] {
    QueueOutput output{queue};
    for (std::size_t at = 0; at < expected.size(); at += 13) {
      const auto added = output.add_text(std::string_view{expected}.substr(at, 13));
      if (!added) break;
    }
    queue.close();
  }};
  std::string got;
  for (auto piece = queue.next_bytes(); !piece->empty(); piece = queue.next_bytes()) got += *piece;
  writer.join();
  BOOST_TEST((got == expected));
}

BOOST_AUTO_TEST_CASE(a_writer_that_waits_for_space_continues_when_the_reader_closes) {
  ByteQueue queue{4};
  QueueOutput output{queue};
  BOOST_TEST(output.add_line("fills it").has_value());
  std::thread reader{[&] { queue.close_reader(); }};
  const auto added = output.add_line("for nobody");
  reader.join();
  BOOST_TEST((added.error().code == Errc::cancelled));
  BOOST_TEST(output.is_reader_closed());
}

}  // namespace

}  // namespace byte_queue_test
