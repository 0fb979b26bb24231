#include "apps/output/human_text.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace heddle::apps {

std::string human_duration(Duration span) {
  const auto us = span.count() < 0 ? 0 : span.count();
  const auto seconds = us / 1'000'000;
  if (us < 1'000'000) return fmt::format("{} ms", us / 1'000);
  if (seconds < 60) return fmt::format("{:.1f} s", static_cast<double>(us / 100'000) / 10.0);
  if (seconds < 3'600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3'600, seconds / 60 % 60);
}

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1'024) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes) / 1'024.0;
  std::size_t unit = 0;
  while (size >= 1'024.0 && unit + 1 < units.size()) {
    size /= 1'024.0;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, units.at(unit));
}

std::string rfc3339(std::int64_t wall_us) {
  using std::chrono::days;
  using std::chrono::floor;
  using std::chrono::milliseconds;
  const std::chrono::sys_time<milliseconds> instant{floor<milliseconds>(Duration{wall_us})};
  const auto day = floor<days>(instant);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{instant - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

}  // namespace heddle::apps
