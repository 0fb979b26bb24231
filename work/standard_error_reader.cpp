// Reporter lines of a command's stderr, as Hadoop Streaming reads them, and the bounded end of everything else.
#include <algorithm>
#include <charconv>

#include "work/command_runner.hpp"

namespace heddle::work {

StandardErrorReader::StandardErrorReader(std::string prefix, std::int64_t bytes_max)
    : prefix_{std::move(prefix)}, bytes_max_{static_cast<std::size_t>(bytes_max)} {}

void StandardErrorReader::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto piece = bytes.substr(0, end);
    // A line longer than what is kept is no reporter line: only its end matters.
    if (line_.size() + piece.size() > bytes_max_) {
      line_.append(piece.substr(piece.size() - std::min(piece.size(), bytes_max_)));
      if (line_.size() > bytes_max_) line_.erase(0, line_.size() - bytes_max_);
      is_cut_ = true;
    } else {
      line_.append(piece);
    }
    if (end == std::string_view::npos) return;
    take_line(line_);
    line_.clear();
    bytes.remove_prefix(end + 1);
  }
}

void StandardErrorReader::take_line(std::string_view line) {
  if (line.substr(0, prefix_.size()) == prefix_) {
    const std::string_view rest = line.substr(prefix_.size());
    constexpr std::string_view counter = "counter:";
    constexpr std::string_view status = "status:";
    if (rest.substr(0, status.size()) == status) {
      status_ = rest.substr(status.size());
      return;
    }
    if (rest.substr(0, counter.size()) == counter) {
      const std::string_view fields = rest.substr(counter.size());
      const auto first = fields.find(',');
      const auto second = first == std::string_view::npos ? first : fields.find(',', first + 1);
      std::int64_t amount = 0;
      if (second != std::string_view::npos) {
        const std::string_view number = fields.substr(second + 1);
        const auto parsed = std::from_chars(number.data(), number.data() + number.size(), amount);
        if (parsed.ec == std::errc{} && parsed.ptr == number.data() + number.size()) {
          std::string name{fields.substr(0, first)};
          name.append("\t").append(fields.substr(first + 1, second - first - 1));
          const auto known = std::find_if(counters_.begin(), counters_.end(), [&](const auto& one) { return one.first == name; });
          if (known == counters_.end()) counters_.emplace_back(std::move(name), amount);
          else known->second += amount;
          return;
        }
      }
    }
  }
  kept_.append(line).push_back('\n');
  if (kept_.size() > 2 * bytes_max_) {
    kept_.erase(0, kept_.size() - bytes_max_);
    is_cut_ = true;
  }
}

void StandardErrorReader::finish(CommandEnd& end) {
  if (!line_.empty()) take_line(line_);
  line_.clear();
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
  is_cut_ = false;
}

}  // namespace heddle::work
