// Generated inputs, and the output folder of one measure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apps/bench/measure.hpp"
#include "apps/bench/text_digest.hpp"
#include "model/result.hpp"

namespace heddle::apps {

inline constexpr double gibibyte = 1 << 30;

/// Returns `published` bytes times the scale of this run, at least 1 MiB.
[[nodiscard]] std::int64_t text_bytes(const BenchPlace& place, double published);

/// Path of a generated input of at least `bytes` bytes; created once per input folder. `kind`: of heddle-bare generate.
[[nodiscard]] Result<std::string> text_input(const BenchPlace& place, const std::string& kind, std::int64_t bytes);

/// Folder for outputs; cleared at construction and destruction.
class OutputFolder {
public:
  explicit OutputFolder(const BenchPlace& place);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  [[nodiscard]] std::string path(std::string_view name) const;

private:
  std::string path_;
};

/// Errc::internal if the lines differ.
[[nodiscard]] Result<Done> expect_same(const Result<TextDigest>& ours, const Result<TextDigest>& theirs);

}  // namespace heddle::apps
