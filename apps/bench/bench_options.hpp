// The options of heddle-bench as plain values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "apps/cli/options.hpp"
#include "model/result.hpp"

namespace heddle::apps {

/// `automatic`: a table on a terminal, plain lines elsewhere.
enum class BenchFormat : std::uint8_t { automatic, table, markdown, json, jsonl };

struct BenchOptions {
  std::vector<std::string> measures;  // empty: all
  BenchFormat format = BenchFormat::automatic;
  std::string folder;  // of inputs that stay; empty: they are removed after the run
  std::int32_t turns = 5;
  bool is_quick = false;
  bool is_checked = false;
  bool quiet = false;
};

/// The arguments of heddle-bench without the program's name. An unknown option is a usage error, an unknown measure is
/// not found; both name the nearest known one.
[[nodiscard]] Result<std::variant<Answer, BenchOptions>> parse_bench(std::span<const std::string> words);

}  // namespace heddle::apps
