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
  std::string folder;  // folder for inputs; empty: temporary
  std::string master;  // of the measures that have a cluster; empty: a local cluster
  std::int32_t turns = 5;
  bool is_quick = false;
  bool is_checked = false;
  bool quiet = false;
};

/// Parses the arguments of heddle-bench, without the program name. Errc::usage for an unknown option, Errc::not_found
/// for an unknown measure; both name the most similar one.
[[nodiscard]] Result<std::variant<Answer, BenchOptions>> parse_bench(std::span<const std::string> words);

}  // namespace heddle::apps
