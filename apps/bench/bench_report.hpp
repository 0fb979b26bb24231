// Figures of heddle-bench: medians of turns, judged against their bounds, printed in the requested format.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/bench_table.hpp"

namespace heddle::apps {

/// One figure of one turn, and the value of its peer in the same turn.
struct BenchReading {
  std::string name;
  double value = 0;
  std::optional<double> peer = std::nullopt;
};

/// A figure over all turns.
struct BenchResult {
  const BenchFigure* figure = nullptr;
  double value = 0;
  std::optional<double> peer = std::nullopt;
  double least = 0;
  double most = 0;
  int turns = 0;
};

/// Medians of the readings of one measure, in the order of their first reading. Drops names that are not published.
[[nodiscard]] std::vector<BenchResult> medians(std::span<const BenchReading> readings);

/// value / peer; none without a peer.
[[nodiscard]] std::optional<double> ratio(const BenchResult& result);

enum class BenchVerdict : std::uint8_t { not_judged, below, must, aim };
/// Compares a result with its bounds. not_judged: no bound, or a ratio whose peer did not run.
[[nodiscard]] BenchVerdict judge(const BenchResult& result);
[[nodiscard]] const char* to_string(BenchVerdict verdict);

/// Formats the table header; empty for lines and JSON.
[[nodiscard]] std::string bench_header(BenchFormat format);
/// Formats one figure. `automatic`: a line with name, value, unit. Empty for json, which prints only a complete
/// document.
[[nodiscard]] std::string bench_row(BenchFormat format, const BenchResult& result);
/// The json document of a run; empty for all other formats.
[[nodiscard]] std::string bench_document(BenchFormat format, std::span<const BenchResult> results, bool is_quick);

}  // namespace heddle::apps
