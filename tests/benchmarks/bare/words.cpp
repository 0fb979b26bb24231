// words FILE OUT: counts the words of a mapped file in two threads; writes lines `word TAB count`.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "apps/bench/word_table.hpp"
#include "tests/benchmarks/bare/bare.hpp"

namespace heddle::bare {
namespace {

std::string_view map_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) throw std::runtime_error{"cannot read " + path};
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const base = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  ::close(file);
  if (base == MAP_FAILED) throw std::runtime_error{"cannot map " + path};
  return {static_cast<const char*>(base), size};
}

}  // namespace

int words(const Words& words) {
  const Stopwatch watch;
  const auto text = map_file(words[0]);
  const auto middle = text.find('\n', text.size() / 2) + 1;
  constexpr std::size_t slots = std::size_t{1} << 21;
  std::array<apps::WordTable, 2> tables{apps::WordTable{slots}, apps::WordTable{slots}};
  std::thread other{[&] { tables[1].add_words(text.substr(middle)); }};
  tables[0].add_words(text.substr(0, middle));
  other.join();
  tables[1].for_each([&](std::string_view word, std::int64_t count) { tables[0].add(word, count); });
  std::FILE* const file = std::fopen(words[1].c_str(), "w");
  if (file == nullptr) throw std::runtime_error{"cannot write " + words[1]};
  tables[0].for_each([&](std::string_view word, std::int64_t count) {
    std::fprintf(file, "%.*s\t%lld\n", static_cast<int>(word.size()), word.data(), static_cast<long long>(count));
  });
  if (std::fclose(file) != 0) throw std::runtime_error{"cannot write " + words[1]};
  const auto seconds = watch.seconds();
  print_figure("words_seconds", seconds, "s");
  print_figure("words", static_cast<double>(text.size()) / 1e6 / seconds, "MB/s");
  return 0;
}

}  // namespace heddle::bare
