// The calls of Hadoop RPC in a recorded conversation. Values that differ in each run (client id, nonce, requests,
// token) are read from the record.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interop/hadoop/digest_md5.hpp"
#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/proto/rpc_header.pb.h"
#include "interop/hadoop/rpc_frames.hpp"
#include "interop/hadoop/token_file.hpp"
#include "tests/support/recorded_conversation.hpp"

namespace heddle::tests {

namespace proto = interop::proto;

/// The token with which the client of the conversation has authenticated itself.
inline interop::CredentialToken recorded_token(const std::filesystem::path& folder, const std::string& name) {
  std::ifstream file{folder / (name + ".tokens"), std::ios::binary};
  const auto tokens = interop::parse_token_file(name, std::string{std::istreambuf_iterator<char>{file}, {}});
  BOOST_REQUIRE(tokens.has_value());
  return tokens->tokens.front().second;
}

struct RecordedCall {
  std::int32_t id = 0;
  std::int32_t retry_count = 0;
  std::string method;
  std::string request;
};

/// What the client said, in plain form.
struct ClientSide {
  std::string client_id, client_nonce, user, protocol;
  std::vector<RecordedCall> calls;
};

template <class Message>
Message message_in(std::string_view& bytes) {
  Message message;
  const auto taken = interop::take_delimited(bytes);
  BOOST_REQUIRE((taken && interop::parse_message(*taken, message)));
  return message;
}

inline void take_client_frame(std::string_view frame, ClientSide& client, std::optional<interop::IntegrityLayer>& layer,
                              const interop::CredentialToken* token) {
  const auto header = message_in<proto::RpcRequestHeader>(frame);
  if (header.call_id() >= 0) {
    const auto request = message_in<proto::RequestHeader>(frame);
    client.calls.push_back(
        {header.call_id(), header.retry_count(), request.method(), std::string{*interop::take_delimited(frame)}});
  } else if (header.call_id() == -3) {
    const auto context = message_in<proto::ConnectionContext>(frame);
    client.client_id = header.client_id();
    client.user = context.user().effective_user();
    client.protocol = context.protocol();
  } else if (header.call_id() == -33) {
    const auto message = message_in<proto::SaslMessage>(frame);
    if (message.state() == proto::SaslMessage::INITIATE) {
      const auto directives = interop::parse_digest_directives(message.token());
      BOOST_REQUIRE(directives.has_value());
      std::map<std::string, std::string> sent{directives->begin(), directives->end()};
      client.client_nonce = sent["cnonce"];
      BOOST_REQUIRE(token != nullptr);
      const interop::DigestExchange exchange{interop::base64_of(token->identifier),
                                             interop::base64_of(token->password),
                                             sent["realm"],
                                             sent["nonce"],
                                             sent["cnonce"],
                                             sent["digest-uri"],
                                             sent["qop"]};
      if (sent["qop"] == "auth-int") layer.emplace(*interop::IntegrityLayer::of(exchange, interop::DigestSide::server));
    } else if (message.state() == proto::SaslMessage::WRAP) {
      const auto inner = layer->unwrap(message.token());
      BOOST_REQUIRE(inner.has_value());
      interop::FrameReader frames{interop::frame_length_max};
      frames.add(*inner);
      while (const auto next = frames.next()) take_client_frame(*next, client, layer, token);
    }
  }
}

inline ClientSide client_side(const std::vector<Piece>& pieces, const interop::CredentialToken* token) {
  constexpr std::size_t preamble_bytes = 7;
  ClientSide client;
  std::optional<interop::IntegrityLayer> layer;
  interop::FrameReader frames{interop::frame_length_max};
  bool is_first = true;
  for (const auto& piece : pieces) {
    if (!piece.is_client) continue;
    frames.add(std::string_view{piece.bytes}.substr(std::exchange(is_first, false) ? preamble_bytes : 0));
    while (const auto frame = frames.next()) take_client_frame(*frame, client, layer, token);
  }
  return client;
}

}  // namespace heddle::tests
