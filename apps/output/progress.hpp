// Progress output: bars on a terminal; otherwise a line every ten seconds and at the end of each stage.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.hpp"

namespace heddle::apps {

/// State of a running or ended stage.
struct StageProgress {
  std::int64_t id = 0;
  std::string name;
  std::int64_t done = 0;
  std::int64_t running = 0;
  std::int64_t failed = 0;  // failed task attempts
  std::int64_t tasks = 0;
  std::array<std::int64_t, 4> launches{};  // by locality: process, node, rack, any
  Duration elapsed{};
  bool ended = false;
};

/// Progress of a Driver; sent several times a second.
struct ProgressSnapshot {
  Duration elapsed{};
  std::vector<StageProgress> stages;
  std::int64_t executors_held = 0;
  std::int64_t executors_wanted = 0;
  Duration waiting_for{};      // time since tasks or executors wait; zero: nothing waits
  std::string waiting_reason;  // reason as a text
};

enum class ProgressStyle : std::uint8_t { none, lines, bars };

/// Estimates the remaining time of a stage; none until a tenth of its tasks, and at least three, have finished.
[[nodiscard]] std::optional<Duration> estimate_remaining(const StageProgress& stage);

/// Converts launches by the five levels of `heddle::LocalityLevel` to process, node, rack, any. Tasks without preferred
/// location count as any; zeros if `launches` is empty.
[[nodiscard]] std::array<std::int64_t, 4> shown_levels(const std::vector<std::int64_t>& launches);

/// "0/20/60/20": percentages of process, node, rack and any; empty before the first launch.
[[nodiscard]] std::string locality_percentages(const StageProgress& stage);

/// Formats one line about a stage, with a bar if it fits into `columns`. Without colors, the line is never longer than
/// that. Does not split UTF-8 characters.
[[nodiscard]] std::string stage_line(const StageProgress& stage, int columns, bool with_bar, bool with_color);

/// Prints snapshots. Uses the elapsed time of the snapshots instead of a clock.
class ProgressPrinter {
public:
  using Sink = std::function<void(std::string_view)>;
  ProgressPrinter(ProgressStyle style, int columns, bool with_color, Sink sink);

  /// Sets the width of the terminal. Below 20 columns, prints plain lines instead of bars.
  void set_columns(int columns) { columns_ = columns; }
  void show(const ProgressSnapshot& snapshot);
  /// Clears the bars, so that other text can be printed.
  void clear();

private:
  void show_bars(const ProgressSnapshot& snapshot);
  void show_lines(const ProgressSnapshot& snapshot);

  ProgressStyle style_;
  int columns_;
  bool with_color_;
  Sink sink_;
  int lines_on_screen_ = 0;
  Duration next_line_at_;
  std::map<std::int64_t, bool> announced_end_;  // by stage
};

}  // namespace heddle::apps
