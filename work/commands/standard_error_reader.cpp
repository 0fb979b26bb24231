// Parses reporter lines of stderr as Hadoop Streaming does, and keeps the last bytes of all other lines.
#include <algorithm>
#include <charconv>
#include <optional>

#include "model/java_number.hpp"
#include "work/commands/command_runner.hpp"

namespace heddle::work {
namespace {

/// Java's String.trim.
std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char letter) { return static_cast<unsigned char>(letter) <= ' '; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Java's Long.parseLong for ASCII digits.
std::optional<std::int64_t> parse_long(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// UTF-16 units of the character that begins with this byte of UTF-8; 0 inside a character.
std::size_t units_of(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  if (value >= 0x80 && value < 0xC0) return 0;
  return value >= 0xF0 ? 2 : 1;
}

/// Hadoop's Limits.filterName: a name of more than `most` UTF-16 units is cut to one less than that.
std::string_view cut_name(std::string_view name, std::size_t most) {
  if (name.size() <= most) return name;  // no character has more units than bytes
  std::size_t units = 0;
  std::size_t cut = name.size();
  for (std::size_t at = 0; at < name.size(); ++at) {
    units += units_of(name[at]);
    if (units >= most) cut = std::min(cut, at);
  }
  return units > most ? name.substr(0, cut) : name;
}

}  // namespace

StandardErrorReader::StandardErrorReader(std::int64_t bytes_max, ReporterRules rules)
    : rules_{std::move(rules)}, bytes_max_{static_cast<std::size_t>(bytes_max)} {}

void StandardErrorReader::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto piece = bytes.substr(0, end);
    // A line longer than the limit is not a reporter line: keep only its end.
    if (line_.size() + piece.size() > bytes_max_) {
      line_.append(piece.substr(piece.size() - std::min(piece.size(), bytes_max_)));
      if (line_.size() > bytes_max_) line_.erase(0, line_.size() - bytes_max_);
      is_line_cut_ = is_cut_ = true;
    } else {
      line_.append(piece);
    }
    if (end == std::string_view::npos) return;
    handle_line(line_);
    line_.clear();
    is_line_cut_ = false;
    bytes.remove_prefix(end + 1);
  }
}

bool StandardErrorReader::parse_counter(std::string_view fields) {
  fields = trimmed(fields);
  while (fields.ends_with(',')) fields.remove_suffix(1);  // String.split drops empty fields at the end
  const auto first = fields.find(',');
  const auto second = first == std::string_view::npos ? first : fields.find(',', first + 1);
  if (second == std::string_view::npos) return false;
  const auto amount = parse_long(fields.substr(second + 1));
  if (!amount) return false;
  std::string name{cut_name(fields.substr(0, first), rules_.group_name_max)};
  name.append("\t").append(cut_name(fields.substr(first + 1, second - first - 1), rules_.counter_name_max));
  if (!add_counter(name, *amount)) return false;
  if (on_counter_) on_counter_(name, *amount);
  return true;
}

bool StandardErrorReader::add_counter(const std::string& name, std::int64_t amount) {
  const auto known = counter_indices_.find(name);
  if (known != counter_indices_.end()) {
    auto& sum = counters_[known->second].second;
    sum = java::wrap_add(sum, amount);
    return true;
  }
  if (counters_.size() >= rules_.counters_max) return false;
  counter_indices_.emplace(name, counters_.size());
  counters_.emplace_back(name, amount);
  return true;
}

bool StandardErrorReader::parse_report(std::string_view line) {
  if (is_line_cut_ || !line.starts_with(rules_.prefix)) return false;
  const std::string_view rest = line.substr(rules_.prefix.size());
  constexpr std::string_view counter = "counter:";
  constexpr std::string_view status = "status:";
  if (rest.starts_with(status)) {
    status_ = rest.substr(status.size());
    return true;
  }
  return rest.starts_with(counter) && parse_counter(rest.substr(counter.size()));
}

void StandardErrorReader::handle_line(std::string_view line) {
  if (parse_report(line)) return;
  kept_.append(line).push_back('\n');
  if (kept_.size() > 2 * bytes_max_) {
    kept_.erase(0, kept_.size() - bytes_max_);
    is_cut_ = true;
  }
}

void StandardErrorReader::finish(CommandResult& end) {
  if (!line_.empty()) handle_line(line_);
  line_.clear();
  is_line_cut_ = false;
  if (kept_.size() > bytes_max_) {
    kept_.erase(0, kept_.size() - bytes_max_);
    is_cut_ = true;
  }
  end.standard_error = is_cut_ ? "[…]" + kept_ : std::move(kept_);
  end.status = std::move(status_);
  end.counters = std::move(counters_);
  kept_.clear();
  status_.clear();
  counters_.clear();
  counter_indices_.clear();
  is_cut_ = false;
}

}  // namespace heddle::work
