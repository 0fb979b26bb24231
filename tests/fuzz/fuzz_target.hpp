// One parser of external bytes per file, called with arbitrary input. There are two programs:
//   fuzz_<target>  (preset fuzz: clang's libFuzzer with ASan and UBSan) searches from the corpus
//   fuzz-replay    (every preset) runs the corpus and fixed mutations of it
// A target asserts what must hold for every input. A finding is a crash, a sanitizer report, or a failed assertion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/assert.hpp"

namespace heddle::fuzz {

using Run = void (*)(std::string_view input);

/// Registers a target for fuzz-replay.
struct Target {
  Target(std::string_view name, Run run);
};

}  // namespace heddle::fuzz

#ifdef HEDDLE_LIBFUZZER
#define HEDDLE_FUZZ_TARGET(name)                                                      \
  static void run_##name(std::string_view input);                                     \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    run_##name({reinterpret_cast<const char*>(data), size});                          \
    return 0;                                                                         \
  }                                                                                   \
  static void run_##name(std::string_view input)
#else
#define HEDDLE_FUZZ_TARGET(name)                                      \
  static void run_##name(std::string_view input);                     \
  static const heddle::fuzz::Target target_##name{#name, run_##name}; \
  static void run_##name(std::string_view input)
#endif
