#include "apps/output/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "apps/output/human_text.hpp"

namespace heddle::apps {
namespace {

constexpr Duration line_interval = std::chrono::seconds{10};
constexpr Duration patience = std::chrono::seconds{5};

std::string draw_bar(const StageProgress& stage, int width, bool with_color) {
  const auto tasks = std::max<std::int64_t>(stage.tasks, 1);
  const auto done = static_cast<int>(std::clamp<std::int64_t>(stage.done * width / tasks, 0, width));
  const auto running =
      static_cast<int>(std::clamp<std::int64_t>((stage.done + stage.running) * width / tasks, done, width)) - done;
  const auto filled = std::string(static_cast<std::size_t>(done), '#');
  const auto started = std::string(static_cast<std::size_t>(running), '-');
  const auto rest = std::string(static_cast<std::size_t>(width - done - running), ' ');
  if (!with_color) return fmt::format("[{}{}{}]", filled, started, rest);
  return fmt::format("[\x1b[32m{}\x1b[33m{}\x1b[0m{}]", filled, started, rest);
}

/// Cuts the line to at most `columns` bytes, at a character boundary.
std::string cut_to(const std::string& line, int columns) {
  auto size = static_cast<std::size_t>(std::max(columns, 1));
  if (line.size() <= size) return line;
  while (size > 0 && (static_cast<unsigned char>(line[size]) & 0xc0U) == 0x80U) --size;
  return line.substr(0, size);
}

std::string waiting_line(const ProgressSnapshot& snapshot) {
  return fmt::format("waiting for {}: {}", human_duration(snapshot.waiting_for), snapshot.waiting_reason);
}

bool is_waiting(const ProgressSnapshot& snapshot) {
  return snapshot.waiting_for >= patience && !snapshot.waiting_reason.empty();
}

}  // namespace

std::optional<Duration> estimate_remaining(const StageProgress& stage) {
  if (stage.done < 3 || stage.done * 10 < stage.tasks || stage.done >= stage.tasks) return std::nullopt;
  const auto per_task = static_cast<double>(stage.elapsed.count()) / static_cast<double>(stage.done);
  return Duration{static_cast<std::int64_t>(per_task * static_cast<double>(stage.tasks - stage.done))};
}

std::array<std::int64_t, 4> shown_levels(const std::vector<std::int64_t>& launches) {
  if (launches.size() != 5) return {};
  return {launches[0], launches[1], launches[3], launches[2] + launches[4]};
}

std::string locality_percentages(const StageProgress& stage) {
  const auto all = std::accumulate(stage.launches.begin(), stage.launches.end(), std::int64_t{0});
  if (all <= 0) return {};
  // Adds the rest of rounding down to the largest remainders, so that the shares add up to 100.
  auto shares = stage.launches;
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return stage.launches[a] * 100 % all > stage.launches[b] * 100 % all;
  });
  for (auto& share : shares) share = share * 100 / all;
  auto missing = 100 - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  for (const auto level : order)
    if (missing-- > 0) ++shares[level];
  return fmt::format("{}", fmt::join(shares, "/"));
}

std::string stage_line(const StageProgress& stage, int columns, bool with_bar, bool with_color) {
  auto text = fmt::format("{}/{} done, {} running, {} failed", stage.done, stage.tasks, stage.running, stage.failed);
  if (const auto locality = locality_percentages(stage); !locality.empty())
    text += fmt::format(", locality {}", locality);
  text += fmt::format(", {}", human_duration(stage.elapsed));
  if (const auto remaining = estimate_remaining(stage))
    text += fmt::format(", about {} left", human_duration(*remaining));
  const auto name = cut_to(stage.name, 20);
  const auto room = columns - static_cast<int>(name.size()) - static_cast<int>(text.size()) - 5;
  if (!with_bar || room < 10) return cut_to(fmt::format("{}: {}", name, text), columns);
  return fmt::format("{} {} {}", name, draw_bar(stage, std::min(room, 40), with_color), text);
}

ProgressPrinter::ProgressPrinter(ProgressStyle style, int columns, bool with_color, Sink sink)
    : style_{style}, columns_{columns}, with_color_{with_color}, sink_{std::move(sink)}, next_line_at_{line_interval} {}

void ProgressPrinter::show(const ProgressSnapshot& snapshot) {
  constexpr int columns_min = 20;
  const bool has_room = columns_ >= columns_min;
  if (style_ == ProgressStyle::bars && has_room) show_bars(snapshot);
  else if (style_ != ProgressStyle::none) show_lines(snapshot);
}

void ProgressPrinter::clear() {
  if (lines_on_screen_ > 0) sink_(fmt::format("\x1b[{}A\x1b[J", lines_on_screen_));
  lines_on_screen_ = 0;
}

void ProgressPrinter::show_bars(const ProgressSnapshot& snapshot) {
  std::string screen;
  int lines = 1;
  for (const auto& stage : snapshot.stages) {
    if (stage.ended) continue;
    screen += stage_line(stage, columns_, true, with_color_) + "\n";
    ++lines;
  }
  screen += cut_to(fmt::format("executors {} of {}, {}", snapshot.executors_held, snapshot.executors_wanted,
                               human_duration(snapshot.elapsed)),
                   columns_) +
            "\n";
  if (is_waiting(snapshot)) {
    screen += cut_to(waiting_line(snapshot), columns_) + "\n";
    ++lines;
  }
  clear();
  sink_(screen);
  lines_on_screen_ = lines;
}

void ProgressPrinter::show_lines(const ProgressSnapshot& snapshot) {
  constexpr int wide = 1'000;
  const bool is_due = snapshot.elapsed >= next_line_at_;
  for (const auto& stage : snapshot.stages) {
    const bool has_just_ended = stage.ended && !std::exchange(announced_end_[stage.id], true);
    if (has_just_ended || (is_due && !stage.ended)) sink_(stage_line(stage, wide, false, false) + "\n");
  }
  if (!is_due) return;
  if (is_waiting(snapshot)) sink_(waiting_line(snapshot) + "\n");
  while (next_line_at_ <= snapshot.elapsed) next_line_at_ += line_interval;
}

}  // namespace heddle::apps
