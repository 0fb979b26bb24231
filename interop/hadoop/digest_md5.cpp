#include "interop/hadoop/digest_md5.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>

namespace heddle::interop {
namespace {

constexpr std::string_view nonce_count = "00000001";
constexpr std::string_view receive_buffer = "65536";
constexpr std::size_t code_bytes = 10;     // of the 16 of HMAC-MD5
constexpr std::size_t sequence_bytes = 4;  // after the two bytes of the message type
constexpr std::size_t trailer_bytes = code_bytes + 2 + sequence_bytes;
constexpr std::size_t challenge_bytes_max = 2048;  // RFC 2831, 2.1.1
constexpr std::string_view client_key_text = "Digest session key to client-to-server signing key magic constant";
constexpr std::string_view server_key_text = "Digest session key to server-to-client signing key magic constant";

const Error no_md5{Errc::refused,
                   "OpenSSL refuses MD5, which Hadoop's tokens need; it may run in FIPS mode (see openssl.cnf)"};

Result<std::string> md5(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_md5(), nullptr) != 1) return no_md5;
  return std::string(reinterpret_cast<const char*>(digest.data()), length);
}

std::string hmac_md5(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
  unsigned length = 0;
  if (HMAC(EVP_md5(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(bytes.data()),
           bytes.size(), code.data(), &length) == nullptr)
    return {};
  return {reinterpret_cast<const char*>(code.data()), length};
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>((number >> shift) & 0xff);
  return bytes;
}

bool are_equal(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string quoted(std::string_view text) {
  std::string result{'"'};
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result += '"';
}

/// MD5 of A1, raw.
Result<std::string> session_key(const DigestExchange& exchange) {
  auto secret = md5(fmt::format("{}:{}:{}", exchange.user, exchange.realm, exchange.password));
  if (!secret) return secret;
  return md5(fmt::format("{}:{}:{}", *secret, exchange.nonce, exchange.client_nonce));
}

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n'; }

/// Reader of name=value pairs that are separated by commas.
class DirectiveReader {
public:
  explicit DirectiveReader(std::string_view text) : text_{text} {}

  Result<DigestDirectives> read() {
    DigestDirectives directives;
    while (skip_separators(), !text_.empty()) {
      const auto equals = text_.find('=');
      if (equals == std::string_view::npos || equals == 0) return broken("a directive has no \"=\"");
      auto name = trimmed(text_.substr(0, equals));
      text_.remove_prefix(equals + 1);
      while (!text_.empty() && is_blank(text_.front())) text_.remove_prefix(1);
      std::string value;
      if (!text_.empty() && text_.front() == '"') {
        if (!read_quoted(value)) return broken("a quoted value has no end");
      } else {
        const auto end = std::min(text_.find(','), text_.size());
        value = trimmed(text_.substr(0, end));
        text_.remove_prefix(end);
      }
      directives.emplace_back(std::move(name), std::move(value));
      while (!text_.empty() && is_blank(text_.front())) text_.remove_prefix(1);
      if (!text_.empty() && text_.front() != ',') return broken("a comma is missing between directives");
    }
    return directives;
  }

private:
  static Error broken(std::string_view why) {
    return Error{Errc::corrupt, fmt::format("DIGEST-MD5 text is malformed: {}", why)};
  }
  static std::string trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return std::string{text};
  }
  void skip_separators() {
    while (!text_.empty() && (is_blank(text_.front()) || text_.front() == ',')) text_.remove_prefix(1);
  }
  bool read_quoted(std::string& value) {
    for (std::size_t i = 1; i < text_.size(); ++i) {
      if (text_[i] == '"') {
        text_.remove_prefix(i + 1);
        return true;
      }
      if (text_[i] == '\\' && ++i == text_.size()) return false;
      value += text_[i];
    }
    return false;
  }

  std::string_view text_;
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> found;
  std::string word;
  for (const char letter : text) {
    if (letter != ',' && !is_blank(letter)) {
      word += letter;
    } else if (!word.empty()) {
      found.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) found.push_back(word);
  return found;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string base64_of(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // with the zero that OpenSSL appends
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

Result<DigestDirectives> parse_digest_directives(std::string_view text) { return DirectiveReader{text}.read(); }

Result<DigestChallenge> parse_digest_challenge(std::string_view text) {
  if (text.size() > challenge_bytes_max)
    return Error{Errc::corrupt, fmt::format("DIGEST-MD5 challenge has {} bytes; expected: at most {}", text.size(),
                                            challenge_bytes_max)};
  const auto directives = parse_digest_directives(text);
  if (!directives) return directives.error();
  DigestChallenge challenge;
  for (const auto& [name, value] : *directives) {
    if (name == "realm") challenge.realms.push_back(value);
    if (name == "qop") challenge.protections = words_of(value);
    if (name == "algorithm" && value != "md5-sess")
      return Error{Errc::refused, fmt::format("DIGEST-MD5 algorithm {} is unknown; expected: md5-sess", value)};
    if (name != "nonce") continue;
    if (!challenge.nonce.empty()) return Error{Errc::corrupt, "DIGEST-MD5 challenge has two nonces"};
    challenge.nonce = value;
  }
  if (challenge.nonce.empty()) return Error{Errc::corrupt, "DIGEST-MD5 challenge has no nonce"};
  if (challenge.protections.empty()) challenge.protections = {"auth"};
  return challenge;
}

Result<std::string> digest_response(const DigestExchange& exchange, DigestSide side) {
  const auto key = session_key(exchange);
  if (!key) return key;
  std::string request = (side == DigestSide::client ? "AUTHENTICATE:" : ":") + exchange.uri;
  if (exchange.protection != "auth") request += ":" + std::string(32, '0');
  const auto hashed = md5(request);
  if (!hashed) return hashed;
  const auto response = md5(fmt::format("{}:{}:{}:{}:{}:{}", hex_of(*key), exchange.nonce, nonce_count,
                                        exchange.client_nonce, exchange.protection, hex_of(*hashed)));
  if (!response) return response;
  return hex_of(*response);
}

Result<IntegrityLayer> IntegrityLayer::of(const DigestExchange& exchange, DigestSide side) {
  const auto key = session_key(exchange);
  if (!key) return key.error();
  auto client_key = md5(*key + std::string{client_key_text});
  auto server_key = md5(*key + std::string{server_key_text});
  if (!client_key || !server_key) return no_md5;
  if (side == DigestSide::client) return IntegrityLayer{std::move(*client_key), std::move(*server_key)};
  return IntegrityLayer{std::move(*server_key), std::move(*client_key)};
}

std::string IntegrityLayer::wrap(std::string_view message) {
  const auto sequence = big_endian(sent_++);
  std::string wrapped{message};
  const auto code = hmac_md5(send_key_, sequence + wrapped);
  wrapped += std::string_view{code}.substr(0, code_bytes);
  wrapped += std::string_view{"\x00\x01", 2};
  return wrapped += sequence;
}

Result<std::string> IntegrityLayer::unwrap(std::string_view wrapped) {
  const Error wrong{Errc::corrupt, "a protected message has a wrong code or sequence number"};
  if (wrapped.size() < trailer_bytes) return wrong;
  const auto message = wrapped.substr(0, wrapped.size() - trailer_bytes);
  const auto trailer = wrapped.substr(message.size());
  const auto sequence = big_endian(received_);
  if (trailer.substr(code_bytes) != std::string{"\x00\x01", 2} + sequence) return wrong;
  const auto code = hmac_md5(receive_key_, sequence + std::string{message});
  if (!are_equal(std::string_view{code}.substr(0, code_bytes), trailer.substr(0, code_bytes))) return wrong;
  ++received_;
  return std::string{message};
}

DigestClient::DigestClient(const CredentialToken& token, std::string_view protocol, std::string_view server) {
  exchange_.user = base64_of(token.identifier);
  exchange_.password = base64_of(token.password);
  exchange_.uri = fmt::format("{}/{}", protocol, server);
}

Result<std::string> DigestClient::respond(std::string_view challenge, std::string client_nonce) {
  const auto parsed = parse_digest_challenge(challenge);
  if (!parsed) return parsed.error();
  // The stronger protection, if the server lets the client choose.
  if (contains(parsed->protections, "auth-int")) {
    exchange_.protection = "auth-int";
  } else if (contains(parsed->protections, "auth")) {
    exchange_.protection = "auth";
  } else {
    return Error{Errc::refused, fmt::format("the server asks for protection {} (hadoop.rpc.protection=privacy); heddle "
                                            "speaks auth and auth-int (authentication, integrity)",
                                            fmt::join(parsed->protections, ","))};
  }
  if (!parsed->realms.empty()) exchange_.realm = parsed->realms.front();
  exchange_.nonce = parsed->nonce;
  exchange_.client_nonce = std::move(client_nonce);
  const auto response = digest_response(exchange_, DigestSide::client);
  if (!response) return response;
  std::string text = fmt::format("charset=utf-8,username={},", quoted(exchange_.user));
  if (!parsed->realms.empty()) text += fmt::format("realm={},", quoted(exchange_.realm));
  return text += fmt::format("nonce={},nc={},cnonce={},digest-uri={},maxbuf={},response={},qop={}",
                             quoted(exchange_.nonce), nonce_count, quoted(exchange_.client_nonce),
                             quoted(exchange_.uri), receive_buffer, *response, exchange_.protection);
}

Result<Done> DigestClient::verify(std::string_view proof) const {
  const auto directives = parse_digest_directives(proof);
  if (!directives) return directives.error();
  const auto expected = digest_response(exchange_, DigestSide::server);
  if (!expected) return expected.error();
  for (const auto& [name, value] : *directives)
    if (name == "rspauth" && are_equal(value, *expected)) return Done{};
  return Error{Errc::refused, "the server does not know the password of the token"};
}

Result<std::optional<IntegrityLayer>> DigestClient::layer() const {
  if (exchange_.protection != "auth-int") return std::optional<IntegrityLayer>{};
  auto layer = IntegrityLayer::of(exchange_, DigestSide::client);
  if (!layer) return layer.error();
  return std::optional{std::move(*layer)};
}

}  // namespace heddle::interop
