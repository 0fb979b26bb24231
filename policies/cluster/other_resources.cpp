#include "policies/cluster/other_resources.hpp"

#include <limits>

namespace heddle::policies {

OthersId OtherResources::intern(const ResourceAmounts& others) {
  List wanted;
  for (const ResourceAmount& each : others) {
    if (each.amount <= 0) continue;
    const auto [row, is_new] = kinds_.try_emplace(each.name, static_cast<std::int32_t>(names_.size()));
    if (is_new) names_.push_back(each.name);
    wanted.emplace_back(row->second, each.amount);
  }
  if (wanted.empty()) return no_others;
  std::sort(wanted.begin(), wanted.end());
  const auto [row, is_new] = ids_.try_emplace(wanted, static_cast<OthersId>(lists_.size()));
  if (is_new) lists_.push_back(std::move(wanted));
  return row->second;
}

ResourceAmounts OtherResources::amounts(OthersId id) const {
  ResourceAmounts others;
  for (const auto& [kind, amount] : list(id)) others.set(name(kind), amount);
  return others;
}

std::int64_t OtherResources::amount_of(OthersId id, std::int32_t kind) const {
  for (const auto& [each, amount] : list(id))
    if (each == kind) return amount;
  return 0;
}

std::string OtherResources::in_words(OthersId id) const {
  std::string words;
  for (const auto& [kind, amount] : list(id))
    words += (words.empty() ? "" : ", ") + name(kind) + "=" + std::to_string(amount);
  return words;
}

void OtherResources::add_node(std::size_t node, const ResourceAmounts& capacity) {
  const OthersId what = intern(capacity);
  if (what == no_others) return;
  if (node >= free_.size()) {
    free_.resize(node + 1);
    capacity_.resize(node + 1);
  }
  change(free_[node], what, 1);
  change(capacity_[node], what, 1);
  change_available(what, 1);
  change(total_, what, 1);
}

void OtherResources::remove_node(std::size_t node) {
  if (node >= free_.size()) return;
  for (std::size_t i = 0; i < capacity_[node].size(); ++i) {
    const auto kind = static_cast<std::int32_t>(i);
    available_.change(kind, -capacity_[node].of(kind));
    total_.change(kind, -capacity_[node].of(kind));
  }
  free_[node].clear();
  capacity_[node].clear();
}

std::int64_t OtherResources::count_fitting(std::size_t node, OthersId what) const {
  std::int64_t count = std::numeric_limits<std::int32_t>::max();
  for (const auto& [kind, amount] : list(what))
    count = std::min(count, std::max<std::int64_t>(0, free_of(node).of(kind)) / amount);
  return count;
}

bool OtherResources::fits_empty(std::size_t node, OthersId what) const { return is_within(what, capacity_of(node)); }

bool OtherResources::is_within(OthersId id, const OtherAmounts& amounts) const {
  const List& wanted = list(id);
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& each) { return each.second <= amounts.of(each.first); });
}

}  // namespace heddle::policies
