#include "config/files/stage_order.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "config/text/did_you_mean.hpp"

namespace heddle::config {
namespace {

using Kind = StageOrderFault::Kind;
using IndexOfName = std::map<std::string, std::size_t, std::less<>>;

StageOrderFault index_names(const std::vector<NamedStage>& stages, IndexOfName& index_of_name) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto& name = stages[i].description.name;
    if (!index_of_name.emplace(name, i).second)
      return {Kind::duplicate_name, i, fmt::format("two stages are named \"{}\"", name)};
  }
  return {};
}

StageOrderFault unknown_parent(const std::vector<NamedStage>& stages, std::size_t stage, const std::string& parent) {
  std::vector<std::string_view> names;
  for (const auto& known : stages) names.push_back(known.description.name);
  return {Kind::unknown_parent, stage, fmt::format("no stage is named \"{}\"{}", parent, suggestion(parent, names))};
}

}  // namespace

StageOrderFault order_stages(std::vector<NamedStage> stages, std::vector<StageDescription>& ordered) {
  IndexOfName index_of_name;
  if (auto fault = index_names(stages, index_of_name); fault.kind != Kind::none) return fault;
  std::vector<std::vector<std::size_t>> children(stages.size());
  std::vector<std::size_t> parents_left(stages.size(), 0);
  for (std::size_t i = 0; i < stages.size(); ++i)
    for (const auto& parent : stages[i].after) {
      const auto found = index_of_name.find(parent);
      if (found == index_of_name.end()) return unknown_parent(stages, i, parent);
      children[found->second].push_back(i);
      ++parents_left[i];
    }
  std::vector<std::int32_t> position(stages.size(), -1);
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (parents_left[i] == 0) ready.insert(i);
  while (!ready.empty()) {
    const auto i = *ready.begin();
    ready.erase(ready.begin());
    position[i] = static_cast<std::int32_t>(ordered.size());
    auto& description = stages[i].description;
    for (const auto& parent : stages[i].after)
      description.parents.push_back(position[index_of_name.find(parent)->second]);
    ordered.push_back(std::move(description));
    for (const auto child : children[i])
      if (--parents_left[child] == 0) ready.insert(child);
  }
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (position[i] < 0)
      return {Kind::cycle, i, fmt::format("stage \"{}\" depends on itself through after", stages[i].description.name)};
  return {};
}

}  // namespace heddle::config
