// heddle-bare VERB …: one bare program per verb.
#include <cstdio>
#include <exception>

#include "tests/benchmarks/bare/bare.hpp"

namespace heddle::bare {

void print_figure(const char* name, double value, const char* unit) { std::printf("%s %.6f %s\n", name, value, unit); }

namespace {

struct Verb {
  const char* name;
  std::size_t words;
  int (*run)(const Words& words);
};

constexpr Verb verbs[] = {
    {"generate", 3, generate},
    {"latency", 2, latency},
    {"spawn", 1, spawn},
    {"words", 2, words},
};

int run(const Words& words) {
  for (const auto& verb : verbs)
    if (!words.empty() && words.front() == verb.name && words.size() == verb.words + 1)
      return verb.run({words.begin() + 1, words.end()});
  std::fprintf(stderr, "heddle-bare: see tests/benchmarks/bare/bare.hpp for its verbs and their words\n");
  return 2;
}

}  // namespace
}  // namespace heddle::bare

int main(int argc, char** argv) {
  try {
    return heddle::bare::run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "heddle-bare: %s\n", failure.what());
    return 1;
  }
}
