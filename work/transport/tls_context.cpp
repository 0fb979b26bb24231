#include "work/transport/tls_context.hpp"

#include <openssl/evp.h>
#include <openssl/ssl.h>

#include <array>
#include <string_view>
#include <utility>

#include "work/transport/tls_stream.hpp"

namespace heddle::work {

struct TlsContext::State {
  SSL_CTX* context = nullptr;
  bool is_server = false;
  ports::TransportKey key;  // of a client
  FindSecret find;          // of a server

  State() = default;
  ~State() { SSL_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static State& of(SSL* tls) { return *static_cast<State*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls))); }
  static int find_session(SSL* tls, const unsigned char* name, std::size_t size, SSL_SESSION** session);
  static int use_session(SSL* tls, const EVP_MD* hash, const unsigned char** name, std::size_t* size,
                         SSL_SESSION** session);
};

namespace {

constexpr std::size_t key_name_bytes_max = 256;
constexpr std::size_t read_buffer_bytes = 64 << 10;  // several records, or many small ones, per system call

/// A session as OpenSSL represents an external key. The key is a hash of the secret, because it must have the length of
/// the hash of the cipher suite.
SSL_SESSION* session_of(SSL* tls, const std::string& secret) {
  constexpr std::array<unsigned char, 2> aes_128_gcm_sha256{0x13, 0x01};
  const std::string labelled = "heddle transport " + secret;
  std::array<unsigned char, 32> key{};
  if (EVP_Digest(labelled.data(), labelled.size(), key.data(), nullptr, EVP_sha256(), nullptr) != 1) return nullptr;
  const SSL_CIPHER* cipher = SSL_CIPHER_find(tls, aes_128_gcm_sha256.data());
  SSL_SESSION* session = SSL_SESSION_new();
  if (session != nullptr && cipher != nullptr && SSL_SESSION_set1_master_key(session, key.data(), key.size()) == 1 &&
      SSL_SESSION_set_cipher(session, cipher) == 1 && SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1)
    return session;
  SSL_SESSION_free(session);
  return nullptr;
}

}  // namespace

/// Without a session the handshake goes on and fails, because a server without certificates has nothing else.
int TlsContext::State::find_session(SSL* tls, const unsigned char* name, std::size_t size, SSL_SESSION** session) {
  *session = nullptr;
  if (size == 0 || size > key_name_bytes_max) return 1;
  std::string key{reinterpret_cast<const char*>(name), size};
  const auto secret = of(tls).find(key);
  if (!secret || secret->empty()) return 1;
  *session = session_of(tls, *secret);
  if (*session == nullptr) return 0;
  TlsStream::set_key(tls, std::move(key));
  return 1;
}

int TlsContext::State::use_session(SSL* tls, const EVP_MD* hash, const unsigned char** name, std::size_t* size,
                                   SSL_SESSION** session) {
  *session = nullptr;
  const auto& key = of(tls).key;
  if (hash != nullptr && EVP_MD_get_type(hash) != NID_sha256) return 1;
  *session = session_of(tls, key.secret);
  if (*session == nullptr) return 0;
  *name = reinterpret_cast<const unsigned char*>(key.name.data());
  *size = key.name.size();
  return 1;
}

Result<std::shared_ptr<TlsContext::State>> TlsContext::make(bool is_server) {
  auto state = std::make_shared<State>();
  state->is_server = is_server;
  SSL_CTX* context = state->context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") != 1 ||
      SSL_CTX_set1_groups_list(context, "X25519") != 1)
    return Error{Errc::internal, "OpenSSL cannot do TLS 1.3 with TLS_AES_128_GCM_SHA256 and X25519"};
  SSL_CTX_set_app_data(context, state.get());
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  // An idle connection keeps no buffers: a ResourceManager has one connection for each node.
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, read_buffer_bytes);
  return state;
}

Result<TlsContext> TlsContext::for_client(const ports::TransportKey& key) {
  if (key.name.empty() || key.name.size() > key_name_bytes_max || key.secret.empty())
    return Error{Errc::internal, "a transport key needs a name of 1 to 256 bytes and a secret"};
  auto made = make(false);
  if (!made) return made.error();
  (*made)->key = key;
  SSL_CTX_set_psk_use_session_callback((*made)->context, State::use_session);
  return TlsContext{std::move(*made)};
}

Result<TlsContext> TlsContext::for_server(FindSecret find) {
  auto made = make(true);
  if (!made) return made.error();
  (*made)->find = std::move(find);
  SSL_CTX_set_psk_find_session_callback((*made)->context, State::find_session);
  return TlsContext{std::move(*made)};
}

Result<TlsContext> TlsContext::for_server(const ports::TransportKey& key) {
  return for_server(
      [key](const std::string& name) { return name == key.name ? std::optional{key.secret} : std::nullopt; });
}

ssl_ctx_st* TlsContext::get() const { return state_->context; }
bool TlsContext::is_server() const { return state_->is_server; }

}  // namespace heddle::work
