// heddle-bench: runs each measure several times and prints the medians of its figures.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/bench/bench_options.hpp"
#include "apps/bench/bench_table.hpp"
#include "apps/bench/measure_in_child.hpp"
#include "apps/cli/command_line.hpp"
#include "apps/cli/exit_code.hpp"
#include "apps/commands/interrupts.hpp"
#include "apps/output/summary.hpp"
#include "apps/roles/last_words.hpp"
#include "apps/roles/leftover_watch.hpp"
#include "apps/roles/role_process.hpp"
#include "apps/roles/session_files.hpp"
#include "work/commands/process_tree.hpp"

namespace heddle::apps {
namespace {

constexpr double quick_scale = 0.01;

/// Prints the message on stderr, and on stdout as a document if one was requested.
int report(const Error& error, Format form) {
  if (form != Format::table) fmt::print("{}", print_error(form, to_string(error.code), error.text));
  fmt::print(stderr, "{}", print_error(Format::table, to_string(error.code), error.text));
  return exit_code_of(error.code);
}

/// heddle and heddle-bare, if they were built: they are in the folder of this program.
void find_programs(BenchPlace& place) {
  std::error_code failed;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  if (const auto heddle = folder / "heddle"; std::filesystem::exists(heddle, failed)) place.program = heddle.string();
  const auto bare = folder / "heddle-bare";
  if (std::filesystem::exists(bare, failed)) place.bare_program = bare.string();
}

Result<std::vector<BenchResult>> measure(const BenchOptions& options, const std::string& name,
                                         const BenchPlace& place) {
  BenchReadings readings;
  for (std::int32_t turn = 0; turn < options.turns; ++turn) {
    if (is_interrupted()) return Error{Errc::cancelled, "cancelled"};
    if (!options.quiet) fmt::print(stderr, "{} {}/{}\n", name, turn + 1, options.turns);
    auto more = measure_in_child(name, place, watch_interrupts);
    if (!more) return Error{more.error().code, name + ": " + more.error().text};
    readings.insert(readings.end(), more->begin(), more->end());
  }
  return medians(readings);
}

int run_measures(const BenchOptions& options, Format error_form) {
  auto format = options.format;
  if (format == BenchFormat::automatic && ::isatty(STDOUT_FILENO) == 1) format = BenchFormat::table;
  auto folder = WorkingFolder::make();
  if (!folder) return report(folder.error(), error_form);
  BenchPlace place;
  place.folder = (*folder)->path();
  place.inputs = options.folder.empty() ? place.folder + "/inputs" : options.folder;
  place.master = options.master;
  place.scale = options.is_quick ? quick_scale : 1;
  place.is_cancelled = is_interrupted;
  find_programs(place);
  if (place.bare_program.empty() && !options.quiet)
    fmt::print(stderr, "heddle: heddle-bare is not beside heddle-bench: no bare programs run\n");
  watch_interrupts();
  auto names = options.measures;
  if (names.empty()) names.assign(bench_measure_names().begin(), bench_measure_names().end());
  std::vector<BenchResult> all;
  bool is_below = false;
  fmt::print("{}", bench_header(format));
  for (const auto& name : names) {
    auto results = measure(options, name, place);
    if (!results) return report(results.error(), error_form);
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

int run_bench(const std::vector<std::string>& words) {
  install_terminate_handler();
  work::own_all_children();
  allow_leftover_watches();
  const auto error_form = wanted_format(words);
  const auto command = parse_bench(words);
  if (!command) return report(command.error(), error_form);
  if (const auto* answer = std::get_if<Answer>(&*command)) {
    fmt::print("{}", answer->text);
    return 0;
  }
  const int code = run_measures(std::get<BenchOptions>(*command), error_form);
  work::kill_orphans();
  wait_if_interrupted_twice();
  return code;
}

}  // namespace
}  // namespace heddle::apps

int main(int argc, char** argv) {
  if (const auto code = heddle::apps::play_role(argc, argv)) return *code;
  return heddle::apps::run_bench({argv + 1, argv + argc});
}
