// Goal: a fetch survives broken connections, distinguishes lost outputs from local shortages, and never waits without
// limit.
// Method: a server of the test that responds, closes or stays silent, over loopback.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include "tests/support/scarcity.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/tls_relay.hpp"
#include "work/files/wake_event.hpp"
#include "work/shuffle/shuffle_client.hpp"
#include "work/shuffle/shuffle_index.hpp"
#include "work/shuffle/shuffle_protocol.hpp"
#include "work/shuffle/shuffle_server.hpp"

namespace heddle::work {
namespace shuffle_faults_test {
namespace {

const std::string token = "0123456789abcdef0123456789abcdef";

bool receive(int socket, std::string& bytes, std::size_t size) {
  bytes.resize(size);
  return size == 0 || ::recv(socket, bytes.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

std::string response_for(std::int32_t map, std::string_view body) {
  ShuffleResponseHeader head;
  head.map = map;
  head.is_present = true;
  head.length = static_cast<std::int64_t>(body.size());
  return write_response_header(head).append(body);
}

/// Accepts connections in turn; `serve(socket, number)` acts as the server and returns to close the connection.
class PlayedServer {
public:
  /// The first `dropped` connections are closed without a handshake.
  explicit PlayedServer(std::function<void(int, int)> serve, int dropped = 0)
      : serve_{std::move(serve)}, dropped_{dropped} {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    BOOST_REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    BOOST_REQUIRE(::listen(listener_, 16) == 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread{[this] { accept_all(); }};
  }
  ~PlayedServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  PlayedServer(const PlayedServer&) = delete;
  PlayedServer& operator=(const PlayedServer&) = delete;
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] int connections() const { return connections_.load(); }

private:
  void accept_all() {
    for (int socket = 0; (socket = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      if (dropped_-- > 0) ::close(socket);
      else tests::serve_tls(socket, shuffle_key({1, 2}, token), [this](int plain) { serve_(plain, ++connections_); });
    }
  }
  std::function<void(int, int)> serve_;
  int dropped_;
  int listener_ = -1;
  std::string address_;
  std::atomic<int> connections_{0};
  std::thread thread_;
};

/// Reads a request; returns false if the client has closed.
bool receive_request(int socket, ShuffleRequest& request) {
  std::string bytes;
  return receive(socket, bytes, shuffle_request_header_bytes) && read_request_header(bytes, request) &&
         receive(socket, bytes, std::size_t{request.map_count} * 4) && read_request_maps(bytes, request);
}

void send_bytes(int socket, std::string_view bytes) {
  BOOST_TEST(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) >= 0);
}

void wait_for_end(int socket) {
  char byte = 0;
  while (::recv(socket, &byte, 1, 0) > 0) continue;
}

ShuffleClientSettings client_settings() {
  ShuffleClientSettings settings;
  settings.application = {1, 2};
  settings.token = token;
  settings.use_local_files = false;
  settings.read_timeout_ms = 20'000;
  settings.retries = 2;
  settings.retry_wait_ms = 1;
  return settings;
}

ports::ShuffleLocations at(const std::vector<std::string>& addresses, const std::vector<std::int32_t>& place_of_map) {
  ports::ShuffleLocations result;
  result.shuffle = ShuffleId{3};
  for (const auto& address : addresses) {
    MapOutputLocation place;
    place.address = address;
    result.places.push_back(place);
  }
  result.place_of_map = place_of_map;
  return result;
}

struct Fetched {
  bool done = false;
  std::vector<ports::FetchedSegment> segments;
  ports::FetchFailure failure;
};

Fetched fetch(ShuffleClient& client, const ports::ShuffleLocations& locations, int stop = -1) {
  Fetched result;
  result.done = client.fetch(
      {locations, 0, stop},
      [&](ports::FetchedSegment segment) {
        result.segments.push_back(std::move(segment));
        return true;
      },
      result.failure);
  return result;
}

BOOST_AUTO_TEST_CASE(a_broken_connection_is_opened_again_and_no_segment_arrives_twice) {
  const std::string body(100'000, 'b');
  PlayedServer server{[&](int socket, int number) {
    ShuffleRequest request;
    while (receive_request(socket, request)) {
      if (number == 1) return send_bytes(socket, response_for(request.maps[0], body).substr(0, 50'000));
      // sends the first map completely, and never the second
      if (number == 2) return send_bytes(socket, response_for(request.maps[0], body));
      for (const auto map : request.maps) send_bytes(socket, response_for(map, body));
    }
  }};
  ShuffleClient client{client_settings()};
  const auto got = fetch(client, at({server.address()}, {0, 0, 0}));
  BOOST_TEST(got.done, got.failure.text);
  BOOST_TEST(server.connections() == 3);
  BOOST_REQUIRE(got.segments.size() == 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(got.segments[i].map == static_cast<std::int32_t>(i));
    BOOST_TEST(got.segments[i].bytes.size() == body.size());
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_always_closes_is_lost_after_the_retries) {
  PlayedServer server{[](int socket, int) {
    ShuffleRequest request;
    receive_request(socket, request);
  }};
  ShuffleClient client{client_settings()};
  const auto got = fetch(client, at({server.address()}, {0}));
  BOOST_TEST(!got.done);
  BOOST_TEST(got.failure.is_lost);
  BOOST_TEST(got.failure.map == 0);
  BOOST_TEST(server.connections() == 3);
}

BOOST_AUTO_TEST_CASE(a_server_that_closes_after_each_segment_is_not_lost) {
  PlayedServer server{[](int socket, int) {
    ShuffleRequest request;
    if (receive_request(socket, request)) send_bytes(socket, response_for(request.maps[0], "body"));
  }};
  ShuffleClient client{client_settings()};
  const auto got = fetch(client, at({server.address()}, {0, 0, 0, 0, 0, 0}));
  BOOST_TEST(got.done, got.failure.text);
  BOOST_TEST(got.segments.size() == 6U);
  BOOST_TEST(server.connections() == 6);
}

BOOST_AUTO_TEST_CASE(a_dropped_handshake_is_tried_again_until_the_retries_end) {
  for (const int dropped : {2, 3}) {
    PlayedServer server{[](int socket, int) {
                          ShuffleRequest request;
                          while (receive_request(socket, request))
                            for (const auto map : request.maps) send_bytes(socket, response_for(map, "body"));
                        },
                        dropped};
    ShuffleClient client{client_settings()};
    const auto got = fetch(client, at({server.address()}, {0, 0}));
    BOOST_TEST(got.done == (dropped <= client_settings().retries), got.failure.text);
    BOOST_TEST(got.segments.size() == (got.done ? 2U : 0U));
    if (!got.done) BOOST_TEST(got.failure.is_lost);
  }
}

// The server can close an idle connection while a request is in transit. That must not count as a retry.
BOOST_AUTO_TEST_CASE(an_idle_connection_that_was_closed_is_no_loss) {
  PlayedServer server{[](int socket, int) {
    ShuffleRequest request;
    if (receive_request(socket, request)) send_bytes(socket, response_for(request.maps[0], "body"));
    receive_request(socket, request);  // and closes without a response
  }};
  auto settings = client_settings();
  settings.retries = 0;
  ShuffleClient client{settings};
  for (int round = 0; round < 3; ++round) BOOST_TEST(fetch(client, at({server.address()}, {0})).done);
}

BOOST_AUTO_TEST_CASE(only_the_silent_server_is_reported) {
  PlayedServer silent{[](int socket, int) { wait_for_end(socket); }};
  PlayedServer good{[](int socket, int) {
    ShuffleRequest request;
    while (receive_request(socket, request))
      for (const auto map : request.maps) send_bytes(socket, response_for(map, "body"));
  }};
  auto settings = client_settings();
  settings.read_timeout_ms = 1500;  // long enough for the other server on a busy machine
  ShuffleClient client{settings};
  const auto begin = std::chrono::steady_clock::now();
  const auto got = fetch(client, at({good.address(), silent.address()}, {0, 0, 1, 0}));
  BOOST_TEST(!got.done);
  BOOST_TEST(got.failure.is_lost);
  BOOST_TEST(got.failure.map == 2);
  BOOST_TEST(got.failure.at.address == silent.address());
  BOOST_TEST(got.failure.text.find("silent") != std::string::npos);
  BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds{10}));
}

BOOST_AUTO_TEST_CASE(a_cancelled_fetch_from_a_silent_server_ends_at_once) {
  WakeEvent stop;
  BOOST_REQUIRE(stop.open("no event").has_value());
  for (const bool is_in_body : {false, true}) {
    stop.clear();
    PlayedServer silent{[&](int socket, int) {
      ShuffleRequest request;
      if (!receive_request(socket, request)) return;
      if (is_in_body)
        send_bytes(socket, response_for(request.maps[0], "body").substr(0, shuffle_response_header_bytes + 1));
      stop.set();
      wait_for_end(socket);
    }};
    auto settings = client_settings();
    settings.read_timeout_ms = 40'000;
    ShuffleClient client{settings};
    const auto begin = std::chrono::steady_clock::now();
    const auto got = fetch(client, at({silent.address()}, {0}), stop.descriptor());
    BOOST_TEST(!got.done);
    BOOST_TEST(!got.failure.is_lost);
    BOOST_TEST(got.segments.empty());
    BOOST_TEST(silent.connections() == 1);
    BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds{20}));
  }
}

// One segment fills the bytes in flight and stalls; the other server waits for space and is not at fault.
BOOST_AUTO_TEST_CASE(a_server_that_waits_for_space_in_flight_is_not_silent) {
  const std::string body(5000, 'b');
  PlayedServer stuck{[&](int socket, int) {
    ShuffleRequest request;
    if (receive_request(socket, request)) send_bytes(socket, response_for(request.maps[0], body).substr(0, 2000));
    wait_for_end(socket);
  }};
  PlayedServer good{[&](int socket, int) {
    ShuffleRequest request;
    while (receive_request(socket, request))
      for (const auto map : request.maps) send_bytes(socket, response_for(map, body));
  }};
  auto settings = client_settings();
  settings.bytes_in_flight_max = 1000;
  settings.read_timeout_ms = 1500;
  for (const bool is_first : {true, false}) {
    ShuffleClient client{settings};
    const auto got = is_first ? fetch(client, at({stuck.address(), good.address()}, {0, 1}))
                              : fetch(client, at({good.address(), stuck.address()}, {0, 1}));
    BOOST_TEST(!got.done);
    BOOST_TEST(got.failure.at.address == stuck.address());
  }
}

// Each large segment needs more than half of the space. The busy server has the space first and sends its other
// segments with the rest of that one; meanwhile the response of the other server waits.
BOOST_AUTO_TEST_CASE(servers_get_space_in_flight_in_the_order_in_which_they_began_to_wait) {
  const std::string large(800, 'b');
  std::promise<void> has_space;  // the busy server
  std::promise<void> is_waiting;
  const auto space = has_space.get_future().share();
  const auto waiting = is_waiting.get_future().share();
  constexpr std::chrono::seconds patience{30};
  PlayedServer busy{[&](int socket, int) {
    ShuffleRequest request;
    if (!receive_request(socket, request)) return;
    std::string responses = response_for(request.maps[0], "small");
    for (std::size_t i = 1; i < request.maps.size(); ++i) responses += response_for(request.maps[i], large);
    const auto begin = 2 * shuffle_response_header_bytes + 10;
    send_bytes(socket, std::string_view{responses}.substr(0, begin));
    waiting.wait_for(patience);
    send_bytes(socket, std::string_view{responses}.substr(begin));
    wait_for_end(socket);
  }};
  PlayedServer other{[&](int socket, int) {
    ShuffleRequest request;
    if (!receive_request(socket, request)) return;
    space.wait_for(patience);
    send_bytes(socket, response_for(request.maps[0], "small") + response_for(request.maps[1], large));
    wait_for_end(socket);
  }};
  auto settings = client_settings();
  settings.bytes_in_flight_max = 1000;
  ShuffleClient client{settings};
  std::vector<std::int32_t> order;
  ports::FetchFailure failure;
  // The client reads on from a server before it looks at another one.
  const auto on_segment = [&](const ports::FetchedSegment& segment) {
    order.push_back(segment.map);
    if (segment.map == 0) has_space.set_value();
    if (segment.map == 4) is_waiting.set_value();
    return true;
  };
  BOOST_TEST(client.fetch({at({busy.address(), other.address()}, {0, 0, 0, 0, 1, 1}), 0}, on_segment, failure),
             failure.text);
  BOOST_TEST(order == (std::vector<std::int32_t>{0, 4, 1, 5, 2, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_impossible_response_is_a_failure_and_allocates_nothing) {
  PlayedServer server{[](int socket, int) {
    ShuffleRequest request;
    if (!receive_request(socket, request)) return;
    ShuffleResponseHeader head;
    head.is_present = true;
    head.length = INT64_MAX;
    send_bytes(socket, write_response_header(head));
    wait_for_end(socket);
  }};
  ShuffleClient client{client_settings()};
  const auto got = fetch(client, at({server.address()}, {0}));
  BOOST_TEST(!got.done);
  BOOST_TEST(got.failure.text.find("unexpected response") != std::string::npos);
}

/// A real server with one map output of `size` bytes.
struct Served {
  explicit Served(std::size_t size) {
    std::filesystem::create_directories(shuffle_folder(folder.path(), ShuffleId{3}));
    ShuffleIndex index;
    index.data_path = shuffle_folder(folder.path(), ShuffleId{3}) + "/0-0.0.data";
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * i >> 3));
    std::ofstream{index.data_path, std::ios::binary} << bytes;
    data_path = index.data_path;
    index.offsets = {0, static_cast<std::int64_t>(size)};
    BOOST_REQUIRE(write_shuffle_index(folder.path(), ShuffleId{3}, 0, index).has_value());
    auto started = ShuffleServer::start({});
    BOOST_REQUIRE(started.has_value());
    server = std::move(*started);
    server->add_application({1, 2}, token, folder.path());
  }
  ScratchFolder folder;
  std::string data_path;
  std::string bytes;
  std::unique_ptr<ShuffleServer> server;
};

BOOST_AUTO_TEST_CASE(a_segment_longer_than_the_bytes_in_flight_is_received_into_a_file) {
  Served served{3'000'000};
  auto settings = client_settings();
  settings.bytes_in_flight_max = 1 << 20;
  settings.scratch_directory = served.folder.file("scratch");
  ShuffleClient client{settings};
  const auto got = fetch(client, at({served.server->address()}, {0}));
  BOOST_TEST(got.done, got.failure.text);
  BOOST_REQUIRE(got.segments.size() == 1u);
  BOOST_TEST(got.segments[0].is_owned);
  BOOST_TEST(got.segments[0].bytes.empty());
  std::ifstream file{got.segments[0].path, std::ios::binary};
  const std::string stored{std::istreambuf_iterator<char>{file}, {}};
  BOOST_TEST((stored == served.bytes));
  std::filesystem::remove(got.segments[0].path);
  const auto full = [&] {
    const FullDisk disk{1 << 20};
    return fetch(client, at({served.server->address()}, {0}));
  }();
  BOOST_TEST(!full.done);
  BOOST_TEST(!full.failure.is_lost);
  BOOST_TEST(std::filesystem::is_empty(settings.scratch_directory));
}

/// Waits until this process has closed the file: the server does so shortly after the client has the last byte.
void wait_until_closed(const std::string& path) {
  const auto is_open = [&path] {
    std::error_code gone;
    for (const auto& each : std::filesystem::directory_iterator{"/proc/self/fd"})
      if (std::filesystem::read_symlink(each.path(), gone) == path) return true;
    return false;
  };
  while (is_open()) std::this_thread::yield();
}

BOOST_AUTO_TEST_CASE(a_lack_of_descriptors_loses_no_map_output) {
  Served served{1000};
  auto settings = client_settings();
  settings.read_timeout_ms = 1500;
  ShuffleClient client{settings};
  const auto places = at({served.server->address()}, {0});
  const auto fetch_without = [&] {
    const NoDescriptors none;
    return fetch(client, places);
  };
  const auto unconnected = fetch_without();
  BOOST_TEST(!unconnected.done);
  BOOST_TEST(!unconnected.failure.is_lost);
  BOOST_TEST(fetch(client, places).done);
  wait_until_closed(served.data_path);  // a later close would free a descriptor for the next request
  // The client is connected, and the server has no descriptor for the file: it must wait, not report the output as
  // missing.
  const auto waiting = fetch_without();
  BOOST_TEST(!waiting.done);
  BOOST_TEST(waiting.failure.text.find("silent") != std::string::npos, waiting.failure.text);
  BOOST_TEST(fetch(client, places).done);
}

}  // namespace
}  // namespace shuffle_faults_test
}  // namespace heddle::work
