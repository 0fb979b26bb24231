#include "interop/hadoop/token_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "interop/hadoop/message_guard.hpp"
#include "interop/hadoop/proto/rpc_header.pb.h"
#include "interop/hadoop/rpc_frames.hpp"

namespace heddle::interop {
namespace {

constexpr std::string_view magic = "HDTS";
constexpr char writable_format = 0;
constexpr char protobuf_format = 1;
constexpr std::size_t entries_max = 10'000;  // of tokens, and of secrets

/// Numbers and bytes in Hadoop's Writable encoding.
class WritableReader {
public:
  explicit WritableReader(std::string_view bytes) : bytes_{bytes} {}

  std::optional<std::int64_t> number() {
    if (bytes_.empty()) return std::nullopt;
    const int first = static_cast<signed char>(bytes_.front());
    bytes_.remove_prefix(1);
    if (first >= -112) return first;
    const bool is_negative = first < -120;
    const auto size = static_cast<std::size_t>(is_negative ? -120 - first : -112 - first);
    if (bytes_.size() < size) return std::nullopt;
    std::uint64_t magnitude = 0;
    for (std::size_t i = 0; i < size; ++i) magnitude = magnitude << 8 | static_cast<unsigned char>(bytes_[i]);
    bytes_.remove_prefix(size);
    return static_cast<std::int64_t>(is_negative ? ~magnitude : magnitude);
  }
  std::optional<std::string> text() {
    const auto size = number();
    if (!size || *size < 0 || static_cast<std::uint64_t>(*size) > bytes_.size()) return std::nullopt;
    std::string found{bytes_.substr(0, static_cast<std::size_t>(*size))};
    bytes_.remove_prefix(found.size());
    return found;
  }
  /// Number of entries.
  std::optional<std::size_t> count() {
    const auto found = number();
    if (!found || *found < 0 || static_cast<std::uint64_t>(*found) > entries_max) return std::nullopt;
    return static_cast<std::size_t>(*found);
  }
  [[nodiscard]] bool is_at_end() const { return bytes_.empty(); }

private:
  std::string_view bytes_;
};

void write_number(std::string& to, std::size_t number) {
  if (number <= 127) {
    to += static_cast<char>(number);
    return;
  }
  std::string digits;
  for (; number != 0; number >>= 8) digits.insert(digits.begin(), static_cast<char>(number & 0xff));
  to += static_cast<char>(-112 - static_cast<int>(digits.size()));
  to += digits;
}

void write_text(std::string& to, std::string_view text) {
  write_number(to, text.size());
  to += text;
}

std::optional<CredentialFile> read_writable(std::string_view bytes) {
  WritableReader reader{bytes};
  CredentialFile file;
  const auto tokens = reader.count();
  for (std::size_t i = 0; tokens && i < *tokens; ++i) {
    auto alias = reader.text();
    auto identifier = reader.text();
    auto password = reader.text();
    auto kind = reader.text();
    auto service = reader.text();
    if (!alias || !identifier || !password || !kind || !service) return std::nullopt;
    file.tokens.emplace_back(std::move(*alias), CredentialToken{std::move(*identifier), std::move(*password),
                                                                std::move(*kind), std::move(*service)});
  }
  const auto secrets = tokens ? reader.count() : std::nullopt;
  for (std::size_t i = 0; secrets && i < *secrets; ++i) {
    auto alias = reader.text();
    auto secret = reader.text();
    if (!alias || !secret) return std::nullopt;
    file.secrets.emplace_back(std::move(*alias), std::move(*secret));
  }
  if (!secrets || !reader.is_at_end()) return std::nullopt;
  return file;
}

std::optional<CredentialFile> read_protobuf(std::string_view bytes) {
  const auto message = take_delimited(bytes);
  proto::Credentials credentials;
  if (!message || !bytes.empty() || !parse_message(*message, credentials)) return std::nullopt;
  constexpr int entries = static_cast<int>(entries_max);
  if (credentials.tokens_size() > entries || credentials.secrets_size() > entries) return std::nullopt;
  CredentialFile file;
  for (const auto& entry : credentials.tokens())
    file.tokens.emplace_back(entry.alias(), CredentialToken{entry.token().identifier(), entry.token().password(),
                                                            entry.token().kind(), entry.token().service()});
  for (const auto& entry : credentials.secrets()) file.secrets.emplace_back(entry.alias(), entry.secret());
  return file;
}

}  // namespace

const CredentialToken* CredentialFile::token_of_kind(std::string_view kind) const {
  for (const auto& [alias, token] : tokens)
    if (token.kind == kind) return &token;
  return nullptr;
}

const std::string* CredentialFile::secret(std::string_view alias) const {
  for (const auto& [name, secret] : secrets)
    if (name == alias) return &secret;
  return nullptr;
}

Result<CredentialFile> parse_token_file(std::string_view name, std::string_view bytes) {
  if (!bytes.starts_with(magic) || bytes.size() == magic.size())
    return Error{Errc::corrupt, fmt::format("{} is no token file of Hadoop: it does not start with {}", name, magic)};
  const char format = bytes[magic.size()];
  const auto content = bytes.substr(magic.size() + 1);
  if (format != writable_format && format != protobuf_format)
    return Error{Errc::corrupt, fmt::format("{} is a token file of format {}; expected: 0 or 1", name,
                                            static_cast<int>(static_cast<unsigned char>(format)))};
  auto file = format == writable_format ? read_writable(content) : read_protobuf(content);
  if (!file) return Error{Errc::corrupt, fmt::format("{} is a truncated or damaged token file", name)};
  return std::move(*file);
}

std::string write_token_file(const CredentialFile& file) {
  std::string bytes{magic};
  bytes += writable_format;
  write_number(bytes, file.tokens.size());
  for (const auto& [alias, token] : file.tokens)
    for (const auto* text : {&alias, &token.identifier, &token.password, &token.kind, &token.service})
      write_text(bytes, *text);
  write_number(bytes, file.secrets.size());
  for (const auto& [alias, secret] : file.secrets) {
    write_text(bytes, alias);
    write_text(bytes, secret);
  }
  return bytes;
}

std::string write_token_file_protobuf(const CredentialFile& file) {
  proto::Credentials credentials;
  for (const auto& [alias, token] : file.tokens) {
    auto* entry = credentials.add_tokens();
    entry->set_alias(alias);
    entry->mutable_token()->set_identifier(token.identifier);
    entry->mutable_token()->set_password(token.password);
    entry->mutable_token()->set_kind(token.kind);
    entry->mutable_token()->set_service(token.service);
  }
  for (const auto& [alias, secret] : file.secrets) {
    auto* entry = credentials.add_secrets();
    entry->set_alias(alias);
    entry->set_secret(secret);
  }
  std::string bytes{magic};
  bytes += protobuf_format;
  append_delimited(bytes, credentials.SerializeAsString());
  return bytes;
}

}  // namespace heddle::interop
