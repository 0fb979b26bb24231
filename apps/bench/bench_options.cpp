#include "apps/bench/bench_options.hpp"

#include <fmt/format.h>

#include <array>

#include "apps/bench/bench_table.hpp"
#include "apps/cli/option_table.hpp"
#include "config/text/did_you_mean.hpp"

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
  return Error{Errc::usage, fmt::format("--format must be table, markdown, json or jsonl, not \"{}\"{}", word,
                                        config::suggestion(word, forms))};
}

std::string measure_list() {
  std::string text;
  for (const auto& measure : bench_measures()) text += fmt::format("{:20}  {}\n", measure.name, measure.sentence);
  return text;
}

OptionTable bench_options() {
  OptionTable table;
  auto add = table.add_options();
  add("list", "list the measures with their workloads");
  add("quick", "one turn at 1 % of the size: a test of the measures, not of the speed");
  add("turns", options::value<std::int32_t>()->value_name("N"), "number of turns (default 5)");
  add("check", "end with exit code 1 if a figure misses its bound");
  add("master", options::value<std::string>()->value_name("MASTER"),
      "master of two_process_tasks and task_latency (default a local cluster), such as yarn");
  add("folder", options::value<std::string>()->value_name("FOLDER"),
      "folder for generated inputs; they stay for the next run");
  add("format", options::value<std::string>()->value_name("FORM"), "table, markdown, json or jsonl");
  add("quiet", "print only figures and errors");
  add("help", "show this help");
  return table;
}

std::string help() {
  return "measure heddle beside bare programs that do the same without a runtime\n\n"
         "usage: heddle-bench [options] [MEASURE...]\n\n" +
         describe_options(bench_options()) +
         "\nIn each turn heddle and the bare program run one after the other. A figure is the median of its turns.\n"
         "\nexample:\n  heddle-bench --quick no_op_tasks start\n";
}

}  // namespace

Result<std::variant<Answer, BenchOptions>> parse_bench(std::span<const std::string> words) {
  auto parsed = parse_options(words, bench_options(), OptionStyle::unix_like);
  if (!parsed) return parsed.error();
  const auto& values = parsed->values;
  if (values.count("help") > 0) return std::variant<Answer, BenchOptions>{Answer{help()}};
  if (values.count("list") > 0) return std::variant<Answer, BenchOptions>{Answer{measure_list()}};
  BenchOptions bench;
  for (const auto& name : parsed->positional) {
    if (find_bench_measure(name) == nullptr) {
      const auto hint = config::suggestion(name, bench_measure_names());
      return Error{Errc::not_found, fmt::format("no measure is named \"{}\"{}", name,
                                                hint.empty() ? "; heddle-bench --list lists them" : hint)};
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
  bench.master = text_of(values, "master");
  bench.turns = bench.is_quick ? 1 : 5;
  if (values.count("turns") > 0) bench.turns = values["turns"].as<std::int32_t>();
  if (bench.turns < 1) return Error{Errc::usage, fmt::format("--turns must be 1 or more, not {}", bench.turns)};
  return std::variant<Answer, BenchOptions>{std::move(bench)};
}

}  // namespace heddle::apps
