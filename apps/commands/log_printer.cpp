#include "apps/commands/log_printer.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace heddle::apps {
namespace {

Result<Done> print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return Done{};
  return Error{Errc::io, "cannot write to the standard output"};
}

}  // namespace

bool LogPrinter::is_wanted(const interop::LogFile& file) const {
  if (file.bytes == 0) return false;
  if (options_.with_all_files) return true;
  if (options_.files.empty()) return is_log_for_people(file.name);
  return std::find(options_.files.begin(), options_.files.end(), file.name) != options_.files.end();
}

/// A single file of a single container needs no header.
bool LogPrinter::begin(const interop::LogFile& file) {
  if (!is_wanted(file)) return false;
  logs_.push_back({file.container, file.host, file.name, file.bytes, file.place});
  if (options_.job.format != Format::table) return false;
  if (options_.container.empty() || options_.files.size() != 1) header_ = log_header(logs_.back());
  return true;
}

Result<Done> LogPrinter::take(std::string_view bytes) {
  if (!header_.empty()) {
    if (auto ended = finish(); !ended) return ended;
    const auto blank = logs_.size() > 1 ? "\n" : "";
    if (auto printed = print(blank + std::exchange(header_, {})); !printed) return printed;
  }
  is_inside_line_ = !bytes.ends_with('\n');
  return print(bytes);
}

Result<Done> LogPrinter::finish() {
  const bool has_header = options_.container.empty() || options_.files.size() != 1;
  if (!std::exchange(is_inside_line_, false) || !has_header) return Done{};
  return print("\n");
}

}  // namespace heddle::apps
