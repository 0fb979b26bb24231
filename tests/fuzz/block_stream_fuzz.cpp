// What a DataNode sends for one block: whatever it is, the reader returns only the requested number of bytes, and ends.
#include <sys/socket.h>

#include <array>

#include "interop/hdfs/block_reader.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(block_stream) {
  using namespace heddle::interop::hdfs;
  // A socket pair takes this much without a reader.
  if (input.size() > 100'000) return;
  std::array<int, 2> sockets{};
  HEDDLE_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets.data()) == 0, "socketpair");
  static_cast<void>(::send(sockets[1], input.data(), input.size(), MSG_NOSIGNAL));
  ::shutdown(sockets[1], SHUT_WR);
  {
    ReadRequest request;
    request.offset = 100;
    request.length = 1000;
    auto reader = BlockReader::open(DataNodeConnection{sockets[0], "fuzz"}, request, TransferLimits{.silence_ms = 10});
    std::size_t total = 0;
    std::array<char, 333> buffer{};
    while (reader) {
      const auto count = reader->read(buffer.data(), buffer.size());
      if (!count || *count == 0) break;
      total += *count;
    }
    HEDDLE_ASSERT(total <= request.length, "more bytes than were asked for");
  }
  ::close(sockets[1]);
}
