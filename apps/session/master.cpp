#include "apps/session/master.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

namespace heddle::apps {
namespace {

std::optional<std::vector<std::string_view>> words_in_brackets(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::string_view> words;
  while (true) {
    const auto comma = text.find(',');
    words.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::int32_t> positive(std::string_view word) {
  while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
  std::int32_t number = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (fault != std::errc{} || end != word.data() + word.size() || number < 1) return std::nullopt;
  return number;
}

std::optional<Master> local(std::string_view text, std::int32_t machine_cores) {
  Master master;
  if (text == "local") return master;
  const auto words = words_in_brackets(text, "local");
  if (!words || words->size() > 2) return std::nullopt;
  const auto slots = words->front() == "*" ? std::optional{machine_cores} : positive(words->front());
  const auto tries = words->size() == 2 ? positive((*words)[1]) : std::optional{1};
  if (!slots || !tries) return std::nullopt;
  master.slots = *slots;
  master.tries = *tries;
  return master;
}

std::optional<Master> local_cluster(std::string_view text) {
  const auto words = words_in_brackets(text, "local-cluster");
  if (!words || words->size() != 3) return std::nullopt;
  const auto nodes = positive((*words)[0]);
  const auto cores = positive((*words)[1]);
  const auto memory = positive((*words)[2]);
  if (!nodes || !cores || !memory) return std::nullopt;
  return Master{Master::Kind::local_cluster, 1, 4, *nodes, *cores, *memory};
}

}  // namespace

Result<Master> parse_master(std::string_view text, std::int32_t machine_cores) {
  if (const auto master = local(text, machine_cores)) return *master;
  if (const auto master = local_cluster(text)) return *master;
  for (const std::string_view later : {"heddle://", "yarn", "virtual"})
    if (text.starts_with(later)) return Error{Errc::usage, fmt::format("master '{}' is not available in this version", text)};
  return Error{Errc::usage,
               fmt::format("master '{}' is not known; write local[N], local[*], local[N,TRIES] or local-cluster[NODES,CORES,MIB]", text)};
}

}  // namespace heddle::apps
