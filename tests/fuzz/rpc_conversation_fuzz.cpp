#include <algorithm>

#include "interop/hadoop/rpc_conversation.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

/// Receives the input in pieces, as a server's bytes.
void receive(const heddle::interop::ConversationSettings& settings, std::string_view input, std::size_t piece) {
  heddle::interop::RpcConversation conversation{settings};
  std::vector<heddle::interop::CallResponse> responses;
  while (!input.empty()) {
    const auto part = input.substr(0, piece);
    input.remove_prefix(part.size());
    if (conversation.receive(part, responses)) break;
    if (conversation.is_ready()) conversation.send_call(0, 0, "method", "request");
    (void)conversation.take_output();
  }
  HEDDLE_ASSERT(!settings.token || conversation.is_ready() || responses.empty(),
                "a response before the authentication");
}

}  // namespace

HEDDLE_FUZZ_TARGET(rpc_conversation) {
  heddle::interop::ConversationSettings settings;
  settings.protocol = "protocol";
  settings.user = "user";
  settings.client_id = std::string(16, 'c');
  settings.client_nonce = "nonce";
  receive(settings, input, std::max<std::size_t>(input.size(), 1));
  receive(settings, input, 7);
  settings.token = heddle::interop::CredentialToken{"identifier", "password", "kind", ""};
  receive(settings, input, std::max<std::size_t>(input.size(), 1));
}
