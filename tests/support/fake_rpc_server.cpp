#include "tests/support/fake_rpc_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "interop/hadoop/digest_md5.hpp"
#include "interop/hadoop/proto/rpc_header.pb.h"
#include "interop/hadoop/rpc_frames.hpp"

namespace heddle::tests {
namespace {

using namespace interop;
constexpr std::chrono::seconds patience{20};
constexpr std::uint32_t sasl_id = 0xFFFFFFDF;
constexpr std::size_t preamble_bytes = 7;

proto::SaslMessage::Authentication offer_of(const std::string& method, const std::string& challenge) {
  proto::SaslMessage::Authentication offer;
  offer.set_method(method);
  offer.set_mechanism(method == "TOKEN" ? "DIGEST-MD5" : method == "KERBEROS" ? "GSSAPI" : "");
  offer.set_protocol("");
  offer.set_server_id("default");
  if (!challenge.empty()) offer.set_challenge(challenge);
  return offer;
}

}  // namespace

class FakeRpcServer::Service {
public:
  Service(Handler handler, FakeServerSettings settings) : handler_{std::move(handler)}, settings_{std::move(settings)} {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(settings_.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0)
      throw std::runtime_error{"the fake server cannot listen"};
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread{[this] { accept_all(); }};
  }

  ~Service() {
    {
      const std::lock_guard lock{mutex_};
      is_stopping_ = true;
      ::shutdown(listener_, SHUT_RDWR);
      for (auto& peer : peers_)
        if (!peer.has_ended) ::shutdown(peer.socket, SHUT_RDWR);
    }
    acceptor_.join();
    for (auto& peer : peers_) {
      peer.thread.join();
      ::close(peer.socket);
    }
    ::close(listener_);
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// State of one connection.
  struct Peer {
    int socket = -1;
    std::thread thread;
    bool has_ended = false;
    std::string user;
    std::string protocol;
    bool has_context = false;
    std::string offered;  // SASL: the offer without its challenge
    std::string nonce;
    std::optional<IntegrityLayer> layer;
    bool is_authenticated = false;
  };

  void accept_all() {
    while (true) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const std::lock_guard lock{mutex_};
      if (socket < 0 || is_stopping_) {
        if (socket >= 0) ::close(socket);
        return;
      }
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      ++connections_;
      auto& peer = peers_.emplace_back();
      peer.socket = socket;
      peer.thread = std::thread{[this, &peer] {
        serve(peer);
        const std::lock_guard end{mutex_};
        ::shutdown(peer.socket, SHUT_RDWR);
        peer.has_ended = true;
        changed_.notify_all();
      }};
      changed_.notify_all();
    }
  }

  void serve(Peer& peer) {
    FrameReader frames{frame_length_max};
    std::string start;
    char buffer[16 << 10];
    while (true) {
      const ssize_t count = ::recv(peer.socket, buffer, sizeof buffer, 0);
      if (count <= 0) return;
      const std::lock_guard lock{mutex_};
      if (settings_.is_silent) continue;
      if (!settings_.greeting.empty()) return send(peer, settings_.greeting);
      std::string_view bytes{buffer, static_cast<std::size_t>(count)};
      if (start.size() < preamble_bytes) {
        const auto missing = std::min(preamble_bytes - start.size(), bytes.size());
        start += bytes.substr(0, missing);
        bytes.remove_prefix(missing);
        if (start.size() < preamble_bytes) continue;
        if (!take_preamble(peer, start)) return;
      }
      frames.add(bytes);
      while (const auto frame = frames.next())
        if (!take_frame(peer, *frame, false)) return;
      if (frames.wrong_length()) return violate("a frame has a wrong length");
    }
  }

  bool take_preamble(Peer& peer, const std::string& start) {
    if (start.substr(0, 6) != std::string{"hrpc\x09\x00", 6}) return violate("wrong preamble"), false;
    const bool has_sasl = start[6] == '\xdf';
    if (!has_sasl && start[6] != '\0') return violate("unknown authentication in the preamble"), false;
    const bool wants_sasl = !settings_.tokens.empty() || !settings_.offers.empty();
    if (!has_sasl && wants_sasl) {
      fail(peer, 0xFFFFFFFF, "org.apache.hadoop.security.AccessControlException",
           "SIMPLE authentication is not enabled.  Available:[TOKEN]");
      return false;
    }
    peer.is_authenticated = !has_sasl;
    return true;
  }

  bool take_frame(Peer& peer, std::string_view frame, bool is_inner) {
    const auto bytes = take_delimited(frame);
    proto::RpcRequestHeader header;
    if (!bytes || !header.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
      return violate("a frame without request header"), false;
    if (header.rpc_kind() != proto::RPC_PROTOCOL_BUFFER || header.operation() != proto::RpcRequestHeader::FINAL_PACKET)
      return violate("wrong kind or operation of a request"), false;
    if (header.call_id() == -33) return take_sasl(peer, header, frame, is_inner);
    if (!peer.is_authenticated) return violate("a request before the authentication"), false;
    if (peer.layer && !is_inner) return violate("a request without the agreed protection"), false;
    if (header.client_id().size() != 16) return violate("a client id without 16 bytes"), false;
    if (header.call_id() == -4) {
      ++pings_;
      changed_.notify_all();
      return frame.empty() || (violate("a ping with content"), false);
    }
    if (header.call_id() == -3) return take_context(peer, frame);
    return take_call(peer, header, frame);
  }

  bool take_context(Peer& peer, std::string_view frame) {
    const auto bytes = take_delimited(frame);
    proto::ConnectionContext context;
    if (peer.has_context || !bytes || !frame.empty() ||
        !context.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
      return violate("a second or malformed connection context"), false;
    peer.has_context = true;
    peer.protocol = context.protocol();
    if (!settings_.tokens.empty() && context.user().has_effective_user())
      return violate("a context with a token names a user"), false;
    if (settings_.tokens.empty()) peer.user = context.user().effective_user();
    return true;
  }

  bool take_call(Peer& peer, const proto::RpcRequestHeader& header, std::string_view frame) {
    const auto request_bytes = take_delimited(frame);
    const auto message = take_delimited(frame);
    proto::RequestHeader request;
    if (!peer.has_context || !request_bytes || !message || !frame.empty() ||
        !request.ParseFromArray(request_bytes->data(), static_cast<int>(request_bytes->size())))
      return violate("a call without context, or malformed"), false;
    if (request.protocol() != peer.protocol || request.protocol_version() != 1)
      return violate("a call of another protocol than its context"), false;
    if (header.call_id() < 0 || header.retry_count() < 0) return violate("a negative call id or retry count"), false;
    const auto key = std::pair{header.client_id(), header.call_id()};
    const auto cached = answers_.find(key);
    if (settings_.has_retry_cache && cached != answers_.end()) {
      if (header.retry_count() <= 0) return violate("a repeated call id without a retry count"), false;
      auto again = cached->second;
      again.delivery = FakeAnswer::Delivery::once;
      return deliver(peer, header.call_id(), again);
    }
    const FakeCall call{request.method(),   request.protocol(), std::string{*message}, peer.user,
                        header.client_id(), header.call_id(),   header.retry_count()};
    calls_.push_back(call);
    changed_.notify_all();
    const auto answer = handler_(call);
    answers_[key] = answer;
    return deliver(peer, header.call_id(), answer);
  }

  bool deliver(Peer& peer, std::int32_t call_id, const FakeAnswer& answer) {
    using Delivery = FakeAnswer::Delivery;
    const auto frame = frame_of(call_id, answer);
    switch (answer.delivery) {
      case Delivery::once: send_protected(peer, frame); break;
      case Delivery::twice:
        send_protected(peer, frame);
        send_protected(peer, frame);
        break;
      case Delivery::lost: return false;
      case Delivery::cut: send(peer, frame.substr(0, frame.size() / 2)); return false;
      case Delivery::held: held_.push_back([this, &peer, frame] { send_protected(peer, frame); }); break;
      case Delivery::wrong_id:
        send_protected(peer, frame_of(call_id + 1000, answer));
        send_protected(peer, frame);
        break;
      case Delivery::malformed: send_protected(peer, frame_of(call_id, {"\xff\xff\xff", {}, {}})); break;
    }
    return !answer.is_fatal;
  }

  static std::string frame_of(std::int32_t call_id, const FakeAnswer& answer) {
    proto::RpcResponseHeader header;
    header.set_call_id(static_cast<std::uint32_t>(call_id));
    header.set_server_version(9);
    std::string frame;
    if (answer.java_class.empty()) {
      header.set_status(proto::RpcResponseHeader::SUCCESS);
      append_frame(frame, {header.SerializeAsString(), answer.bytes});
      return frame;
    }
    header.set_status(answer.is_fatal ? proto::RpcResponseHeader::FATAL : proto::RpcResponseHeader::ERROR);
    header.set_exception_class(answer.java_class);
    header.set_error_text(answer.text);
    append_frame(frame, {header.SerializeAsString()});
    return frame;
  }

  void fail(Peer& peer, std::uint32_t call_id, const std::string& java_class, const std::string& text) {
    FakeAnswer answer{{}, java_class, text};
    answer.is_fatal = true;
    send(peer, frame_of(static_cast<std::int32_t>(call_id), answer));
  }

  void send_sasl(Peer& peer, const proto::SaslMessage& message) {
    FakeAnswer answer;
    answer.bytes = message.SerializeAsString();
    send(peer, frame_of(static_cast<std::int32_t>(sasl_id), answer));
  }

  bool take_sasl(Peer& peer, const proto::RpcRequestHeader& header, std::string_view frame, bool is_inner) {
    const auto bytes = take_delimited(frame);
    proto::SaslMessage message;
    if (is_inner || !bytes || !frame.empty() || !header.client_id().empty() || header.retry_count() != -1 ||
        !message.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
      return violate("a malformed SASL message"), false;
    switch (message.state()) {
      case proto::SaslMessage::NEGOTIATE: return offer(peer);
      case proto::SaslMessage::INITIATE: return check_response(peer, message);
      case proto::SaslMessage::WRAP: return unwrap(peer, message.token());
      default: return violate("a SASL message of a server"), false;
    }
  }

  bool offer(Peer& peer) {
    proto::SaslMessage message;
    if (settings_.offers == "none") {
      message.set_state(proto::SaslMessage::SUCCESS);
      send_sasl(peer, message);
      return true;
    }
    peer.nonce = "nonce-" + std::to_string(connections_);
    const auto challenge = "realm=\"default\",nonce=\"" + peer.nonce + "\",qop=\"" + settings_.protection +
                           "\",charset=utf-8,algorithm=md5-sess";
    const auto method = settings_.offers.empty() ? "TOKEN" : settings_.offers;
    message.set_state(proto::SaslMessage::NEGOTIATE);
    *message.add_authentications() = offer_of("KERBEROS", {});
    *message.add_authentications() = offer_of(method, method == "TOKEN" ? challenge : std::string{});
    peer.offered = offer_of(method, {}).SerializeAsString();
    send_sasl(peer, message);
    return true;
  }

  bool check_response(Peer& peer, const proto::SaslMessage& message) {
    if (message.authentications_size() != 1 || message.authentications(0).SerializeAsString() != peer.offered)
      return violate("the client chose something that was not offered"), false;
    const auto directives = parse_digest_directives(message.token());
    if (!directives) return violate("a malformed digest response"), false;
    std::map<std::string, std::string> sent{directives->begin(), directives->end()};
    for (const auto& token : settings_.tokens) {
      const DigestExchange exchange{base64_of(token.identifier),
                                    base64_of(token.password),
                                    sent["realm"],
                                    peer.nonce,
                                    sent["cnonce"],
                                    sent["digest-uri"],
                                    sent["qop"]};
      if (sent["username"] != exchange.user) continue;
      if (sent["response"] != *digest_response(exchange, DigestSide::client) || sent["nc"] != "00000001" ||
          sent["digest-uri"] != "/default" || sent["nonce"] != peer.nonce)
        break;
      proto::SaslMessage success;
      success.set_state(proto::SaslMessage::SUCCESS);
      success.set_token("rspauth=" + (settings_.has_wrong_proof ? std::string(32, '0')
                                                                : *digest_response(exchange, DigestSide::server)));
      send_sasl(peer, success);
      if (sent["qop"] == "auth-int") peer.layer.emplace(*IntegrityLayer::of(exchange, DigestSide::server));
      peer.user = token.identifier;
      return peer.is_authenticated = true;
    }
    fail(peer, sasl_id, "org.apache.hadoop.security.token.SecretManager$InvalidToken", "the token is unknown");
    return false;
  }

  bool unwrap(Peer& peer, const std::string& wrapped) {
    if (!peer.layer) return violate("a protected message without agreement"), false;
    auto inner = peer.layer->unwrap(wrapped);
    if (!inner) return violate(inner.error().text), false;
    FrameReader frames{frame_length_max};
    frames.add(*inner);
    while (const auto frame = frames.next())
      if (!take_frame(peer, *frame, true)) return false;
    return true;
  }

  void send_protected(Peer& peer, const std::string& frame) {
    if (!peer.layer) return send(peer, frame);
    proto::SaslMessage message;
    message.set_state(proto::SaslMessage::WRAP);
    message.set_token(peer.layer->wrap(frame));
    send_sasl(peer, message);
  }

  static void send(Peer& peer, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(peer.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  void violate(const std::string& text) {
    if (violation_.empty()) violation_ = text;
  }

  template <class Condition>
  bool wait(Condition is_met) const {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, patience, is_met);
  }

  Handler handler_;
  FakeServerSettings settings_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::thread acceptor_;
  mutable std::mutex mutex_;  // of everything below
  mutable std::condition_variable changed_;
  std::list<Peer> peers_;
  std::map<std::pair<std::string, std::int32_t>, FakeAnswer> answers_;
  std::vector<FakeCall> calls_;
  std::vector<std::function<void()>> held_;
  std::string violation_;
  int connections_ = 0;
  int pings_ = 0;
  bool is_stopping_ = false;
};

FakeRpcServer::FakeRpcServer(Handler handler, FakeServerSettings settings)
    : service_{std::make_unique<Service>(std::move(handler), std::move(settings))} {}

FakeRpcServer::~FakeRpcServer() = default;

std::string FakeRpcServer::address() const { return "127.0.0.1:" + std::to_string(service_->port_); }

std::uint16_t FakeRpcServer::port() const { return service_->port_; }

std::vector<FakeCall> FakeRpcServer::calls() const {
  const std::lock_guard lock{service_->mutex_};
  return service_->calls_;
}

int FakeRpcServer::connections() const {
  const std::lock_guard lock{service_->mutex_};
  return service_->connections_;
}

int FakeRpcServer::pings() const {
  const std::lock_guard lock{service_->mutex_};
  return service_->pings_;
}

bool FakeRpcServer::wait_for_calls(std::size_t count) const {
  return service_->wait([&] { return service_->calls_.size() >= count; });
}

bool FakeRpcServer::wait_for_pings(int count) const {
  return service_->wait([&] { return service_->pings_ >= count; });
}

bool FakeRpcServer::wait_until_disconnected() const {
  return service_->wait([&] {
    bool has_ended = !service_->peers_.empty();
    for (const auto& peer : service_->peers_) has_ended = has_ended && peer.has_ended;
    return has_ended;
  });
}

void FakeRpcServer::release_held() {
  const std::lock_guard lock{service_->mutex_};
  for (auto held = service_->held_.rbegin(); held != service_->held_.rend(); ++held) (*held)();
  service_->held_.clear();
}

void FakeRpcServer::drop_connections() {
  const std::lock_guard lock{service_->mutex_};
  for (auto& peer : service_->peers_)
    if (!peer.has_ended) ::shutdown(peer.socket, SHUT_RDWR);
}

std::string FakeRpcServer::violation() const {
  const std::lock_guard lock{service_->mutex_};
  return service_->violation_;
}

FakeAnswer exception_of(std::string java_class, std::string text) {
  return {{}, std::move(java_class), std::move(text)};
}

}  // namespace heddle::tests
