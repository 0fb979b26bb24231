// Goal: two ends with one key exchange bytes unchanged; without the key there is no connection.
// Method: streams over a pair of sockets, stepped in one thread.
#include "work/transport/tls_stream.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

#include "work/transport/tls_socket.hpp"

namespace heddle::work {
namespace tls_stream_test {
namespace {

const ports::TransportKey key{"application_1_0001", "secret"};

/// Two ends of a connection whose handshake has not begun.
struct Ends {
  std::unique_ptr<TlsStream> client;
  std::unique_ptr<TlsStream> server;
  Ends(const ports::TransportKey& of_client, const TlsContext& of_server) {
    int sockets[2];
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
    client = std::make_unique<TlsStream>(*TlsContext::for_client(of_client), sockets[0]);
    server = std::make_unique<TlsStream>(of_server, sockets[1]);
  }
  /// True if both ends finish.
  bool shake() const {
    bool has[2] = {false, false};
    for (int step = 0; step < 20 && !(has[0] && has[1]); ++step) {
      for (const int end : {0, 1}) {
        if (has[end]) continue;
        const auto state = (end == 0 ? client : server)->shake_hands();
        if (state == TlsStream::Handshake::failed) return false;
        has[end] = state == TlsStream::Handshake::done;
      }
    }
    return has[0] && has[1];
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tls_stream)

BOOST_AUTO_TEST_CASE(both_ends_prove_the_key_and_the_server_learns_its_name) {
  const Ends ends{key, *TlsContext::for_server(key)};
  BOOST_TEST(ends.shake());
  BOOST_TEST(ends.server->key() == key.name);
}

BOOST_AUTO_TEST_CASE(a_wrong_secret_or_name_fails_at_both_ends) {
  for (const auto& wrong : {ports::TransportKey{key.name, "guessed"}, ports::TransportKey{"another", key.secret}}) {
    const Ends ends{wrong, *TlsContext::for_server(key)};
    BOOST_TEST(!ends.shake());
    BOOST_TEST((ends.server->shake_hands() == TlsStream::Handshake::failed));
    BOOST_TEST((ends.client->shake_hands() == TlsStream::Handshake::failed));
    BOOST_TEST(!ends.client->error().empty());
  }
}

BOOST_AUTO_TEST_CASE(a_server_finds_the_secret_of_each_name) {
  const auto server = *TlsContext::for_server([](const std::string& name) -> std::optional<std::string> {
    if (name == "gone") return std::nullopt;
    return "secret of " + name;
  });
  for (const std::string name : {"a", "b"}) {
    const Ends ends{{name, "secret of " + name}, server};
    BOOST_TEST(ends.shake());
    BOOST_TEST(ends.server->key() == name);
  }
  BOOST_TEST(!(Ends{{"gone", "secret of gone"}, server}.shake()));
}

BOOST_AUTO_TEST_CASE(a_key_needs_a_name_and_a_secret) {
  BOOST_TEST(!TlsContext::for_client({"", "secret"}));
  BOOST_TEST(!TlsContext::for_client({"name", ""}));
  BOOST_TEST(!TlsContext::for_client({std::string(300, 'n'), "secret"}));
}

BOOST_AUTO_TEST_CASE(bytes_of_any_amount_arrive_unchanged_in_both_directions) {
  const Ends ends{key, *TlsContext::for_server(key)};
  BOOST_REQUIRE(ends.shake());
  std::mt19937_64 random{3};
  for (const std::size_t size : {1UL, 16'384UL, 16'385UL, 3'000'000UL}) {
    std::string sent(size, '\0');
    std::generate(sent.begin(), sent.end(), [&random] { return static_cast<char>(random()); });
    for (const bool is_to_server : {true, false}) {
      auto& from = is_to_server ? *ends.client : *ends.server;
      auto& to = is_to_server ? *ends.server : *ends.client;
      std::string got;
      for (std::size_t done = 0; got.size() < size;) {
        std::size_t put = 0;
        BOOST_REQUIRE((from.write(sent.data() + done, size - done, put) != ports::Transfer::closed));
        done += put;
        std::string piece(50'000, '\0');
        std::size_t read = 0;
        BOOST_REQUIRE((to.read(piece.data(), piece.size(), read) != ports::Transfer::closed));
        got += piece.substr(0, read);
      }
      BOOST_TEST((got == sent));
      BOOST_TEST(!to.has_buffered());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_closed_peer_is_seen_by_reads_and_writes_without_a_signal) {
  Ends ends{key, *TlsContext::for_server(key)};
  BOOST_REQUIRE(ends.shake());
  ends.server.reset();
  char byte = 'x';
  std::size_t moved = 0;
  BOOST_TEST((ends.client->read(&byte, 1, moved) == ports::Transfer::closed));
  auto written = ports::Transfer::done;
  for (int i = 0; i < 10 && written != ports::Transfer::closed; ++i) written = ends.client->write(&byte, 1, moved);
  BOOST_TEST((written == ports::Transfer::closed));
}

BOOST_AUTO_TEST_CASE(changed_bytes_end_the_connection) {
  Ends ends{key, *TlsContext::for_server(key)};
  BOOST_REQUIRE(ends.shake());
  const std::string forged{
      "\x17\x03\x03\x00\x11"
      "sixteen bytes....",
      22};
  BOOST_REQUIRE(::send(ends.client->descriptor(), forged.data(), forged.size(), 0) == std::ssize(forged));
  char byte = 0;
  std::size_t got = 0;
  BOOST_TEST((ends.server->read(&byte, 1, got) == ports::Transfer::closed));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tls_stream_test
}  // namespace heddle::work
