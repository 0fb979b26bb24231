// `bench`: runs each measure its number of turns and prints its medians as soon as they stand.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/bench/turn.hpp"
#include "apps/cli/exit_code.hpp"
#include "apps/commands/commands.hpp"
#include "apps/commands/interrupts.hpp"
#include "apps/output/summary.hpp"
#include "apps/roles/session_files.hpp"

namespace heddle::apps {
namespace {

constexpr double quick_scale = 0.01;

int report(const Error& error, BenchFormat format) {
  const auto form = format == BenchFormat::json    ? Format::json
                    : format == BenchFormat::jsonl ? Format::jsonl
                                                   : Format::table;
  if (form != Format::table) fmt::print("{}", print_error(form, to_string(error.code), error.text));
  fmt::print(stderr, "{}", print_error(Format::table, to_string(error.code), error.text));
  return exit_code_of(error.code);
}

/// The program that is running, and the bare programs that were built beside it.
void find_programs(BenchPlace& place) {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  place.program = program.string();
  const auto bare = program.parent_path() / "heddle-bare";
  if (std::filesystem::exists(bare, failed)) place.bare_program = bare.string();
}

Result<std::vector<BenchResult>> measure(const BenchOptions& options, const std::string& name,
                                         const BenchPlace& place) {
  BenchReadings readings;
  for (std::int32_t turn = 0; turn < options.turns; ++turn) {
    if (is_interrupted()) return Error{Errc::cancelled, "cancelled"};
    if (!options.quiet) fmt::print(stderr, "{} {}/{}\n", name, turn + 1, options.turns);
    auto more = run_turn(name, place, watch_interrupts);
    if (!more) return Error{more.error().code, name + ": " + more.error().text};
    readings.insert(readings.end(), more->begin(), more->end());
  }
  return medians(readings);
}

}  // namespace

int bench_verb(const BenchOptions& options) {
  auto format = options.format;
  if (format == BenchFormat::automatic && ::isatty(STDOUT_FILENO) == 1) format = BenchFormat::table;
  auto folder = WorkingFolder::make();
  if (!folder) return report(folder.error(), format);
  BenchPlace place;
  place.folder = (*folder)->path();
  place.inputs = options.folder.empty() ? place.folder + "/inputs" : options.folder;
  place.scale = options.is_quick ? quick_scale : 1;
  place.is_cancelled = is_interrupted;
  find_programs(place);
  if (place.bare_program.empty() && !options.quiet)
    fmt::print(stderr, "heddle: heddle-bare is not beside heddle: no peer runs in turn\n");
  watch_interrupts();
  auto names = options.measures;
  if (names.empty()) names.assign(bench_measure_names().begin(), bench_measure_names().end());
  std::vector<BenchResult> all;
  bool is_below = false;
  fmt::print("{}", bench_header(format));
  for (const auto& name : names) {
    auto results = measure(options, name, place);
    if (!results) return report(results.error(), format);
    for (const auto& result : *results) {
      fmt::print("{}", bench_row(format, result));
      is_below = is_below || judge(result) == BenchVerdict::below;
      all.push_back(result);
    }
    std::fflush(stdout);
  }
  fmt::print("{}", bench_document(format, all, options.is_quick));
  return options.is_checked && is_below ? 1 : 0;
}

}  // namespace heddle::apps
