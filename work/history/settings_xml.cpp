#include "work/history/settings_xml.hpp"

#include <cstdint>
#include <string_view>

#include "model/java_text.hpp"

namespace heddle::work {
namespace {

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
        if (static_cast<std::uint8_t>(symbol) < 0x20) out += "\xef\xbf\xbd";
        else out += symbol;
    }
  }
}

}  // namespace

std::string settings_xml(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<configuration>\n";
  for (const auto& [name, value] : settings) {
    text += "<property><name>";
    append_xml(text, name);
    text += "</name><value>";
    append_xml(text, value);
    text += "</value></property>\n";
  }
  return text += "</configuration>\n";
}

}  // namespace heddle::work
