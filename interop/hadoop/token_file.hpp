// Credential files of Hadoop (HADOOP_TOKEN_FILE_LOCATION): tokens and secrets by alias. A launch context holds the same
// bytes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interop/hadoop/credential_token.hpp"
#include "model/result.hpp"

namespace heddle::interop {

struct CredentialFile {
  std::vector<std::pair<std::string, CredentialToken>> tokens;  // by alias, in the order of the file
  std::vector<std::pair<std::string, std::string>> secrets;

  /// The first token of this kind; null if there is none.
  [[nodiscard]] const CredentialToken* token_of_kind(std::string_view kind) const;
  [[nodiscard]] const std::string* secret(std::string_view alias) const;
  bool operator==(const CredentialFile&) const = default;
};

/// Parses format 0 (Writable) and format 1 (protobuf). `name` is for error texts. Errc::corrupt.
[[nodiscard]] Result<CredentialFile> parse_token_file(std::string_view name, std::string_view bytes);
/// Format 0, which every Hadoop reads.
[[nodiscard]] std::string write_token_file(const CredentialFile& file);
/// Format 1, of Hadoop 3.
[[nodiscard]] std::string write_token_file_protobuf(const CredentialFile& file);

}  // namespace heddle::interop
