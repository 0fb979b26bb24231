// The client's side of one connection as bytes: authentication, requests, responses. No sockets and no clock.
//
//   with a token:  preamble, NEGOTIATE -> offers; INITIATE -> proof (SUCCESS); context; calls
//   SIMPLE:        preamble, context; calls
//
// With protection auth-int all frames after the authentication lie in WRAP messages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interop/hadoop/credential_token.hpp"
#include "interop/hadoop/digest_md5.hpp"
#include "interop/hadoop/rpc_fault.hpp"
#include "interop/hadoop/rpc_frames.hpp"

namespace heddle::interop {

namespace proto {
class SaslMessage;
}

struct ConversationSettings {
  std::string protocol;
  std::uint64_t version = 1;
  std::string user;                      // SIMPLE only
  std::optional<CredentialToken> token;  // none: SIMPLE
  std::string client_id;                 // 16 bytes
  std::string client_nonce;              // printable, random
};

/// Response to one call.
struct CallResponse {
  std::int32_t call_id = 0;
  RpcResult<std::string> result;
};

class RpcConversation {
public:
  explicit RpcConversation(ConversationSettings settings);

  /// True: the connection may carry calls.
  [[nodiscard]] bool is_ready() const { return phase_ == Phase::ready; }
  /// Precondition: is_ready().
  void send_call(std::int32_t call_id, std::int32_t retry_count, std::string_view method, std::string_view request);
  void send_ping();
  /// Returns and removes the bytes to send.
  [[nodiscard]] std::string take_output();
  /// Handles received bytes and appends responses. A fault (without address): the connection must be closed.
  [[nodiscard]] std::optional<RpcFault> receive(std::string_view bytes, std::vector<CallResponse>& responses);

private:
  enum class Phase : std::uint8_t { negotiating, proving, ready };
  using Fault = std::optional<RpcFault>;

  void send_frame(std::string frame);
  void send_context();
  Fault receive_frames(FrameReader& frames, bool is_inner, std::vector<CallResponse>& responses);
  Fault receive_frame(std::string_view frame, bool is_inner, std::vector<CallResponse>& responses);
  Fault receive_sasl(std::string_view body, std::vector<CallResponse>& responses);
  Fault receive_offers(const proto::SaslMessage& message);
  Fault receive_proof(std::string_view token);
  Fault receive_wrapped(std::string_view wrapped, std::vector<CallResponse>& responses);

  ConversationSettings settings_;
  Phase phase_ = Phase::negotiating;
  std::string output_;
  FrameReader frames_{first_frame_length_max};
  FrameReader inner_frames_{frame_length_max};
  std::optional<DigestClient> digest_;
  std::optional<IntegrityLayer> layer_;
};

/// Message of a remote exception without class name and stack trace.
[[nodiscard]] std::string exception_message(std::string_view java_class, std::string_view text);

}  // namespace heddle::interop
