#include "config/spark/spark_pools_xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <pugixml.hpp>

#include "config/text/did_you_mean.hpp"
#include "config/text/value_text.hpp"

namespace heddle::config {
namespace {

constexpr std::array<std::string_view, 3> properties{"schedulingMode", "minShare", "weight"};

std::string upper(std::string_view text) {
  std::string result{text};
  for (char& letter : result)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return result;
}

class Reader {
public:
  Reader(std::string_view text, std::string_view file_name) : text_{text}, file_name_{file_name} {}

  Result<SparkPoolsFile> read() {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_buffer(text_.data(), text_.size());
    if (!parsed)
      return Error{Errc::usage, fmt::format("{}: not well-formed XML: {}", where(parsed.offset), parsed.description())};
    if (!document.document_element())
      return Error{Errc::usage, fmt::format("{}: an element was expected at the top", where(0))};
    // Spark reads each <pool> of the file at any depth; pools do not nest.
    for (const auto& found : document.select_nodes("//pool")) read_pool(found.node());
    return std::move(file_);
  }

private:
  [[nodiscard]] std::string where(std::ptrdiff_t offset) const {
    const auto end = text_.begin() + std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(text_.size()));
    return fmt::format("{}:{}", file_name_, 1 + std::count(text_.begin(), end, '\n'));
  }
  void warn(const pugi::xml_node& node, const std::string& why) {
    file_.warnings.push_back(fmt::format("{}: {}", where(node.offset_debug()), why));
  }

  void read_pool(const pugi::xml_node& node) {
    SparkPool pool;
    pool.name = node.attribute("name").value();
    if (pool.name.empty()) return warn(node, "a pool without a name is ignored");
    for (const pugi::xml_node& each : node.children()) {
      if (each.type() != pugi::node_element) continue;
      const std::string_view tag = each.name();
      if (std::find(properties.begin(), properties.end(), tag) == properties.end())
        warn(each, fmt::format("<{}> is not a property of a pool{}", tag, suggestion(tag, properties)));
    }
    pool.is_fair = is_fair(node, pool.name);
    pool.min_share = number(node, pool.name, "minShare", 0);
    pool.weight = number(node, pool.name, "weight", 1);
    const auto former = std::find_if(file_.pools.begin(), file_.pools.end(),
                                     [&](const SparkPool& each) { return each.name == pool.name; });
    if (former == file_.pools.end()) {
      file_.pools.push_back(std::move(pool));
    } else {
      warn(node, fmt::format("pool {} is declared twice; the last declaration is used", pool.name));
      *former = std::move(pool);
    }
  }

  [[nodiscard]] bool is_fair(const pugi::xml_node& pool, const std::string& name) {
    const pugi::xml_node node = pool.child("schedulingMode");
    const auto word = upper(trimmed(node.child_value()));
    if (word == "FAIR") return true;
    if (node && word != "FIFO")
      warn(node, fmt::format("schedulingMode \"{}\" of pool {} is neither FIFO nor FAIR; FIFO is used",
                             node.child_value(), name));
    return false;
  }

  [[nodiscard]] std::int32_t number(const pugi::xml_node& pool, const std::string& name, const char* tag,
                                    std::int32_t standard) {
    const pugi::xml_node node = pool.child(tag);
    if (!node) return standard;
    const auto text = trimmed(node.child_value());
    std::int32_t value = standard;
    const auto* end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, value);
    if (!text.empty() && failure == std::errc{} && rest == end) return value;
    warn(node, fmt::format("{} \"{}\" of pool {} is not a whole number; {} is used", tag, node.child_value(), name,
                           standard));
    return standard;
  }

  std::string_view text_;
  std::string_view file_name_;
  SparkPoolsFile file_;
};

}  // namespace

Result<SparkPoolsFile> read_spark_pools_xml(std::string_view text, std::string_view file_name) {
  return Reader{text, file_name}.read();
}

}  // namespace heddle::config
