// fuzz-replay TARGET FOLDER [RUNS]: runs each file of the folder, then RUNS mutations of them, always the same.
// fuzz-replay TARGET FILE: runs one input, such as a finding of libFuzzer.
// Writes the input that ends this program to ./fuzz-finding.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.hpp"

namespace heddle::fuzz {
namespace {

std::map<std::string_view, Run>& targets() {
  static std::map<std::string_view, Run> table;
  return table;
}

std::string_view running;

void keep_finding(int signal) {
  const int file = ::open("fuzz-finding", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  [[maybe_unused]] const auto put = ::write(file, running.data(), running.size());
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void run_one(Run run, std::string_view input) {
  running = input;
  run(input);
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Applies one random mutation of a kind that often breaks parsers.
void mutate(std::string& input, const std::vector<std::string>& seeds, std::mt19937_64& random) {
  static constexpr std::string_view tokens[] = {"0",
                                                "-1",
                                                "99999999999999999999",
                                                "-9223372036854775808",
                                                "2147483647",
                                                "1e999",
                                                "NaN",
                                                "\n",
                                                "\r\n",
                                                "\t",
                                                "=",
                                                "\"",
                                                "'",
                                                "\\",
                                                "[",
                                                "]",
                                                "{",
                                                "}",
                                                "<",
                                                ">",
                                                "</",
                                                "<!--",
                                                "&#x0;",
                                                "&lt;",
                                                "#",
                                                ",",
                                                ".",
                                                ":",
                                                "%",
                                                "\xff\xfe",
                                                "\xef\xbb\xbf",
                                                "\xc0\x80"};
  const auto at = input.empty() ? 0 : random() % input.size();
  const auto length = input.empty() ? 0 : std::min<std::size_t>(1 + random() % 16, input.size() - at);
  switch (random() % 7) {
    case 0:
      if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << random() % 8));
      break;
    case 1:
      if (!input.empty()) input[at] = static_cast<char>(random());
      break;
    case 2: input.erase(at, length); break;
    case 3: input.insert(at, tokens[random() % std::size(tokens)]); break;
    case 4: input.insert(at, input.substr(at, length)); break;
    case 5: input.resize(at); break;
    default: {
      const auto& other = seeds[random() % seeds.size()];
      const auto from = other.empty() ? 0 : random() % other.size();
      input.insert(at, other.substr(from, 1 + random() % 64));
    }
  }
}

int run_all(Run run, const std::filesystem::path& folder, long runs) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto& file : files) seeds.push_back(read(file));
  if (seeds.empty()) return std::fprintf(stderr, "%s holds no inputs\n", folder.c_str()), 2;
  run_one(run, {});
  for (const auto& seed : seeds) run_one(run, seed);
  std::mt19937_64 random{1};
  for (long i = 0; i < runs; ++i) {
    auto input = seeds[random() % seeds.size()];
    for (auto changes = 1 + random() % 6; changes > 0; --changes) mutate(input, seeds, random);
    input.resize(std::min<std::size_t>(input.size(), 1 << 16));
    run_one(run, input);
  }
  return 0;
}

}  // namespace

Target::Target(std::string_view name, Run run) { targets().emplace(name, run); }

}  // namespace heddle::fuzz

int main(int argc, char** argv) {
  using namespace heddle::fuzz;
  const auto found = argc < 3 ? targets().end() : targets().find(argv[1]);
  if (found == targets().end()) {
    std::fprintf(stderr, "fuzz-replay TARGET FOLDER [RUNS] | TARGET FILE; targets:");
    for (const auto& [name, run] : targets()) std::fprintf(stderr, " %s", std::string{name}.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) ::signal(signal, keep_finding);
  if (std::filesystem::is_directory(argv[2]))
    return run_all(found->second, argv[2], argc > 3 ? std::atol(argv[3]) : 2000);
  found->second(read(argv[2]));
  return 0;
}
