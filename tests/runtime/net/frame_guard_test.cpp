// Goal: the guard passes what heddle's processes send each other, and ends a connection at the first forbidden frame.
// Method: frames built in memory, whole and cut at every byte.
#include "runtime/net/frame_guard.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "model/random_stream.hpp"
#include "tests/support/decoder_memory.hpp"

namespace heddle::runtime {
namespace frame_guard_test {
namespace {

constexpr std::uint8_t server_handshake = 0, client_handshake = 1, direct_message = 2, routed_message = 3, monitor = 4,
                       down = 5, heartbeat = 6;
constexpr std::uint64_t published_actor = 7, shown_actor = 12, hidden_actor = 13;
constexpr std::uint8_t named_receiver = 1;

std::string number(std::uint64_t value, int width) {
  std::string bytes;
  for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

struct Frame {
  std::uint8_t operation = direct_message;
  std::uint8_t flags = 0;
  std::uint64_t data = 0;
  std::uint64_t sender = 40;
  std::uint64_t receiver = published_actor;
  std::string payload = {};

  [[nodiscard]] std::string bytes() const { return bytes(payload.size()); }
  /// With another payload size in the header.
  [[nodiscard]] std::string bytes(std::size_t size) const {
    std::string made{static_cast<char>(operation), '\0', '\0', static_cast<char>(flags)};
    return made + number(size, 4) + number(data, 8) + number(sender, 8) + number(receiver, 8) + payload;
  }
};

/// Payload of a message: no stages, names of its types, content.
std::string message(const std::string& types, const std::string& content = "content") {
  return std::string(3, '\0') + static_cast<char>(types.size()) + types + content;
}

const std::string own = node_bytes(1, 2);
const std::string peer = node_bytes(3, 4);
const std::string other = node_bytes(5, 6);

Frame handshake_of_client() { return {client_handshake, 0, 0, 0, 0, peer}; }
Frame handshake_of_server() { return {server_handshake, 0, 3, 0, 0, peer + std::string(20, 'x')}; }
Frame to(std::uint64_t receiver) { return {direct_message, 0, 0, 40, receiver, message("@<>+heddle::Heartbeat")}; }
Frame with_types(const std::string& types) { return {direct_message, 0, 0, 40, published_actor, message(types)}; }
Frame greeting() {
  const auto atom = [](std::string_view text) {
    std::uint64_t made = 0xF;
    for (const char letter : text)
      made =
          made << 6 | std::string_view{" 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"}.find(letter);
    return made;
  };
  return {direct_message,
          named_receiver,
          0,
          40,
          atom("SpawnServ"),
          message("@<>+@atom+@atom+@str", number(atom("sys"), 8) + number(atom("get"), 8) +
                                              "\x04"
                                              "info")};
}

/// A guard of a server, after the handshake.
struct Guarded {
  ActorNumbers published;
  ActorNumbers shown;
  FrameGuard guard;
  explicit Guarded(bool is_server = true, bool is_greeted = true, std::uint32_t payload_max = 1000)
      : guard{GuardRules{is_server, own, peer, payload_max}, published, shown} {
    published.insert(published_actor);
    shown.insert(shown_actor);
    if (is_greeted) BOOST_REQUIRE((read((is_server ? handshake_of_client() : handshake_of_server()).bytes()) == ""));
  }

  /// Reads a stream in pieces; returns why it is refused, or "". `passed`: the bytes that CAF would read.
  std::string read(std::string stream, std::size_t piece = 1'000'000, std::string* passed = nullptr) {
    std::string undecided;
    while (!stream.empty()) {
      undecided += stream.substr(0, piece);
      stream.erase(0, piece);
      for (bool waits = false; !waits && !undecided.empty();) {
        const auto decision = guard.decide(undecided);
        switch (decision.action) {
          case FrameGuard::Action::refuse: BOOST_TEST(*decision.why != '\0'); return decision.why;
          case FrameGuard::Action::wait:
            BOOST_TEST(decision.bytes > undecided.size());
            waits = true;
            break;
          case FrameGuard::Action::pass:
            if (passed != nullptr) *passed += undecided.substr(0, decision.bytes);
            [[fallthrough]];
          case FrameGuard::Action::swallow:
            BOOST_REQUIRE(decision.bytes > 0);
            BOOST_REQUIRE(decision.bytes <= undecided.size());
            undecided.erase(0, decision.bytes);
        }
      }
    }
    return "";
  }
  [[nodiscard]] bool refuses(const Frame& frame) { return read(frame.bytes()) != ""; }
};

bool is_refused(const Frame& frame) { return Guarded{}.refuses(frame); }

}  // namespace

BOOST_AUTO_TEST_SUITE(frame_guard)

BOOST_AUTO_TEST_CASE(a_stream_of_allowed_frames_passes_whole_in_pieces_of_any_size) {
  std::string stream;
  for (const auto& frame :
       {to(published_actor), to(shown_actor), with_types("@<>"), with_types("@<>+error"),
        Frame{monitor, 0, 0, 0, shown_actor, peer + own}, Frame{down, 0, 0, 40, 0, peer + own + "reason"},
        Frame{heartbeat, 0, 0, 0, 0, ""}, Frame{client_handshake, 2, 0, 0, 0, peer}})
    stream += frame.bytes();
  for (const std::size_t piece : {1U, 2U, 31U, 32U, 33U, 64U, 1000U}) {
    Guarded guarded;
    std::string passed;
    BOOST_TEST(guarded.read(stream, piece, &passed) == "");
    BOOST_TEST((passed == stream));
  }
}

BOOST_AUTO_TEST_CASE(the_rest_of_a_long_payload_passes_without_a_look) {
  Guarded guarded;
  Frame frame = to(published_actor);
  frame.payload += std::string(900, 'x');
  const auto bytes = frame.bytes();
  const auto decision = guarded.guard.decide(bytes.substr(0, 300));
  BOOST_TEST((decision.action == FrameGuard::Action::pass));
  BOOST_TEST(decision.bytes == 32 + 256U);
  BOOST_TEST(guarded.guard.passing() == frame.payload.size() - 256);
  guarded.guard.pass(guarded.guard.passing());
  BOOST_TEST(guarded.read(bytes) == "");
}

BOOST_AUTO_TEST_CASE(the_greeting_of_caf_is_swallowed_once) {
  Guarded guarded;
  std::string passed;
  BOOST_TEST(guarded.read(greeting().bytes() + to(shown_actor).bytes(), 7, &passed) == "");
  BOOST_TEST((passed == to(shown_actor).bytes()));
  BOOST_TEST(guarded.refuses(greeting()));
}

BOOST_AUTO_TEST_CASE(messages_to_named_actors_are_refused) {
  auto changed = greeting();
  changed.payload.back() = 'x';
  BOOST_TEST(is_refused(changed));
  changed = greeting();
  changed.receiver ^= 1;
  BOOST_TEST(is_refused(changed));
  changed = to(published_actor);
  changed.flags = named_receiver;
  BOOST_TEST(is_refused(changed));
}

BOOST_AUTO_TEST_CASE(frames_before_the_handshake_are_refused) {
  for (const bool is_server : {true, false}) {
    for (const auto& frame :
         {to(published_actor), greeting(), Frame{heartbeat, 0, 0, 0, 0, ""},
          Frame{monitor, 0, 0, 0, shown_actor, peer + own}, is_server ? handshake_of_server() : handshake_of_client()})
      BOOST_TEST((Guarded{is_server, false}.refuses(frame)));
  }
}

BOOST_AUTO_TEST_CASE(unknown_operations_and_routed_messages_are_refused) {
  for (int operation = 7; operation < 256; ++operation)
    BOOST_TEST(is_refused({static_cast<std::uint8_t>(operation), 0, 0, 40, published_actor, "payload"}));
  BOOST_TEST(is_refused({routed_message, 0, 0, 40, published_actor, peer + own + message("@<>+heddle::Heartbeat")}));
}

BOOST_AUTO_TEST_CASE(empty_and_over_long_payloads_are_refused) {
  for (const std::uint8_t operation : {server_handshake, client_handshake, direct_message, monitor, down})
    BOOST_TEST(is_refused({operation, 0, 3, 40, published_actor, ""}));
  BOOST_TEST(is_refused({heartbeat, 0, 0, 0, 0, "x"}));
  Guarded guarded;
  BOOST_TEST(guarded.read(to(published_actor).bytes(1001)) != "");
  BOOST_TEST((Guarded{}.read(to(published_actor).bytes(0xFFFFFFFF)) != ""));
  // Handshakes, monitor and down operations are short, whatever the maximum is.
  Guarded large{true, true, 1U << 30};
  BOOST_TEST(large.read(Frame{down, 0, 0, 40, 0, peer + own}.bytes(70'000)) != "");
}

BOOST_AUTO_TEST_CASE(receivers_that_the_peer_was_not_shown_are_refused) {
  BOOST_TEST(is_refused(to(hidden_actor)));
  BOOST_TEST(is_refused(to(0)));
  BOOST_TEST(is_refused({monitor, 0, 0, 0, hidden_actor, peer + own}));
}

BOOST_AUTO_TEST_CASE(a_sender_becomes_a_receiver_once_its_message_was_sent) {
  for (const std::size_t piece : {1U, 5U, 32U, 1000U}) {
    Guarded guarded;
    const std::string stream = Frame{direct_message, 0, 0, hidden_actor, 99, message("@<>+heddle::Heartbeat")}.bytes() +
                               Frame{heartbeat, 0, 0, 0, 0, ""}.bytes() +
                               Frame{direct_message, 0, 0, 14, 99, std::string(500, 'x')}.bytes();
    for (std::size_t at = 0; at < stream.size(); at += piece)
      guarded.guard.follow_outgoing(std::string_view{stream}.substr(at, piece));
    BOOST_TEST(!guarded.refuses(to(hidden_actor)));
    BOOST_TEST(!guarded.refuses(to(14)));
    BOOST_TEST(guarded.refuses(to(15)));
  }
}

BOOST_AUTO_TEST_CASE(system_messages_of_caf_and_foreign_types_are_refused) {
  for (const char* types :
       {"@<>+@exit", "@<>+@down", "@<>+@exit_msg", "@<>+@down_msg", "@<>+@atom+@strong_actor_ptr", "@<>+@group",
        "@<>+@group_down", "@<>+@timeout", "@<>+@atom", "@<>+@str", "@<>+heddle::Heartbeat+@strong_actor_ptr",
        "@<>+@atom+heddle::Heartbeat", "heddle::Heartbeat", "", "@<>+heddles", "@<>+error+error"})
    BOOST_TEST(is_refused(with_types(types)), types);
}

BOOST_AUTO_TEST_CASE(stages_numbered_types_and_cut_messages_are_refused) {
  auto frame = to(published_actor);
  frame.payload[0] = 1;  // a stage
  BOOST_TEST(is_refused(frame));
  frame = to(published_actor);
  frame.payload[2] = 1;  // a type by number
  BOOST_TEST(is_refused(frame));
  for (std::size_t size = 1; size < std::string_view{"\0\0\0\x15@<>+heddle::Heartbeat", 25}.size(); ++size) {
    frame = to(published_actor);
    frame.payload.resize(size);
    BOOST_TEST(is_refused(frame));
  }
}

BOOST_AUTO_TEST_CASE(operations_for_other_nodes_are_refused) {
  for (const auto& nodes : {other + own, peer + other, own + peer, peer, peer + own.substr(1)}) {
    BOOST_TEST(is_refused({monitor, 0, 0, 0, shown_actor, nodes}));
    BOOST_TEST(is_refused({down, 0, 0, 40, 0, nodes}));
  }
  BOOST_TEST(is_refused({monitor, 0, 0, 0, shown_actor, peer + own + "x"}));
  BOOST_TEST(is_refused({down, 0, 0, 0, 0, peer + own}));
}

BOOST_AUTO_TEST_CASE(a_handshake_names_the_node_of_the_hello_and_comes_once) {
  for (const bool is_server : {true, false}) {
    auto frame = is_server ? handshake_of_client() : handshake_of_server();
    frame.payload.replace(0, other.size(), other);
    BOOST_TEST((Guarded{is_server, false}.refuses(frame)));
    frame.payload = peer.substr(1);
    BOOST_TEST((Guarded{is_server, false}.refuses(frame)));
  }
  auto old = handshake_of_server();
  old.data = 2;
  BOOST_TEST((Guarded{false, false}.refuses(old)));
  BOOST_TEST((Guarded{false, true}.refuses(handshake_of_server())));
  Guarded server;
  BOOST_TEST(!server.refuses({client_handshake, 2, 0, 0, 0, peer}));  // the client selects this connection
  BOOST_TEST(server.refuses(handshake_of_client()));
}

BOOST_AUTO_TEST_CASE(unknown_flags_and_padding_are_refused) {
  for (int flags = 1; flags < 256; ++flags)
    BOOST_TEST(is_refused({direct_message, static_cast<std::uint8_t>(flags), 0, 40, shown_actor, message("@<>")}));
  for (const std::size_t padding : {1U, 2U}) {
    auto bytes = to(published_actor).bytes();
    bytes[padding] = 1;
    BOOST_TEST((Guarded{}.read(bytes) != ""));
  }
}

// Whatever the bytes are, the guard decides, and never passes more than it was given.
BOOST_AUTO_TEST_CASE(a_hostile_peer_makes_the_guard_use_little_memory) {
  Frame monitored = {monitor, 0, 0, 0, published_actor, peer + own};
  Frame ended = {down, 0, 0, 40, published_actor, peer + own + std::string(5, '\0')};
  std::string of_many_senders;
  for (std::uint64_t sender = 100; of_many_senders.size() < tests::hostile_bytes; ++sender)
    of_many_senders += Frame{down, 0, 0, sender, sender, peer + own + std::string(5, '\0')}.bytes();
  for (const auto& stream : {tests::repeated(to(published_actor).bytes()), tests::repeated(monitored.bytes()),
                             tests::repeated(ended.bytes()), of_many_senders, tests::repeated(Frame{heartbeat}.bytes()),
                             to(published_actor).bytes(999'999'999),
                             to(published_actor).bytes(16U << 20) + tests::repeated("x"), tests::repeated("\xff")}) {
    tests::check_decoder_memory("frames", [&] {
      Guarded guarded{true, true, 16U << 20};
      std::string_view left = stream;
      while (!left.empty()) {
        const auto decision = guarded.guard.decide(left);
        if (decision.action == FrameGuard::Action::refuse || decision.action == FrameGuard::Action::wait) break;
        left.remove_prefix(decision.bytes);
      }
    });
  }
}

BOOST_AUTO_TEST_CASE(damaged_streams_are_decided_in_every_state) {
  RandomStream random{9};
  for (int round = 0; round < 20'000; ++round) {
    std::string stream =
        greeting().bytes() + to(published_actor).bytes() + Frame{monitor, 0, 0, 0, 12, peer + own}.bytes();
    for (auto changes = random.below(4); changes > 0; --changes)
      stream[random.below(stream.size())] = static_cast<char>(random.next());
    std::string passed;
    Guarded guarded;
    static_cast<void>(guarded.read(stream, 1 + random.below(100), &passed));
    BOOST_REQUIRE(passed.size() <= stream.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace frame_guard_test
}  // namespace heddle::runtime
