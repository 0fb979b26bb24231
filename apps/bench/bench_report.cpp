#include "apps/bench/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

namespace heddle::apps {
namespace {

namespace json = boost::json;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Formats with three significant digits and thousands separators.
std::string number(double value) {
  if (value >= 1000) {
    auto digits = fmt::format("{:.0f}", value);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
      digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
  }
  return value >= 100  ? fmt::format("{:.0f}", value)
         : value >= 10 ? fmt::format("{:.1f}", value)
                       : fmt::format("{:.3g}", value);
}

bool is_ratio(const BenchFigure& figure) {
  return figure.bound == BenchBound::ratio_at_least || figure.bound == BenchBound::ratio_at_most;
}

std::string bound_text(const BenchFigure& figure, double bound) {
  if (figure.bound == BenchBound::none) return "";
  const auto* sign = figure.bound == BenchBound::at_least || figure.bound == BenchBound::ratio_at_least ? ">=" : "<=";
  return fmt::format("{} {}{}", sign, number(bound), is_ratio(figure) ? "x" : "");
}

bool reaches(const BenchFigure& figure, double judged, double bound) {
  const bool is_least = figure.bound == BenchBound::at_least || figure.bound == BenchBound::ratio_at_least;
  return is_least ? judged >= bound : judged <= bound;
}

std::string peer_text(const BenchResult& result) { return result.peer ? number(*result.peer) : ""; }
std::string ratio_text(const BenchResult& result) {
  const auto share = ratio(result);
  return share ? fmt::format("{:.2f}x", *share) : "";
}

/// Escapes a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
  return escaped;
}

json::object describe(const BenchResult& result) {
  const auto& figure = *result.figure;
  json::object row{{"name", std::string{figure.name}}, {"value", result.value}, {"unit", std::string{figure.unit}}};
  row["least"] = result.least;
  row["most"] = result.most;
  row["turns"] = result.turns;
  if (result.peer) row["peer"] = *result.peer;
  if (const auto share = ratio(result)) row["ratio"] = *share;
  if (figure.bound != BenchBound::none) {
    row["must"] = figure.must;
    row["aim"] = figure.aim;
    row["verdict"] = to_string(judge(result));
  }
  return row;
}

}  // namespace

std::vector<BenchResult> medians(std::span<const BenchReading> readings) {
  std::vector<BenchResult> results;
  for (const auto& first : readings) {
    const auto* figure = find_bench_figure(first.name);
    const bool is_done =
        std::any_of(results.begin(), results.end(), [&](const BenchResult& known) { return known.figure == figure; });
    if (figure == nullptr || is_done) continue;
    std::vector<double> values;
    std::vector<double> peers;
    for (const auto& reading : readings) {
      if (reading.name != first.name) continue;
      values.push_back(reading.value);
      if (reading.peer) peers.push_back(*reading.peer);
    }
    BenchResult result;
    result.figure = figure;
    result.value = median(values);
    if (!peers.empty()) result.peer = median(peers);
    result.least = *std::min_element(values.begin(), values.end());
    result.most = *std::max_element(values.begin(), values.end());
    result.turns = static_cast<int>(values.size());
    results.push_back(result);
  }
  return results;
}

std::optional<double> ratio(const BenchResult& result) {
  if (!result.peer || *result.peer == 0) return std::nullopt;
  return result.value / *result.peer;
}

BenchVerdict judge(const BenchResult& result) {
  const auto& figure = *result.figure;
  if (figure.bound == BenchBound::none) return BenchVerdict::not_judged;
  const auto share = ratio(result);
  if (is_ratio(figure) && !share) return BenchVerdict::not_judged;
  const double judged = is_ratio(figure) ? *share : result.value;
  if (reaches(figure, judged, figure.aim)) return BenchVerdict::aim;
  return reaches(figure, judged, figure.must) ? BenchVerdict::must : BenchVerdict::below;
}

const char* to_string(BenchVerdict verdict) {
  switch (verdict) {
    case BenchVerdict::not_judged: return "";
    case BenchVerdict::below: return "below";
    case BenchVerdict::must: return "ok";
    case BenchVerdict::aim: return "aim";
  }
  return "";
}

std::string bench_header(BenchFormat format) {
  if (format == BenchFormat::table)
    return fmt::format("{:28} {:>11} {:8} {:>11} {:>8}  {:>10} {:>10}  {}\n", "measure", "heddle", "unit", "bare",
                       "ratio", "must", "aim", "verdict");
  if (format == BenchFormat::markdown)
    return "| measure | heddle | unit | least to most | bare | ratio | must | aim | verdict | beside it |\n"
           "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | --- | --- |\n";
  return "";
}

std::string bench_row(BenchFormat format, const BenchResult& result) {
  const auto& figure = *result.figure;
  switch (format) {
    case BenchFormat::automatic: return fmt::format("{} {:.6g} {}\n", figure.name, result.value, figure.unit);
    case BenchFormat::table:
      return fmt::format("{:28} {:>11} {:8} {:>11} {:>8}  {:>10} {:>10}  {}\n", figure.name, number(result.value),
                         figure.unit, peer_text(result), ratio_text(result), bound_text(figure, figure.must),
                         bound_text(figure, figure.aim), to_string(judge(result)));
    case BenchFormat::markdown:
      return fmt::format("| `{}` | {} | {} | {} to {} | {} | {} | {} | {} | {} | {} |\n", figure.name,
                         number(result.value), figure.unit, number(result.least), number(result.most),
                         peer_text(result), ratio_text(result), bound_text(figure, figure.must),
                         bound_text(figure, figure.aim), to_string(judge(result)), cell(figure.peer));
    case BenchFormat::jsonl: {
      json::object line{{"schema", 1}};
      for (const auto& member : describe(result)) line.insert(member);
      return json::serialize(line) + "\n";
    }
    case BenchFormat::json: return "";
  }
  return "";
}

std::string bench_document(BenchFormat format, std::span<const BenchResult> results, bool is_quick) {
  if (format != BenchFormat::json) return "";
  json::array rows;
  for (const auto& result : results) rows.push_back(describe(result));
  return json::serialize(json::object{{"schema", 1}, {"quick", is_quick}, {"figures", rows}}) + "\n";
}

}  // namespace heddle::apps
