// Long work shows itself: bars on a terminal, a plain line every ten seconds and at each stage's end elsewhere.
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

/// One running or ended stage as the Driver knows it.
struct StageProgress {
  std::int64_t id = 0;
  std::string name;
  std::int64_t done = 0;
  std::int64_t running = 0;
  std::int64_t failed = 0;  // attempts
  std::int64_t tasks = 0;
  std::array<std::int64_t, 4> launches{};  // in the process of their data, on its node, in its rack, anywhere
  Duration elapsed{};
  bool ended = false;
};

/// What the Driver says about itself, whole, several times a second.
struct ProgressSnapshot {
  Duration elapsed{};
  std::vector<StageProgress> stages;
  std::int64_t executors_held = 0;
  std::int64_t executors_wanted = 0;
  Duration waiting_for{};      // how long something has been waiting; zero: nothing is
  std::string waiting_reason;  // why, in a sentence
};

enum class ProgressStyle : std::uint8_t { none, lines, bars };

/// Remaining time of a stage: honest once a tenth of its tasks (and three of them) have finished.
[[nodiscard]] std::optional<Duration> estimate_remaining(const StageProgress& stage);

/// Launches by the five levels of `heddle::LocalityLevel` as people are shown them: process, node, rack, any. Tasks
/// that prefer no place count as anywhere; zeros where nothing was counted.
[[nodiscard]] std::array<std::int64_t, 4> shown_levels(const std::vector<std::int64_t>& launches);

/// "0/20/60/20": percentages of process, node, rack and any; empty before the first launch.
[[nodiscard]] std::string locality_percentages(const StageProgress& stage);

/// One line about a stage, with a bar if there is room for one in `columns`; without colors never wider than that.
/// Characters of UTF-8 are not cut.
[[nodiscard]] std::string stage_line(const StageProgress& stage, int columns, bool with_bar, bool with_color);

/// Writes snapshots to a sink (stderr). Reads no clock: the elapsed time of the snapshots is its time.
class ProgressPrinter {
public:
  using Sink = std::function<void(std::string_view)>;
  ProgressPrinter(ProgressStyle style, int columns, bool with_color, Sink sink);

  /// Of the terminal, which may have changed. Below 20 there is no room for anything, and plain lines are written.
  void set_columns(int columns) { columns_ = columns; }
  void show(const ProgressSnapshot& snapshot);
  /// Takes bars off the screen, so that other words can be written.
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
