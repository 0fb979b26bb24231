#include "work/history/settings_xml.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include "model/java_text.hpp"

namespace heddle::work {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

/// Symbols that XML 1.0 cannot have become U+FFFD: control symbols, U+FFFE (EF BF BE) and U+FFFF (EF BF BF).
void append_xml(std::string& out, std::string_view text) {
  std::string room;
  for (const char symbol : java::string_bytes(text, room)) {
    switch (symbol) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '\r': out += "&#13;"; break;
      case '\t':
      case '\n': out += symbol; break;
      default:
        if (static_cast<std::uint8_t>(symbol) < 0x20) out += replacement;
        else if ((symbol == '\xbe' || symbol == '\xbf') && out.ends_with("\xef\xbf")) out += replacement.back();
        else out += symbol;
    }
  }
}

/// The value must not be in a file. The words cover each expression in the default of
/// hadoop.security.sensitive-config-keys of Hadoop 3.4, also for one bucket or account, such as
/// fs.s3a.bucket.NAME.session.key; besides, former and newer names of such keys (server-side-encryption-algorithm,
/// private.key), and all words in small or capital letters.
bool is_secret(std::string_view name) {
  constexpr auto words = std::to_array<std::string_view>({
      "secret",
      "password",
      "token",
      "credential",
      "store.pass",
      "account.key",
      "encryption.key",
      "encryption-key",
      "encryption.algorithm",
      "encryption-algorithm",
      "session.key",
      "private.key",
      "fs.azure.oauth2",
      "fs.adl.oauth2",
      "fs.gs.encryption",
      "fs.gs.proxy",
      "fs.gs.auth",
      "hadoop.security.sensitive-config-keys",
  });
  std::string small{name};
  for (char& symbol : small)
    if (symbol >= 'A' && symbol <= 'Z') symbol = static_cast<char>(symbol - 'A' + 'a');
  return std::any_of(words.begin(), words.end(), [&](auto word) { return small.find(word) != std::string::npos; });
}

}  // namespace

std::string settings_xml(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::map<std::string_view, std::string_view> last_values;
  for (const auto& [name, value] : settings)
    if (!is_secret(name)) last_values.insert_or_assign(name, value);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<configuration>\n";
  for (const auto& [name, value] : last_values) {
    text += "<property><name>";
    append_xml(text, name);
    text += "</name><value>";
    append_xml(text, value);
    text += "</value></property>\n";
  }
  return text += "</configuration>\n";
}

}  // namespace heddle::work
