// Figures of heddle-bench: medians of turns, judged against their bounds, printed in the requested format.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/bench_table.hpp"

namespace heddle::apps {

/// One figure of one turn, and what its peer reached in the same turn.
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

/// Medians of the readings of one measure, in the order in which its figures came first. Names that are not published
/// are left out.
[[nodiscard]] std::vector<BenchResult> medians(std::span<const BenchReading> readings);

/// value / peer; none without a peer.
[[nodiscard]] std::optional<double> ratio(const BenchResult& result);

enum class BenchVerdict : std::uint8_t { not_judged, below, must, aim };
/// Not judged: figures without a bound, and ratios whose peer did not run.
[[nodiscard]] BenchVerdict judge(const BenchResult& result);
[[nodiscard]] const char* to_string(BenchVerdict verdict);

/// What stands above the rows; empty for lines and JSON.
[[nodiscard]] std::string bench_header(BenchFormat format);
/// One figure. `automatic` is a plain line: name, value, unit. Empty for json, whose document is whole or nothing.
[[nodiscard]] std::string bench_row(BenchFormat format, const BenchResult& result);
/// The json document of a run; empty for all other formats.
[[nodiscard]] std::string bench_document(BenchFormat format, std::span<const BenchResult> results, bool is_quick);

}  // namespace heddle::apps
