#include "work/tasks/location_tables.hpp"

#include <utility>

namespace heddle::work {

void LocationTables::set(Table table) {
  const ShuffleId shuffle = table->shuffle;
  {
    const std::lock_guard lock{mutex_};
    tables_[shuffle] = std::move(table);
  }
  changed_.notify_all();
}

void LocationTables::erase(ShuffleId shuffle) {
  {
    const std::lock_guard lock{mutex_};
    tables_.erase(shuffle);
  }
  changed_.notify_all();
}

LocationTables::Table LocationTables::find(ShuffleId shuffle) const {
  const auto found = tables_.find(shuffle);
  return found == tables_.end() ? nullptr : found->second;
}

LocationTables::Table LocationTables::latest(ShuffleId shuffle) {
  const std::lock_guard lock{mutex_};
  return find(shuffle);
}

LocationTables::Table LocationTables::wait_for_other(ShuffleId shuffle, const Table& known,
                                                     const std::atomic<bool>& is_killed,
                                                     std::optional<Deadline> deadline) {
  std::unique_lock lock{mutex_};
  const auto has_changed = [&] { return is_killed.load() || find(shuffle) != known; };
  if (deadline) changed_.wait_until(lock, *deadline, has_changed);
  else changed_.wait(lock, has_changed);
  return is_killed.load() ? nullptr : find(shuffle);
}

void LocationTables::wake() {
  // Whoever looked at its flag before it was set waits by now.
  { const std::lock_guard lock{mutex_}; }
  changed_.notify_all();
}

}  // namespace heddle::work
