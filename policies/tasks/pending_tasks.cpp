#include "policies/tasks/pending_tasks.hpp"

namespace heddle::policies {

PendingList& PendingLists::of(std::int32_t key, std::uint32_t name_hash) {
  const auto place = static_cast<std::size_t>(key);
  if (place >= position_of_.size()) position_of_.resize(place + 1, -1);
  std::int32_t& position = position_of_[place];
  if (position < 0) {
    position = static_cast<std::int32_t>(lists_.size());
    lists_.emplace_back();
    keys_.push_back(key);
  }
  if (!table_.contains(position)) table_.add(position, name_hash);
  return lists_[static_cast<std::size_t>(position)];
}

}  // namespace heddle::policies
