#include "runtime/net/frame_guard.hpp"

#include <algorithm>
#include <utility>

namespace heddle::runtime {
namespace {

constexpr std::size_t header_bytes = 32;
constexpr std::size_t control_bytes_max = 64 << 10;  // payload of a handshake, a monitor or a down operation
constexpr std::size_t message_head_bytes = 256;      // of a message: enough for the names of its types
constexpr std::uint64_t protocol_version = 3;
constexpr std::uint8_t named_receiver = 1;
constexpr std::uint8_t select_connection = 2;

enum class Operation : std::uint8_t {
  server_handshake = 0,
  client_handshake = 1,
  direct_message = 2,
  monitor = 4,
  down = 5,
  heartbeat = 6,
};

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::string to_big_endian(std::uint64_t number, std::size_t width) {
  std::string bytes(width, '\0');
  for (std::size_t i = 0; i < width; ++i) bytes[width - 1 - i] = static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

/// An atom of CAF: six bits per letter behind 0xF.
constexpr std::uint64_t atom_number(std::string_view text) {
  constexpr std::string_view letters = " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  std::uint64_t number = 0xF;
  for (const char letter : text) number = number << 6 | letters.find(letter);
  return number;
}

constexpr std::uint64_t spawn_server = atom_number("SpawnServ");

/// Takes a text of less than 128 bytes from the front of `bytes`; empty if there is none.
std::string_view take_text(std::string_view& bytes) {
  if (bytes.empty()) return {};
  const auto size = static_cast<unsigned char>(bytes.front());
  if (size >= 128 || bytes.size() < std::size_t{1} + size) return {};
  const auto text = bytes.substr(1, size);
  bytes.remove_prefix(std::size_t{1} + size);
  return text;
}

/// The greeting that CAF itself sends to each new peer: no stages, and the message (sys, get, "info").
const std::string& greeting() {
  static const std::string bytes = [] {
    const std::string_view types = "@<>+@atom+@atom+@str";
    std::string made{'\0', '\0', '\0'};
    made += static_cast<char>(types.size());
    made += types;
    made += to_big_endian(atom_number("sys"), 8) + to_big_endian(atom_number("get"), 8);
    return made +
           "\x04"
           "info";
  }();
  return bytes;
}

/// One message of heddle, an error, or an empty message: an answer without content.
bool is_allowed_type(std::string_view types) {
  constexpr std::string_view message = "@<>+heddle::";
  if (types == "@<>" || types == "@<>+error" || types == "@<>+@error") return true;
  return types.substr(0, message.size()) == message && types.find('+', message.size()) == std::string_view::npos;
}

}  // namespace

struct FrameGuard::Header {
  Operation operation{};
  bool is_padded = false;
  std::uint8_t flags = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t data = 0;
  std::uint64_t sender = 0;
  std::uint64_t receiver = 0;

  explicit Header(std::string_view bytes)
      : operation{static_cast<Operation>(bytes[0])},
        is_padded{bytes[1] != 0 || bytes[2] != 0},
        flags{static_cast<std::uint8_t>(bytes[3])},
        payload_bytes{big_endian(bytes.substr(4, 4))},
        data{big_endian(bytes.substr(8, 8))},
        sender{big_endian(bytes.substr(16, 8))},
        receiver{big_endian(bytes.substr(24, 8))} {}

  [[nodiscard]] bool is_greeting() const {
    return operation == Operation::direct_message && flags == named_receiver && receiver == spawn_server;
  }
  /// Bytes of the payload that must be there for a decision. Of a message its head is enough.
  [[nodiscard]] std::size_t bytes_to_check() const {
    const auto all = static_cast<std::size_t>(payload_bytes);
    return operation == Operation::direct_message ? std::min(all, message_head_bytes) : all;
  }
};

std::string node_bytes(std::uint64_t incarnation_high, std::uint64_t incarnation_low) {
  const auto process = static_cast<std::uint32_t>((incarnation_low >> 32) ^ incarnation_high) | 1U;
  std::string bytes = to_big_endian(atom_number("default"), 8) + to_big_endian(process, 4);
  for (std::size_t i = 0; i < 20; ++i)
    bytes += static_cast<char>((i < 8 ? incarnation_high : incarnation_low) >> (8 * (i % 8)) & 0xFF);
  return bytes;
}

void ActorNumbers::insert(std::uint64_t actor) {
  const std::lock_guard lock{mutex_};
  actors_.insert(actor);
}

bool ActorNumbers::contains(std::uint64_t actor) const {
  const std::lock_guard lock{mutex_};
  return actors_.count(actor) != 0;
}

FrameGuard::FrameGuard(GuardRules rules, const ActorNumbers& published, ActorNumbers& shown)
    : rules_{std::move(rules)}, published_{published}, shown_{shown} {}

bool FrameGuard::is_reachable(std::uint64_t actor) const {
  return actor != 0 && (shown_.contains(actor) || published_.contains(actor));
}

FrameGuard::Decision FrameGuard::decide(std::string_view bytes) {
  if (passing_ > 0) {
    const auto passed = std::min(passing_, bytes.size());
    passing_ -= passed;
    return passed > 0 ? Decision{Action::pass, passed} : Decision{Action::wait, 1};
  }
  if (bytes.size() < header_bytes) return {Action::wait, header_bytes};
  const Header header{bytes.substr(0, header_bytes)};
  if (const char* wrong = check_header(header)) return {Action::refuse, 0, wrong};
  const auto checked = header.bytes_to_check();
  if (bytes.size() < header_bytes + checked) return {Action::wait, header_bytes + checked};
  const auto payload = bytes.substr(header_bytes, checked);
  if (header.is_greeting()) {
    if (is_greeted_ || payload != greeting()) return {Action::refuse, 0, "a message to a named actor"};
    is_greeted_ = true;
    return {Action::swallow, header_bytes + checked};
  }
  if (const char* wrong = check_payload(header, payload)) return {Action::refuse, 0, wrong};
  passing_ = static_cast<std::size_t>(header.payload_bytes) - checked;
  return {Action::pass, header_bytes + checked};
}

/// Returns what is wrong, or nullptr.
const char* FrameGuard::check_header(const Header& header) const {
  if (header.is_padded) return "a damaged frame";
  const bool is_heartbeat = header.operation == Operation::heartbeat;
  if ((header.payload_bytes == 0) != is_heartbeat) return "an operation with a wrong or empty payload";
  if (header.payload_bytes > rules_.payload_max) return "a payload above the maximum";
  if (header.operation != Operation::direct_message && header.payload_bytes > control_bytes_max)
    return "a payload above the maximum of its operation";
  const auto handshake = rules_.is_server ? Operation::client_handshake : Operation::server_handshake;
  if (header.operation == handshake) {
    // A client repeats its handshake to select one of two connections.
    if (handshakes_ >= (rules_.is_server ? 2 : 1)) return "a repeated handshake";
    if (header.flags != 0 && (!rules_.is_server || header.flags != select_connection)) return "unknown flags";
    return rules_.is_server || header.data == protocol_version ? nullptr : "another version of CAF's protocol";
  }
  if (handshakes_ == 0) return "a frame before the handshake";
  if (header.is_greeting()) return nullptr;
  if (header.flags == named_receiver) return "a message to a named actor";
  if (header.flags != 0) return "unknown flags";
  switch (header.operation) {
    case Operation::direct_message:
      return is_reachable(header.receiver) ? nullptr : "a message to an actor that the peer does not know";
    case Operation::monitor:
      return is_reachable(header.receiver) ? nullptr : "monitors an actor that the peer does not know";
    case Operation::down: return header.sender != 0 ? nullptr : "reports the end of no actor";
    case Operation::heartbeat: return nullptr;
    default: return "an operation that heddle does not use";
  }
}

const char* FrameGuard::check_payload(const Header& header, std::string_view payload) {
  switch (header.operation) {
    case Operation::client_handshake:
      if (payload != rules_.peer_node) return "a handshake with another node id than the hello";
      ++handshakes_;
      return nullptr;
    case Operation::server_handshake:
      if (payload.substr(0, rules_.peer_node.size()) != rules_.peer_node)
        return "a handshake with another node id than the hello";
      ++handshakes_;
      return nullptr;
    case Operation::direct_message: return check_message(payload);
    case Operation::monitor:
      if (payload.size() != rules_.peer_node.size() + rules_.own_node.size()) return "a damaged monitor operation";
      return check_nodes(payload);
    case Operation::down: return check_nodes(payload);
    case Operation::heartbeat: return nullptr;
  }
  return "an operation that heddle does not use";
}

/// `payload`: the first bytes of the stages (none), the mark of a named type, and the names of the types.
const char* FrameGuard::check_message(std::string_view payload) const {
  if (payload.size() < 4 || payload.substr(0, 3) != std::string_view{"\0\0\0", 3})
    return "a message with stages or without type names";
  payload.remove_prefix(3);
  return is_allowed_type(take_text(payload)) ? nullptr : "a message type that is not heddle's";
}

const char* FrameGuard::check_nodes(std::string_view payload) const {
  const auto size = rules_.peer_node.size();
  if (payload.substr(0, size) != rules_.peer_node ||
      payload.substr(std::min(size, payload.size()), size) != rules_.own_node)
    return "an operation for other nodes than those of the connection";
  return nullptr;
}

void FrameGuard::follow_outgoing(std::string_view bytes) {
  while (!bytes.empty()) {
    if (outgoing_left_ > 0) {
      const auto skipped = std::min(outgoing_left_, bytes.size());
      outgoing_left_ -= skipped;
      bytes.remove_prefix(skipped);
      continue;
    }
    const auto taken = std::min(head_.size() - head_bytes_, bytes.size());
    std::copy_n(bytes.data(), taken, head_.begin() + static_cast<std::ptrdiff_t>(head_bytes_));
    head_bytes_ += taken;
    bytes.remove_prefix(taken);
    if (head_bytes_ < head_.size()) return;
    head_bytes_ = 0;
    const Header header{{head_.data(), head_.size()}};
    outgoing_left_ = static_cast<std::size_t>(header.payload_bytes);
    if (header.operation == Operation::direct_message && header.sender != 0) shown_.insert(header.sender);
  }
}

}  // namespace heddle::runtime
