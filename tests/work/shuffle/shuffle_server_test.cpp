// Goal: above its limit of connections a server closes idle ones for new clients, and none that is about to be served.
// An exception in a handler ends neither the server nor other connections. An index is read once.
// Method: a real server and clients over loopback. A client that does not read its response keeps its connection busy.
// A read of a file throws where the test says so.
#include "work/shuffle/shuffle_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "tests/support/scratch_folder.hpp"
#include "work/shuffle/shuffle_client.hpp"
#include "work/shuffle/shuffle_index.hpp"
#include "work/shuffle/shuffle_protocol.hpp"
#include "work/transport/tls_socket.hpp"

namespace heddle::work {
namespace shuffle_server_test {
namespace {

const std::string token = "0123456789abcdef0123456789abcdef";
constexpr ApplicationId application{1, 2};
constexpr ShuffleId shuffle{3};
constexpr SocketWait patience{20'000};
std::atomic<bool> is_next_read_faulty{false};  // the next pread() of this program throws

/// Outputs of one partition: map 1 is larger than the buffers of a connection, maps 0 and 2 are small.
struct Served {
  explicit Served(std::int32_t connections_max, std::int64_t request_timeout_ms = 60'000) {
    std::filesystem::create_directories(shuffle_folder(folder.path(), shuffle));
    for (const std::int32_t map : {0, 1, 2}) {
      const std::string bytes(map == 1 ? 32U << 20 : 4U, 'x');
      ShuffleIndex index;
      index.data_path = shuffle_folder(folder.path(), shuffle) + '/' + std::to_string(map) + "-0.0.data";
      index.offsets = {0, std::ssize(bytes)};
      std::ofstream{index.data_path, std::ios::binary} << bytes;
      BOOST_REQUIRE(write_shuffle_index(folder.path(), shuffle, map, index).has_value());
    }
    ShuffleServerSettings settings;
    settings.connections_max = connections_max;
    settings.request_timeout_ms = request_timeout_ms;
    auto started = ShuffleServer::start(settings);
    BOOST_REQUIRE(started.has_value());
    server = std::move(*started);
    server->add_application(application, token, folder.path());
  }
  /// Tries nothing twice.
  [[nodiscard]] static std::unique_ptr<ShuffleClient> client(std::int32_t maps_per_request) {
    ShuffleClientSettings settings;
    settings.application = application;
    settings.token = token;
    settings.use_local_files = false;
    settings.retries = 0;
    settings.maps_per_request = maps_per_request;
    settings.connect_timeout_ms = patience.timeout_ms;
    return std::make_unique<ShuffleClient>(settings);
  }
  void fetch(ShuffleClient& client, std::vector<std::int32_t> place_of_map,
             const std::function<void(std::int32_t map)>& on_map = {}) const {
    ports::FetchFailure failure;
    BOOST_TEST(try_fetch(client, std::move(place_of_map), failure, on_map), failure.text);
  }
  [[nodiscard]] bool try_fetch(ShuffleClient& client, std::vector<std::int32_t> place_of_map,
                               ports::FetchFailure& failure,
                               const std::function<void(std::int32_t map)>& on_map = {}) const {
    ports::ShuffleLocations locations;
    locations.shuffle = shuffle;
    locations.places.emplace_back();
    locations.places[0].address = server->address();
    locations.place_of_map = std::move(place_of_map);
    const auto on_segment = [&on_map](const ports::FetchedSegment& segment) {
      if (on_map) on_map(segment.map);
      return true;
    };
    return client.fetch({locations, 0}, on_segment, failure);
  }
  /// `act` runs while so many connections are busy.
  void while_busy(int connections, const std::function<void()>& act) const {
    if (connections == 0) return act();
    const auto slow = client(2);
    fetch(*slow, {0, 0}, [&](std::int32_t map) {
      if (map == 0) while_busy(connections - 1, act);
    });
  }
  /// Connected, and accepted if the server accepts now; the handshake has not begun.
  [[nodiscard]] std::unique_ptr<TlsStream> connect() const {
    const auto context = TlsContext::for_client(shuffle_key(application, token));
    BOOST_REQUIRE(context.has_value());
    auto stream = connect_stream(*context, server->address(), patience);
    BOOST_REQUIRE(stream.has_value());
    return std::move(*stream);
  }

  ScratchFolder folder;
  std::unique_ptr<ShuffleServer> server;
};

constexpr auto not_wanted = ports::ShuffleLocations::not_wanted;

BOOST_AUTO_TEST_CASE(a_connection_above_the_limit_stays_open_between_two_requests) {
  const Served served{1};
  served.while_busy(1, [&served] { served.fetch(*Served::client(1), {0, not_wanted, 0}); });
}

// It is accepted before the others, and proves its key when they have exceeded the limit.
BOOST_AUTO_TEST_CASE(a_new_client_is_not_the_one_that_is_closed_for_room) {
  const Served served{2};
  const auto last = served.connect();
  served.while_busy(3, [&last] {
    BOOST_REQUIRE(shake_hands(*last, patience).has_value());
    ShuffleRequest request;
    request.application = application;
    request.shuffle = shuffle;
    request.maps = {0};
    BOOST_TEST(send_all(*last, write_request(request), patience));
    char head[shuffle_response_header_bytes];
    std::size_t got = 0;
    auto end = ports::Transfer::blocked;
    while ((end = last->read(head, sizeof head, got)) == ports::Transfer::blocked)
      BOOST_REQUIRE(wait_for_socket(last->descriptor(), POLLIN, patience) == 0);
    BOOST_TEST((end == ports::Transfer::done));
  });
}

// The silent one uses up an accept that may have begun before the limit was exceeded.
BOOST_AUTO_TEST_CASE(a_client_that_waits_for_room_gets_that_of_the_only_idle_connection) {
  constexpr std::int64_t request_timeout_ms = 6'000;  // of the busy connection; idle ones are looked at more often
  const Served served{1, request_timeout_ms};
  served.while_busy(1, [&served] {
    const auto idle = Served::client(1);
    served.fetch(*idle, {0});
    const auto silent = served.connect();
    served.fetch(*Served::client(1), {0});
  });
}

// An index that is read again would not be whole any more, and its output lost.
BOOST_AUTO_TEST_CASE(the_index_of_a_map_output_is_read_for_the_first_request_only) {
  const Served served{10};
  served.fetch(*Served::client(1), {0});
  const auto path = shuffle_index_path(served.folder.path(), shuffle, 0);
  struct stat before {};
  BOOST_REQUIRE(::stat(path.c_str(), &before) == 0);
  {
    std::fstream index{path, std::ios::binary | std::ios::in | std::ios::out};
    index << std::string(static_cast<std::size_t>(before.st_size), '?');
    BOOST_REQUIRE(index.flush().good());
  }
  const timespec times[2] = {before.st_atim, before.st_mtim};
  BOOST_REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  BOOST_REQUIRE(!read_shuffle_index(served.folder.path(), shuffle, 0).has_value());
  served.fetch(*Served::client(1), {0});
}

BOOST_AUTO_TEST_CASE(an_exception_in_a_handler_ends_only_its_connection) {
  constexpr std::int64_t request_timeout_ms = 200;
  const Served served{10, request_timeout_ms};
  const auto unlucky = Served::client(1);
  is_next_read_faulty = true;
  ports::FetchFailure failure;
  BOOST_TEST(!served.try_fetch(*unlucky, {0}, failure));
  BOOST_TEST(!is_next_read_faulty);
  served.fetch(*Served::client(1), {0});
  served.fetch(*unlucky, {0});
}

}  // namespace
}  // namespace shuffle_server_test
}  // namespace heddle::work

/// Instead of the function of the system.
extern "C" ssize_t pread(int descriptor, void* to, size_t size, off_t offset) {
  if (heddle::work::shuffle_server_test::is_next_read_faulty.exchange(false)) throw std::bad_alloc{};
  return ::syscall(SYS_pread64, descriptor, to, size, offset);
}
