// The published measures of heddle-bench, and the bounds of their figures.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::apps {

struct BenchMeasure {
  std::string_view name;
  std::string_view sentence;
};

/// How a figure is judged: by itself, or by its ratio to the figure of its peer.
enum class BenchBound : std::uint8_t { none, at_least, at_most, ratio_at_least, ratio_at_most };

struct BenchFigure {
  std::string_view name;
  std::string_view unit;
  BenchBound bound = BenchBound::none;
  double must = 0;
  double aim = 0;
  std::string_view peer;  // peer program that runs in the same turn, or published values of other products
};

/// All measures in the order of publication.
[[nodiscard]] std::span<const BenchMeasure> bench_measures();
/// Returns null for an unknown name.
[[nodiscard]] const BenchMeasure* find_bench_measure(std::string_view name);
[[nodiscard]] std::span<const std::string_view> bench_measure_names();

[[nodiscard]] std::span<const BenchFigure> bench_figures();
/// Returns null for an unknown name.
[[nodiscard]] const BenchFigure* find_bench_figure(std::string_view name);

}  // namespace heddle::apps
