// SASL mechanism DIGEST-MD5 (RFC 2831) as Hadoop uses it for tokens, with protection auth and auth-int. The user is the
// identifier of the token, the password is its password, both in base64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interop/hadoop/credential_token.hpp"
#include "model/result.hpp"

namespace heddle::interop {

/// What a server sends first: realm="default",nonce="…",qop="auth",charset=utf-8,algorithm=md5-sess.
struct DigestChallenge {
  std::vector<std::string> realms;
  std::string nonce;
  std::vector<std::string> protections;  // auth, auth-int, auth-conf; none: auth
};
/// Directives of a challenge or a response, with values without quotes. Errc::corrupt.
using DigestDirectives = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Result<DigestDirectives> parse_digest_directives(std::string_view text);
[[nodiscard]] Result<DigestChallenge> parse_digest_challenge(std::string_view text);

/// Inputs of the response.
struct DigestExchange {
  std::string user;      // base64
  std::string password;  // base64
  std::string realm;
  std::string nonce;
  std::string client_nonce;
  std::string uri;         // "/default"
  std::string protection;  // "auth", "auth-int"
};
/// HEX( MD5( HEX(A1) … HEX(A2) ) ) of the client, or of the server (rspauth). Errc::refused if OpenSSL has no MD5.
enum class DigestSide : std::uint8_t { client, server };
[[nodiscard]] Result<std::string> digest_response(const DigestExchange& exchange, DigestSide side);

/// Protection auth-int: appends to each message a code and a sequence number, and checks them.
class IntegrityLayer {
public:
  /// The layer of one side of the exchange.
  [[nodiscard]] static Result<IntegrityLayer> of(const DigestExchange& exchange, DigestSide side);

  [[nodiscard]] std::string wrap(std::string_view message);
  /// Errc::corrupt if the code or the sequence number is wrong.
  [[nodiscard]] Result<std::string> unwrap(std::string_view wrapped);

private:
  IntegrityLayer(std::string send_key, std::string receive_key)
      : send_key_{std::move(send_key)}, receive_key_{std::move(receive_key)} {}

  std::string send_key_;
  std::string receive_key_;
  std::uint32_t sent_ = 0;
  std::uint32_t received_ = 0;
};

/// The client's side of one authentication.
class DigestClient {
public:
  /// `protocol` and `server` are from the server's offer; the digest-uri is "protocol/server".
  DigestClient(const CredentialToken& token, std::string_view protocol, std::string_view server);

  /// The response to a challenge. Errc::refused: the server wants more than auth-int. Errc::corrupt.
  [[nodiscard]] Result<std::string> respond(std::string_view challenge, std::string client_nonce);
  /// Checks the server's proof that it knows the password too ("rspauth=…").
  [[nodiscard]] Result<Done> verify(std::string_view proof) const;
  /// Precondition: respond() succeeded. Empty with protection auth.
  [[nodiscard]] Result<std::optional<IntegrityLayer>> layer() const;

private:
  DigestExchange exchange_;
};

[[nodiscard]] std::string base64_of(std::string_view bytes);

}  // namespace heddle::interop
