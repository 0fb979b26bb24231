// The limit of masters is a part of the fair share, or of the available resources if there is no share yet.
#include "policies/cluster/fair/fair_limits.hpp"

#include <algorithm>
#include <cmath>

#include "model/java_number.hpp"
#include "policies/cluster/resource_calculator.hpp"

namespace heddle::policies {
namespace {

std::int64_t share_rounded_up(std::int64_t amount, float share) {
  return java::to_long(std::ceil(static_cast<double>(amount) * static_cast<double>(share)));
}

bool may_master_hold(const FairBooks& books, RowIndex row, OthersId others) {
  const RowIndex leaf = books.ledger.application(row).queue;
  const OtherResources::List& wanted = books.ledger.others().list(others);
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& each) {
    const auto limit = master_limit(books, leaf, each.first);
    return !limit || books.queues.at(leaf).masters.others.of(each.first) + each.second <= *limit;
  });
}

}  // namespace

std::optional<MemoryAndCores> master_limit(const FairBooks& books, RowIndex leaf) {
  const FairQueue& queue = books.queues.at(leaf);
  if (std::abs(queue.limits.master_share_max + 1.0F) < 0.0001F) return std::nullopt;
  const MemoryAndCores most = queue.limits.maximum_now;
  MemoryAndCores limit = queue.fair_share;
  if (limit.memory_mib == 0) limit.memory_mib = std::min(books.available.memory_mib, most.memory_mib);
  if (limit.cores == 0) limit.cores = std::min(books.available.cores, most.cores);
  return MemoryAndCores{share_rounded_up(limit.memory_mib, queue.limits.master_share_max),
                        share_rounded_up(limit.cores, queue.limits.master_share_max)};
}

std::optional<std::int64_t> master_limit(const FairBooks& books, RowIndex leaf, std::int32_t kind) {
  const FairQueue& queue = books.queues.at(leaf);
  if (std::abs(queue.limits.master_share_max + 1.0F) < 0.0001F) return std::nullopt;
  std::int64_t most = std::max<std::int64_t>(0, books.ledger.others().available().of(kind));
  if (const auto maximum = maximum_of_kind(queue, books.ledger.others(), kind)) most = std::min(most, *maximum);
  return share_rounded_up(most, queue.limits.master_share_max);
}

bool may_master_start(const FairBooks& books, RowIndex row) {
  const LedgerApplication& application = books.ledger.application(row);
  if (application.is_master_running || !application.master) return true;
  for (const PriorityAsks& asks : application.asks.priorities()) {
    if (!asks.is_pending) continue;
    const std::optional<MemoryAndCores> limit = master_limit(books, application.queue);
    const AskEntry& any = *asks.find(any_place);
    return !limit || (fits_in(books.queues.at(application.queue).masters.usage + any.capability, *limit) &&
                      may_master_hold(books, row, any.others));
  }
  return false;
}

bool asks_what_queue_lacks(const FairQueue& queue, const MemoryAndCores& ask) {
  const MemoryAndCores most = queue.limits.maximum_now;
  return (ask.memory_mib > 0 && most.memory_mib == 0) || (ask.cores > 0 && most.cores == 0);
}

void list_excluded_nodes(FairBooks& books, RowIndex row) {
  FairApplication& application = books.queues.application(row);
  application.excluded_nodes.clear();
  application.excluded_and_gone = MemoryAndCores{};
  for (const ResourceNameId place : books.ledger.application(row).excluded)
    for (const RowIndex node : books.ledger.nodes().of_place(place))
      if (std::find(application.excluded_nodes.begin(), application.excluded_nodes.end(), node) ==
          application.excluded_nodes.end())
        application.excluded_nodes.push_back(node);
}

MemoryAndCores headroom_of(const FairBooks& books, RowIndex row) {
  const FairApplication& application = books.queues.application(row);
  const FairQueue& queue = books.queues.at(application.queue);
  MemoryAndCores available = books.ledger.cluster() - books.ledger.used();
  for (const RowIndex node : application.excluded_nodes)
    take_not_below_zero(available, books.ledger.node(node).unallocated);
  if (application.excluded_and_gone != MemoryAndCores{}) take_not_below_zero(available, application.excluded_and_gone);
  const MemoryAndCores left = queue.limits.maximum_now - queue.usage;
  const MemoryAndCores most = smaller_of_each(available, left);
  const MemoryAndCores share = queue.fair_share - queue.usage;
  MemoryAndCores headroom{std::min(most.memory_mib, std::max<std::int64_t>(share.memory_mib, 0)), most.cores};
  if (queue.policy == FairPolicy::dominant_resource)
    headroom.cores = std::min(most.cores, std::max<std::int64_t>(share.cores, 0));
  return headroom;
}

}  // namespace heddle::policies
