// heddle-conformance FILE…: runs production policies on recorded cases of the originals. Exit 0: all passed; 1: a case
// differs; 2: unknown kind, malformed file or a file without cases. --framework and --master: where the jobs of the
// kinds streaming_… run. --every N: a sample, each N-th case and all cases that fail or were recorded on YARN.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "tests/conformance/kind.hpp"
#include "tests/conformance/streaming_case.hpp"
#include "tests/support/sanitizer.hpp"

namespace heddle::conformance {
namespace {

std::map<std::string_view, RunCase>& kinds() {
  static std::map<std::string_view, RunCase> table;
  return table;
}

struct Options {
  std::string only_case;
  int every = 1;
  std::vector<std::string> files;
};

struct Totals {
  int passed = 0;
  int failed = 0;
};

std::string unpacked(const std::string& bytes) {
  std::string text;
  ZSTD_DStream* stream = ZSTD_createDStream();
  std::vector<char> room(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t left = 1;
  while (in.pos < in.size) {
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    left = ZSTD_decompressStream(stream, &out, &in);
    if (ZSTD_isError(left)) break;
    text.append(room.data(), out.pos);
  }
  ZSTD_freeDStream(stream);
  if (left != 0) throw std::runtime_error{"not a whole zstd file"};
  return text;
}

std::string content_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw std::runtime_error{"cannot be read"};
  std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  return path.ends_with(".zst") ? unpacked(bytes) : bytes;
}

/// True if the case gives the recorded result; prints the differences otherwise.
bool is_as_recorded(const boost::json::object& test_case, const std::string& name, RunCase run) {
  Report report;
  try {
    run(test_case, report);
  } catch (const std::exception& fault) {
    std::cout << "differs: " << name << ": the case cannot be read: " << fault.what() << '\n';
    return false;
  }
  for (const auto& difference : report.differences())
    std::cout << "differs: " << name << (difference.step >= 0 ? " step " + std::to_string(difference.step) : "") << ", "
              << difference.field << ": expected " << difference.expected << ", got " << difference.got << '\n';
  return report.differences().empty();
}

constexpr unsigned seconds_per_case = 120;
constexpr int promise_broken = 3;  // exit code of a child whose assertion failed

bool starts_programs(std::string_view kind) { return kind.starts_with("streaming_"); }

/// Limits the memory of a case, so that an invalid case fails instead of using up the machine. Not for kinds that start
/// programs: these would inherit the limit, and their threads reserve more than they use.
void limit_memory(std::string_view kind) {
  if (starts_programs(kind)) return;
#if !HEDDLE_HAS_ASAN  // AddressSanitizer maps much more than it uses
  constexpr rlim_t most = rlim_t{4} << 30;
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

/// Each case runs in its own process, so that a crash or an endless loop affects one case only.
void run_case(const boost::json::object& test_case, std::string_view kind, RunCase run, Totals& totals) {
  const std::string name{test_case.at("name").as_string()};
  std::cout.flush();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{"no process for a case"};
  if (child == 0) {
    ::alarm(seconds_per_case);
    limit_memory(kind);
    std::signal(SIGABRT, [](int) { ::_exit(promise_broken); });
    const bool is_passed = is_as_recorded(test_case, name, run);
    std::cout.flush();
    ::_exit(is_passed ? 0 : 1);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (WIFSIGNALED(status))
    std::cout << "differs: " << name << ": "
              << (WTERMSIG(status) == SIGALRM ? std::string{"took too long"}
                                              : "died of signal " + std::to_string(WTERMSIG(status)))
              << '\n';
  if (WIFEXITED(status) && WEXITSTATUS(status) == promise_broken)
    std::cout << "differs: " << name << ": breaks a promise that the policies rely on\n";
  ++(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? totals.passed : totals.failed);
}

/// Few cases are like this one, so that a sample has it.
bool is_unusual(const boost::json::object& test_case) {
  const auto* input = test_case.if_contains("input");
  const auto* expected = test_case.if_contains("expected");
  if (input == nullptr || expected == nullptr || !input->is_object() || !expected->is_object()) return false;
  const auto* framework = input->as_object().if_contains("framework");
  const auto* exit = expected->as_object().if_contains("exit");
  return (framework != nullptr && framework->as_string() == "yarn") || (exit != nullptr && exit->to_number<int>() != 0);
}

void run_file(const std::string& path, const Options& options, Totals& totals) {
  const auto document = boost::json::parse(content_of(path)).as_object();
  const std::string kind{document.at("kind").as_string()};
  const auto entry = kinds().find(kind);
  if (entry == kinds().end()) throw std::runtime_error{"unknown kind '" + kind + "'; --kind lists the known ones"};
  if (!starts_programs(kind) && streaming_target().framework != "driver")
    throw std::runtime_error{"kind '" + kind + "' has no framework; omit --framework"};
  int ran = 0;
  int number = 0;
  for (const auto& item : document.at("cases").as_array()) {
    const auto& test_case = item.as_object();
    if (!options.only_case.empty() && test_case.at("name").as_string() != options.only_case) continue;
    if (number++ % options.every != 0 && !is_unusual(test_case)) continue;
    run_case(test_case, kind, entry->second, totals);
    ++ran;
  }
  if (ran == 0)
    throw std::runtime_error{options.only_case.empty() ? "has no cases" : "has no case '" + options.only_case + "'"};
}

int list_kinds() {
  for (const auto& [name, run] : kinds()) std::cout << name << '\n';
  return 0;
}

int usage() {
  std::cerr << "usage: heddle-conformance [--case NAME] [--every N] [--framework driver|classic|yarn] [--master URL] "
               "FILE… | --kind\n";
  return 2;
}

/// True if the option is known and its value is valid.
bool read_option(std::string_view name, const std::string& value, Options& options) {
  auto& target = streaming_target();
  if (name == "--case") options.only_case = value;
  else if (name == "--every") options.every = std::atoi(value.c_str());
  else if (name == "--framework") target.framework = value;
  else if (name == "--master") target.master = value;
  else return false;
  const auto& framework = target.framework;
  return options.every > 0 && (framework == "driver" || framework == "classic" || framework == "yarn");
}

}  // namespace

Kind::Kind(std::string_view kind_name, RunCase function) : name{kind_name}, run{function} {
  kinds()[kind_name] = function;
}

int run_all(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--kind") return list_kinds();
    if (!word.starts_with("--")) options.files.push_back(word);
    else if (++i == argc || !read_option(word, argv[i], options)) return usage();
  }
  if (options.files.empty()) return usage();
  Totals totals;
  for (const auto& path : options.files) {
    try {
      run_file(path, options, totals);
    } catch (const std::exception& fault) {
      std::cerr << "heddle-conformance: " << path << ": " << fault.what() << '\n';
      return 2;
    }
  }
  std::cout << totals.passed << " passed, " << totals.failed << " failed\n";
  return totals.failed == 0 ? 0 : 1;
}

}  // namespace heddle::conformance

int main(int argc, char** argv) { return heddle::conformance::run_all(argc, argv); }
