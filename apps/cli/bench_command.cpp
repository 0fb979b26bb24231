// `bench`: the published measures, by name, at full or small size.
#include <fmt/format.h>

#include <array>

#include "apps/cli/bench_table.hpp"
#include "apps/cli/verb_parsers.hpp"
#include "config/text/nearest.hpp"

namespace heddle::apps {
namespace {

namespace options = boost::program_options;

Result<BenchFormat> read_bench_format(const std::string& word) {
  if (word.empty()) return BenchFormat::automatic;
  if (word == "table") return BenchFormat::table;
  if (word == "markdown") return BenchFormat::markdown;
  if (word == "json") return BenchFormat::json;
  if (word == "jsonl") return BenchFormat::jsonl;
  static constexpr std::array<std::string_view, 4> forms{"table", "markdown", "json", "jsonl"};
  return Error{Errc::usage, fmt::format("--format is table, markdown, json or jsonl, not \"{}\"{}", word,
                                        config::suggestion(word, forms))};
}

std::string measure_list() {
  std::string text;
  for (const auto& measure : bench_measures()) text += fmt::format("{:20}  {}\n", measure.name, measure.sentence);
  return text;
}

}  // namespace

OptionTable bench_options() {
  OptionTable table;
  auto add = table.add_options();
  add("list", "the measures, each with its workload");
  add("quick", "one turn at a hundredth of the size: does it run, not how fast");
  add("turns", options::value<std::int32_t>()->value_name("N"),
      "of heddle and its peer in turn (default 5); medians count");
  add("check", "end with 1 where a figure misses what it must reach");
  add("folder", options::value<std::string>()->value_name("FOLDER"), "inputs are made here and kept for the next run");
  add("format", options::value<std::string>()->value_name("FORM"), "table, markdown, json or jsonl");
  add("quiet", "print figures and errors only");
  add("help", "show this");
  return table;
}

Result<ParsedCommand> parse_bench(std::span<const std::string> words) {
  auto parsed = parse_options(words, bench_options(), OptionStyle::unix_like);
  if (!parsed) return parsed.error();
  const auto& values = parsed->values;
  if (values.count("help") > 0) return ParsedCommand{Answer{help_of_verb("bench")}};
  if (values.count("list") > 0) return ParsedCommand{Answer{measure_list()}};
  BenchOptions bench;
  for (const auto& name : parsed->positional) {
    if (find_bench_measure(name) == nullptr) {
      const auto hint = config::suggestion(name, bench_measure_names());
      return Error{Errc::not_found, fmt::format("no measure is named \"{}\"{}", name,
                                                hint.empty() ? "; see heddle bench --list" : hint)};
    }
    bench.measures.push_back(name);
  }
  const auto format = read_bench_format(text_of(values, "format"));
  if (!format) return format.error();
  bench.format = *format;
  bench.is_quick = values.count("quick") > 0;
  bench.is_checked = values.count("check") > 0;
  bench.quiet = values.count("quiet") > 0;
  bench.folder = text_of(values, "folder");
  bench.turns = bench.is_quick ? 1 : 5;
  if (values.count("turns") > 0) bench.turns = values["turns"].as<std::int32_t>();
  if (bench.turns < 1) return Error{Errc::usage, fmt::format("--turns is 1 or more, not {}", bench.turns)};
  return ParsedCommand{std::move(bench)};
}

}  // namespace heddle::apps
