#include "interop/logs/node_log_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <optional>

namespace heddle::interop {
namespace {

namespace json = boost::json;

constexpr std::size_t head_bytes_max = 16 << 10;
constexpr std::string_view first_line = "Container: ";
constexpr std::string_view length_line = "\nLogLength:";
constexpr std::string_view last_line = "\nLogContents:\n";

Error no_list() { return {Errc::corrupt, "the NodeManager answers with no list of log files"}; }

/// Hadoop writes numbers as texts.
std::optional<std::int64_t> number_of(const json::value* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* number = value->if_int64()) return *number;
  const auto* text = value->if_string();
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (fault != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return number;
}

/// The logs of one source: {"containerLogInfo": [...], "containerId": "..."}.
Result<Done> read_logs(const json::value& value, std::vector<LogFile>& made) {
  const auto* logs = value.if_object();
  if (logs == nullptr) return no_list();
  const auto* container = logs->if_contains("containerId");
  if (container == nullptr || !container->is_string()) return no_list();
  const auto* listed = logs->if_contains("containerLogInfo");
  if (listed == nullptr || listed->is_null()) return Done{};
  const json::array single{*listed};  // Hadoop writes a list of one as its element
  for (const auto& each : listed->is_array() ? listed->get_array() : single) {
    const auto* file = each.if_object();
    const auto* name = file == nullptr ? nullptr : file->if_contains("fileName");
    const auto bytes = file == nullptr ? std::nullopt : number_of(file->if_contains("fileSize"));
    if (name == nullptr || !name->is_string() || !bytes || *bytes < 0) return no_list();
    made.push_back({std::string{container->get_string()}, std::string{name->get_string()}, *bytes, {}, {}});
  }
  return Done{};
}

}  // namespace

Result<std::vector<LogFile>> parse_log_list(std::string_view text) {
  json::error_code fault;
  json::parse_options options;
  options.max_depth = 8;
  const auto document = json::parse(json::string_view{text.data(), text.size()}, fault, {}, options);
  const auto* object = fault ? nullptr : document.if_object();
  const auto* logs = object == nullptr ? nullptr : object->if_contains("containerLogsInfo");
  if (logs == nullptr) return no_list();
  std::vector<LogFile> made;
  // While logs are collected there is a second source.
  const json::array single{*logs};
  for (const auto& source : logs->is_array() ? logs->get_array() : single)
    if (auto read = read_logs(source, made); !read) return read.error();
  std::stable_sort(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  made.erase(std::unique(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.name == b.name; }),
             made.end());
  return made;
}

Result<Done> NodeLogPage::take(std::string_view bytes) {
  if (has_head_) return take_content(bytes);
  head_ += bytes;
  const auto compared = std::min(head_.size(), first_line.size());
  if (std::string_view{head_}.substr(0, compared) != first_line.substr(0, compared)) {
    has_head_ = is_bare_ = true;
    return take_content(std::exchange(head_, {}));
  }
  const auto end = head_.find(last_line);
  if (end == std::string::npos && head_.size() <= head_bytes_max) return Done{};
  const auto length = std::string_view{head_}.substr(0, end).rfind(length_line);
  if (end == std::string::npos || length == std::string_view::npos)
    return Error{Errc::corrupt, "the NodeManager's answer has no content of a log file"};
  const auto* begin = head_.data() + length + length_line.size();
  const auto [stop, fault] = std::from_chars(begin, head_.data() + head_.size(), left_);
  if (fault != std::errc{} || left_ < 0)
    return Error{Errc::corrupt, "the NodeManager's answer has a log file without length"};
  has_head_ = true;
  const auto content = std::exchange(head_, {}).substr(end + last_line.size());
  return take_content(content);
}

Result<Done> NodeLogPage::take_content(std::string_view bytes) {
  if (!is_bare_) {
    bytes = bytes.substr(
        0, static_cast<std::size_t>(std::min<std::int64_t>(left_, static_cast<std::int64_t>(bytes.size()))));
    left_ -= static_cast<std::int64_t>(bytes.size());
  }
  return bytes.empty() ? Result<Done>{Done{}} : sink_(bytes);
}

Result<Done> NodeLogPage::finish() {
  if (!has_head_ && !head_.empty()) {  // a short content that begins as a head does
    has_head_ = is_bare_ = true;
    return take_content(std::exchange(head_, {}));
  }
  if (left_ > 0) return Error{Errc::corrupt, fmt::format("the NodeManager's answer ends {} bytes too early", left_)};
  return Done{};
}

}  // namespace heddle::interop
