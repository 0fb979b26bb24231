// The first waiting application starts as soon as its user and queues are below their limits.
#include "policies/cluster/fair/fair_running.hpp"

#include <algorithm>
#include <limits>

#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

constexpr std::int64_t end_of_list = std::numeric_limits<std::int64_t>::max();

/// Merges lists by start time. Equal times have the order of a plain binary heap, as in Hadoop.
class StartTimeMerge {
public:
  struct Head {
    std::size_t list;
    std::int64_t time;
  };
  void add(Head head) {
    heap_.push_back(head);
    std::size_t at = heap_.size() - 1;
    while (at > 0 && head.time < heap_[(at - 1) / 2].time) {
      heap_[at] = heap_[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    heap_[at] = head;
  }
  Head take() {
    const Head first = heap_.front();
    const Head last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return first;
    std::size_t at = 0;
    while (2 * at + 1 < heap_.size()) {
      std::size_t child = 2 * at + 1;
      if (child + 1 < heap_.size() && heap_[child].time > heap_[child + 1].time) ++child;
      if (last.time <= heap_[child].time) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = last;
    return first;
  }
  [[nodiscard]] bool has_next() const { return !heap_.empty() && heap_.front().time != end_of_list; }

private:
  std::vector<Head> heap_;
};

std::int32_t running_max_of(const config::FairSchedulerFile& file, std::int32_t id, const ResourceLedger& ledger) {
  const auto found = file.running_applications_max_of_user.find(ledger.users().name(id));
  return found == file.running_applications_max_of_user.end() ? file.running_applications_max_of_users : found->second;
}

void gather_waiting(const FairTree& tree, RowIndex row, std::vector<std::vector<RowIndex>>& lists) {
  const FairQueue& queue = tree.at(row);
  if (queue.running >= queue.limits.running_max) return;
  if (queue.is_leaf) lists.push_back(queue.waiting);
  else
    for (const RowIndex child : queue.children) gather_waiting(tree, child, lists);
}

}  // namespace

FairRunning::User& FairRunning::user(std::int32_t id) {
  if (users_.size() <= static_cast<std::size_t>(id)) users_.resize(static_cast<std::size_t>(id) + 1);
  return users_[static_cast<std::size_t>(id)];
}

std::string FairRunning::limit_of(const FairTree& tree, RowIndex leaf, std::int32_t id,
                                  const ResourceLedger& ledger) const {
  const std::int32_t running =
      static_cast<std::size_t>(id) < users_.size() ? users_[static_cast<std::size_t>(id)].running : 0;
  if (running >= running_max_of(tree.file(), id, ledger)) return ledger.users().name(id);
  for (RowIndex each = leaf; each != no_row; each = tree.at(each).parent)
    if (tree.at(each).running >= tree.at(each).limits.running_max) return tree.at(each).name;
  return {};
}

void FairRunning::start(FairTree& tree, FairUpdates& updates, RowIndex leaf, RowIndex row, std::int32_t id) {
  tree.application(row).is_runnable = true;
  tree.application(row).has_queue = true;
  tree.at(leaf).children.push_back(row);
  tree.at(leaf).order.is_stale = true;
  updates.count_running(tree, leaf, 1);
  ++user(id).running;
}

void FairRunning::wait(FairTree& tree, FairUpdates& updates, RowIndex leaf, RowIndex row, std::int32_t id) {
  tree.application(row).has_queue = true;
  updates.mark_demand(tree, leaf);
  tree.at(leaf).waiting.push_back(row);
  user(id).waiting.push_back(row);
}

std::vector<RowIndex> FairRunning::retry_waiting(FairTree& tree, FairUpdates& updates, const ResourceLedger& ledger) {
  std::vector<std::vector<RowIndex>> lists;
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const FairQueue& queue = tree.at(static_cast<RowIndex>(i));
    if (queue.waiting.empty()) continue;
    lists.push_back(queue.waiting);
    waiting += queue.waiting.size();
  }
  return promote(tree, updates, lists, waiting, ledger);
}

std::vector<RowIndex> FairRunning::promote(FairTree& tree, FairUpdates& updates,
                                           const std::vector<std::vector<RowIndex>>& lists, std::size_t count_max,
                                           const ResourceLedger& ledger) {
  std::vector<std::size_t> next(lists.size(), 0);
  StartTimeMerge merge;
  const auto head = [&](std::size_t list) {
    return StartTimeMerge::Head{
        list, next[list] < lists[list].size() ? tree.application(lists[list][next[list]]).start_ms : end_of_list};
  };
  for (std::size_t i = 0; i < lists.size(); ++i) merge.add(head(i));
  std::vector<RowIndex> promoted;
  while (merge.has_next() && promoted.size() < count_max) {
    const std::size_t list = merge.take().list;
    const RowIndex row = lists[list][next[list]++];
    merge.add(head(list));
    const std::int32_t owner = ledger.application(row).user;
    if (tree.application(row).is_runnable || !limit_of(tree, tree.application(row).queue, owner, ledger).empty())
      continue;
    start(tree, updates, tree.application(row).queue, row, owner);
    promoted.push_back(row);
  }
  for (const RowIndex row : promoted) {
    erase_value(tree.at(tree.application(row).queue).waiting, row);
    erase_value(user(ledger.application(row).user).waiting, row);
  }
  return promoted;
}

std::vector<RowIndex> FairRunning::remove(FairTree& tree, FairUpdates& updates, RowIndex row, std::int32_t id,
                                          const ResourceLedger& ledger) {
  if (!tree.application(row).has_queue) return {};
  const bool was_running = tree.application(row).is_runnable;
  remove_running(tree, updates, row, id);
  return was_running ? promote_after_removal(tree, updates, tree.application(row).queue, id, ledger)
                     : std::vector<RowIndex>{};
}

void FairRunning::remove_running(FairTree& tree, FairUpdates& updates, RowIndex row, std::int32_t id) {
  FairApplication& gone = tree.application(row);
  const RowIndex leaf = gone.queue;
  gone.has_queue = false;
  updates.mark_demand(tree, leaf);
  if (!gone.is_runnable) {
    erase_value(tree.at(leaf).waiting, row);
    erase_value(user(id).waiting, row);
    return;
  }
  gone.is_runnable = false;
  erase_value(tree.at(leaf).children, row);
  tree.at(leaf).order.is_stale = true;
  tree.at(leaf).masters.usage -= gone.master_size;
  for (const auto& [kind, amount] : gone.master_others) tree.at(leaf).masters.others.change(kind, -amount);
  --user(id).running;
  updates.count_running(tree, leaf, -1);
}

std::vector<RowIndex> FairRunning::promote_after_removal(FairTree& tree, FairUpdates& updates, RowIndex leaf,
                                                         std::int32_t id, const ResourceLedger& ledger) {
  RowIndex highest = no_row;
  for (RowIndex each = leaf; each != no_row; each = tree.at(each).parent)
    if (tree.at(each).running == tree.at(each).limits.running_max - 1) highest = each;
  std::vector<std::vector<RowIndex>> lists;
  if (highest != no_row) gather_waiting(tree, highest, lists);
  if (user(id).running == running_max_of(tree.file(), id, ledger) - 1) lists.push_back(user(id).waiting);
  return promote(tree, updates, lists, lists.size(), ledger);
}

std::vector<RowIndex> FairRunning::move(FairTree& tree, FairUpdates& updates, RowIndex row, RowIndex leaf,
                                        std::int32_t id, const ResourceLedger& ledger) {
  FairApplication& moving = tree.application(row);
  const bool was_running = moving.is_runnable;
  const RowIndex former = moving.queue;
  remove_running(tree, updates, row, id);
  moving.queue = leaf;
  const bool runs = limit_of(tree, leaf, id, ledger).empty();
  if (runs) start(tree, updates, leaf, row, id);
  else wait(tree, updates, leaf, row, id);
  if (runs) tree.at(leaf).masters.usage += moving.master_size;
  if (runs)
    for (const auto& [kind, amount] : moving.master_others) tree.at(leaf).masters.others.change(kind, amount);
  if (was_running) return promote_after_removal(tree, updates, former, id, ledger);
  return runs ? std::vector<RowIndex>{row} : std::vector<RowIndex>{};
}

FairMoveObstacle move_obstacle(const FairTree& tree, RowIndex from, RowIndex to, const MemoryAndCores& usage) {
  const auto is_above_former = [&](RowIndex queue) {
    for (RowIndex each = from; each != no_row; each = tree.at(each).parent)
      if (each == queue) return true;
    return false;
  };
  for (RowIndex each = to; !is_above_former(each); each = tree.at(each).parent) {
    if (tree.at(each).running >= tree.at(each).limits.running_max) return {each, true};
    if (!fits_in(tree.at(each).usage + usage, tree.at(each).limits.maximum_now)) return {each, false};
  }
  return {};
}

}  // namespace heddle::policies
