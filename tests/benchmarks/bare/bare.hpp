// Bare programs: the same work as a measure of heddle-bench, without any runtime. Each verb prints lines `name value
// unit`.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace heddle::bare {

class Stopwatch {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void print_figure(const char* name, double value, const char* unit);

/// Each function returns an exit code.
using Words = std::vector<std::string>;
int generate(const Words& words);  // generate words|records BYTES FILE
int latency(const Words& words);   // latency BUSY IDLE
int spawn(const Words& words);     // spawn COUNT
int words(const Words& words);     // words FILE OUT

}  // namespace heddle::bare
