// Resource types besides memory and cores in the scheduler: how much each node has, and what its containers hold of it.
// The scheduler keeps names and ResourceAmounts by number: an ask without other types costs one comparison, an ask
// with them one per type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/resources.hpp"

namespace heddle::policies {

/// A list of kinds and amounts that was seen; 0 is the empty one.
using OthersId = std::int32_t;
inline constexpr OthersId no_others = 0;

/// Amounts by the number of their kind; what is beyond the end is 0.
class OtherAmounts {
public:
  [[nodiscard]] std::int64_t of(std::int32_t kind) const {
    return static_cast<std::size_t>(kind) < amounts_.size() ? amounts_[static_cast<std::size_t>(kind)] : 0;
  }
  void change(std::int32_t kind, std::int64_t by) {
    if (static_cast<std::size_t>(kind) >= amounts_.size()) amounts_.resize(static_cast<std::size_t>(kind) + 1);
    amounts_[static_cast<std::size_t>(kind)] += by;
  }
  [[nodiscard]] std::size_t size() const { return amounts_.size(); }
  void clear() { amounts_.clear(); }

private:
  std::vector<std::int64_t> amounts_;
};

class OtherResources {
public:
  using List = std::vector<std::pair<std::int32_t, std::int64_t>>;  // kind ascending, amount above 0

  [[nodiscard]] OthersId intern(const ResourceAmounts& others);
  [[nodiscard]] const List& list(OthersId id) const { return lists_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] ResourceAmounts amounts(OthersId id) const;
  [[nodiscard]] const std::string& name(std::int32_t kind) const { return names_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] bool is_within(OthersId id, const OtherAmounts& amounts) const;
  /// Of one kind in such a list.
  [[nodiscard]] std::int64_t amount_of(OthersId id, std::int32_t kind) const;
  /// "yarn.io/gpu=2, yarn.io/fpga=1"
  [[nodiscard]] std::string in_words(OthersId id) const;

  // -- nodes, by row ----------------------------------------------------------
  void add_node(std::size_t node, const ResourceAmounts& capacity);
  void remove_node(std::size_t node);
  void charge(std::size_t node, OthersId what) { change(node, what, -1); }
  void release(std::size_t node, OthersId what) { change(node, what, 1); }
  /// How many of such containers the node has room for.
  [[nodiscard]] std::int64_t count_fitting(std::size_t node, OthersId what) const;
  [[nodiscard]] bool fits(std::size_t node, OthersId what) const { return count_fitting(node, what) > 0; }
  [[nodiscard]] bool fits_empty(std::size_t node, OthersId what) const;
  [[nodiscard]] const OtherAmounts& free_of(std::size_t node) const {
    return node < free_.size() ? free_[node] : nothing_;
  }
  [[nodiscard]] const OtherAmounts& capacity_of(std::size_t node) const {
    return node < capacity_.size() ? capacity_[node] : nothing_;
  }

  // -- the cluster: what live containers leave -----------------------------------
  [[nodiscard]] const OtherAmounts& available() const { return available_; }
  /// What all nodes have.
  [[nodiscard]] const OtherAmounts& total() const { return total_; }
  void change_available(OthersId what, std::int64_t times) { change(available_, what, times); }
  void change(OtherAmounts& amounts, OthersId what, std::int64_t times) const {
    for (const auto& [kind, amount] : list(what)) amounts.change(kind, amount * times);
  }

private:
  void change(std::size_t node, OthersId what, std::int64_t times) { change(free_[node], what, times); }

  std::vector<std::string> names_;
  std::map<std::string, std::int32_t, std::less<>> kinds_;
  std::vector<List> lists_{1};
  std::map<List, OthersId> ids_;
  std::vector<OtherAmounts> capacity_;
  std::vector<OtherAmounts> free_;
  OtherAmounts nothing_;
  OtherAmounts available_;
  OtherAmounts total_;
};

}  // namespace heddle::policies
