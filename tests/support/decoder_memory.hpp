// The limit of decoders: 1 MB of hostile bytes makes none use more than 64 MB.
#pragma once

#include <malloc.h>

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "tests/support/sanitizer.hpp"

namespace heddle::tests {

inline constexpr std::size_t hostile_bytes = 1 << 20;
inline constexpr std::int64_t decoder_limit_kib = 64 << 10;

/// A value of /proc/self/status in KiB: VmRSS, or VmHWM, its maximum.
inline std::int64_t memory_kib(const std::string& name) {
  std::ifstream status{"/proc/self/status"};
  std::string word;
  std::int64_t value = -1;
  while (status >> word)
    if (word == name + ":") status >> value;
  return value;
}

/// Peak of resident memory during the call, above the memory before.
inline std::int64_t peak_kib(const std::function<void()>& decode) {
  ::malloc_trim(0);
  std::ofstream{"/proc/self/clear_refs"} << "5";
  const auto before = memory_kib("VmRSS");
  decode();
  return memory_kib("VmHWM") - before;
}

/// The limit holds for this call. Expects nothing under AddressSanitizer, which has memory of its own.
inline void check_decoder_memory(const std::string& what, const std::function<void()>& decode) {
  const auto peak = peak_kib(decode);
  if (HEDDLE_HAS_ASAN == 0) BOOST_TEST(peak < decoder_limit_kib, what << ": " << peak << " KiB");
}

/// A piece as often as it fits into 1 MB.
inline std::string repeated(std::string_view piece) {
  std::string bytes;
  while (bytes.size() + piece.size() <= hostile_bytes) bytes += piece;
  return bytes;
}

}  // namespace heddle::tests
