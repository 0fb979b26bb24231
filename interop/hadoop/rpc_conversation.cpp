#include "interop/hadoop/rpc_conversation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/proto/rpc_header.pb.h"

namespace heddle::interop {
namespace {

constexpr std::int32_t context_call_id = -3;
constexpr std::int32_t ping_call_id = -4;
constexpr std::int32_t sasl_call_id = -33;
constexpr std::int32_t unauthorized_call_id = -1;
constexpr std::size_t message_bytes_max = 4096;

std::string request_header(std::int32_t call_id, std::string_view client_id, std::int32_t retry_count) {
  proto::RpcRequestHeader header;
  header.set_rpc_kind(proto::RPC_PROTOCOL_BUFFER);
  header.set_operation(proto::RpcRequestHeader::FINAL_PACKET);
  header.set_call_id(call_id);
  header.set_client_id(std::string{client_id});
  header.set_retry_count(retry_count);
  return header.SerializeAsString();
}

std::string preamble(bool has_sasl) {
  std::string bytes{"hrpc\x09\x00", 6};
  return bytes += has_sasl ? '\xdf' : '\x00';
}

RpcFault protocol_fault(std::string text) { return {RpcFault::Kind::protocol, {}, std::move(text), {}}; }
RpcFault refused(std::string text) { return {RpcFault::Kind::refused, {}, std::move(text), {}}; }
RpcFault refused(const Error& error) {
  return error.code == Errc::corrupt ? protocol_fault(error.text) : refused(error.text);
}

RpcFault fault_of_length(std::int32_t length, std::string_view received) {
  if (received.starts_with("HTTP")) return protocol_fault("the peer speaks HTTP, not Hadoop RPC: it is a web port");
  if (length == -1) return protocol_fault("the server does not speak version 9 of Hadoop RPC (Hadoop 2.7 or later)");
  return protocol_fault(
      fmt::format("the peer sent a frame of {} bytes; expected: at most {}. It may be a port of "
                  "another protocol",
                  length, frame_length_max));
}

/// A fatal response: the server closes the connection.
RpcFault fatal_fault(const proto::RpcResponseHeader& header) {
  RpcFault fault{RpcFault::Kind::protocol,
                 header.exception_class(),
                 exception_message(header.exception_class(), header.error_text()),
                 {}};
  if (fault.is("StandbyException") || fault.is("RetriableException")) {
    fault.kind = RpcFault::Kind::remote_exception;
    return fault;
  }
  constexpr std::array<std::string_view, 4> refusals{"AccessControlException", "AuthorizationException",
                                                     "SaslException", "SecretManager$InvalidToken"};
  const auto call_id = static_cast<std::int32_t>(header.call_id());
  const bool is_refusal =
      std::any_of(refusals.begin(), refusals.end(), [&](std::string_view name) { return fault.is(name); });
  if (is_refusal || call_id == sasl_call_id || call_id == unauthorized_call_id ||
      header.error_code() == proto::RpcResponseHeader::FATAL_UNAUTHORIZED)
    fault.kind = RpcFault::Kind::refused;
  return fault;
}

RpcFault exception_fault(const proto::RpcResponseHeader& header) {
  return {RpcFault::Kind::remote_exception,
          header.exception_class(),
          exception_message(header.exception_class(), header.error_text()),
          {}};
}

std::string methods_of(const proto::SaslMessage& message) {
  std::string methods;
  for (const auto& offer : message.authentications())
    methods += (methods.empty() ? "" : ", ") + offer.method().substr(0, 40);
  return methods.empty() ? "nothing" : methods;
}

}  // namespace

std::string exception_message(std::string_view java_class, std::string_view text) {
  text = text.substr(0, std::min(text.find("\n\tat "), message_bytes_max));
  if (!java_class.empty() && text.starts_with(java_class) && text.substr(java_class.size()).starts_with(": "))
    text.remove_prefix(java_class.size() + 2);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return std::string{text};
}

RpcConversation::RpcConversation(ConversationSettings settings) : settings_{std::move(settings)} {
  output_ = preamble(settings_.token.has_value());
  if (!settings_.token) {
    send_context();
    return;
  }
  proto::SaslMessage message;
  message.set_state(proto::SaslMessage::NEGOTIATE);
  append_frame(output_, {request_header(sasl_call_id, {}, -1), message.SerializeAsString()});
}

std::string RpcConversation::take_output() { return std::exchange(output_, {}); }

void RpcConversation::send_frame(std::string frame) {
  if (!layer_) {
    output_ += frame;
    return;
  }
  proto::SaslMessage message;
  message.set_state(proto::SaslMessage::WRAP);
  message.set_token(layer_->wrap(frame));
  append_frame(output_, {request_header(sasl_call_id, {}, -1), message.SerializeAsString()});
}

void RpcConversation::send_context() {
  proto::ConnectionContext context;
  // With a token the server knows the user; a name that differs from the token's owner is refused.
  if (!settings_.token) context.mutable_user()->set_effective_user(settings_.user);
  context.set_protocol(settings_.protocol);
  std::string frame;
  append_frame(frame, {request_header(context_call_id, settings_.client_id, -1), context.SerializeAsString()});
  send_frame(std::move(frame));
  phase_ = Phase::ready;
  frames_.set_length_max(frame_length_max);
}

void RpcConversation::send_call(std::int32_t call_id, std::int32_t retry_count, std::string_view method,
                                std::string_view request) {
  proto::RequestHeader header;
  header.set_method(std::string{method});
  header.set_protocol(settings_.protocol);
  header.set_protocol_version(settings_.version);
  std::string frame;
  append_frame(frame, {request_header(call_id, settings_.client_id, retry_count), header.SerializeAsString(), request});
  send_frame(std::move(frame));
}

void RpcConversation::send_ping() {
  std::string frame;
  append_frame(frame, {request_header(ping_call_id, settings_.client_id, -1)});
  send_frame(std::move(frame));
}

std::optional<RpcFault> RpcConversation::receive(std::string_view bytes, std::vector<CallResponse>& responses) {
  frames_.add(bytes);
  return receive_frames(frames_, false, responses);
}

RpcConversation::Fault RpcConversation::receive_frames(FrameReader& frames, bool is_inner,
                                                       std::vector<CallResponse>& responses) {
  while (const auto frame = frames.next())
    if (auto fault = receive_frame(*frame, is_inner, responses)) return fault;
  if (const auto length = frames.wrong_length()) return fault_of_length(*length, frames.rest());
  return std::nullopt;
}

RpcConversation::Fault RpcConversation::receive_frame(std::string_view frame, bool is_inner,
                                                      std::vector<CallResponse>& responses) {
  const auto header_bytes = take_delimited(frame);
  proto::RpcResponseHeader header;
  if (!header_bytes || !parse_message(*header_bytes, header))
    return protocol_fault("the peer sent a frame without a header of Hadoop RPC");
  if (header.status() == proto::RpcResponseHeader::FATAL) return fatal_fault(header);
  const auto call_id = static_cast<std::int32_t>(header.call_id());
  const bool is_success = header.status() == proto::RpcResponseHeader::SUCCESS;
  if (call_id == sasl_call_id || !is_ready()) {
    if (call_id != sasl_call_id) return protocol_fault("the server sent a response before the authentication ended");
    if (is_inner) return protocol_fault("the server sent a protected message inside of a protected message");
    if (!is_success) return fatal_fault(header);
    return receive_sasl(frame, responses);
  }
  if (layer_ && !is_inner) return protocol_fault("the server sent a response without the agreed protection");
  if (call_id < 0) return is_success ? Fault{} : Fault{fatal_fault(header)};
  if (!is_success) {
    responses.push_back({call_id, exception_fault(header)});
    return std::nullopt;
  }
  const auto body = take_delimited(frame);
  if (!body) return protocol_fault("the peer sent a response without a message");
  responses.push_back({call_id, std::string{*body}});
  return std::nullopt;
}

RpcConversation::Fault RpcConversation::receive_sasl(std::string_view body, std::vector<CallResponse>& responses) {
  const auto bytes = take_delimited(body);
  proto::SaslMessage message;
  if (!bytes || !parse_message(*bytes, message)) return protocol_fault("the peer sent a malformed SASL message");
  switch (message.state()) {
    case proto::SaslMessage::NEGOTIATE:
      if (phase_ == Phase::negotiating) return receive_offers(message);
      break;
    case proto::SaslMessage::SUCCESS:
      // Without the server's proof anyone could answer so, for example to read requests.
      if (phase_ == Phase::negotiating)
        return refused("the server accepts every user (SIMPLE) and does not check the token");
      if (phase_ == Phase::proving) return receive_proof(message.token());
      break;
    case proto::SaslMessage::WRAP:
      if (layer_) return receive_wrapped(message.token(), responses);
      break;
    default: break;
  }
  return protocol_fault(
      fmt::format("the server sent a SASL message of state {} out of order", static_cast<int>(message.state())));
}

RpcConversation::Fault RpcConversation::receive_offers(const proto::SaslMessage& message) {
  for (const auto& offer : message.authentications()) {
    if (offer.method() != "TOKEN" || offer.mechanism() != "DIGEST-MD5") continue;
    digest_.emplace(*settings_.token, offer.protocol(), offer.server_id());
    auto response = digest_->respond(offer.challenge(), settings_.client_nonce);
    if (!response) return refused(response.error());
    proto::SaslMessage reply;
    reply.set_state(proto::SaslMessage::INITIATE);
    reply.set_token(std::move(*response));
    // The server compares this with its offer, field by field.
    auto* chosen = reply.add_authentications();
    *chosen = offer;
    chosen->clear_challenge();
    append_frame(output_, {request_header(sasl_call_id, {}, -1), reply.SerializeAsString()});
    phase_ = Phase::proving;
    return std::nullopt;
  }
  return refused(
      fmt::format("the server offers {} and no TOKEN with DIGEST-MD5; heddle has no other authentication "
                  "for a token (Kerberos is not supported)",
                  methods_of(message)));
}

RpcConversation::Fault RpcConversation::receive_proof(std::string_view token) {
  if (const auto verified = digest_->verify(token); !verified) return refused(verified.error());
  auto layer = digest_->layer();
  if (!layer) return refused(layer.error());
  layer_ = std::move(*layer);
  send_context();
  return std::nullopt;
}

RpcConversation::Fault RpcConversation::receive_wrapped(std::string_view wrapped,
                                                        std::vector<CallResponse>& responses) {
  const auto inner = layer_->unwrap(wrapped);
  if (!inner) return protocol_fault(inner.error().text);
  inner_frames_.add(*inner);
  return receive_frames(inner_frames_, true, responses);
}

}  // namespace heddle::interop
