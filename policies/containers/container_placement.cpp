#include "policies/containers/container_placement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/assert.hpp"
#include "model/java_number.hpp"

namespace heddle::policies {
namespace {

__extension__ using Wide = __int128;  // product of three 32-bit numbers

struct Need {
  ResourceNameId host = 0;
  std::int32_t count = 0;
};

/// Expected share of the pending requests per host, if they spread evenly over the hosts they name.
class PendingShares {
public:
  explicit PendingShares(const std::vector<PendingGroup>& pending) {
    for (const auto& group : pending) {
      requests_ += group.count;
      for (const ResourceNameId host : group.hosts) add(host, group.count);
    }
  }
  [[nodiscard]] double of(ResourceNameId host) const {
    const auto place = static_cast<std::size_t>(host);
    if (place >= marks_.size() || marks_[place] == 0) return 0.0;
    return marks_[place] * static_cast<double>(requests_) / all_marks_;
  }
  /// Containers that a host needs for `expected` / `of` of the tasks, minus its running containers and its share of
  /// pending requests. Rounded up once, at the end.
  [[nodiscard]] std::int32_t exact_need(const HostHint& hint, std::int64_t expected, std::int64_t of) const {
    if (of <= 0) return 0;
    const auto place = static_cast<std::size_t>(hint.host);
    const Wide marks = place < marks_.size() ? marks_[place] : 0;
    const Wide all = std::max(all_marks_, 1);
    const Wide whole = of * all;
    const Wide missing = expected * all - (hint.containers * all + marks * requests_) * of;
    return missing <= 0 ? 0 : static_cast<std::int32_t>((missing + whole - 1) / whole);
  }

private:
  void add(ResourceNameId host, std::int32_t count) {
    const auto place = static_cast<std::size_t>(host);
    if (place >= marks_.size()) marks_.resize(place + 1);
    marks_[place] += count;
    all_marks_ = java::wrap_add(all_marks_, count);
  }

  std::vector<std::int32_t> marks_;
  std::int32_t all_marks_ = 0;
  std::int64_t requests_ = 0;
};

std::vector<Need> compute_needs(const PlacementInput& input) {
  const PendingShares shares{input.pending};
  std::int32_t all_tasks = 0;
  for (const auto& hint : input.hints) all_tasks = java::wrap_add(all_tasks, hint.tasks);
  const std::int32_t executors =
      java::to_int(std::ceil(input.locality_tasks / static_cast<double>(input.tasks_per_executor)));
  std::vector<Need> needs;
  needs.reserve(input.hints.size());
  for (const auto& hint : input.hints) {
    if (input.is_exact) {
      needs.push_back({hint.host, shares.exact_need(hint, std::int64_t{hint.tasks} * executors, all_tasks)});
      continue;
    }
    const double expected = static_cast<double>(hint.tasks) * executors / all_tasks;
    const double existing = hint.containers + shares.of(hint.host);
    const std::int32_t need = std::max(0, java::to_int(std::ceil(expected - existing)));
    needs.push_back({hint.host, need});
  }
  return needs;
}

/// Scales the needs to `containers`, rounded up, and drops hosts without need. Largest need first.
std::vector<Need> scale_needs(const std::vector<Need>& needs, std::int32_t containers) {
  std::int32_t most = 0;
  for (const auto& need : needs) most = std::max(most, need.count);
  std::vector<Need> scaled;
  scaled.reserve(needs.size());
  for (const auto& need : needs) {
    const double ratio = static_cast<double>(need.count) * containers / most;
    const std::int32_t count = java::to_int(std::ceil(ratio));
    if (count > 0) scaled.push_back({need.host, count});
  }
  std::sort(scaled.begin(), scaled.end(),
            [](const Need& a, const Need& b) { return a.count != b.count ? a.count > b.count : a.host < b.host; });
  return scaled;
}

}  // namespace

Placement place_containers(const PlacementInput& input) {
  HEDDLE_ASSERT(input.containers >= 0 && input.tasks_per_executor > 0, "containers or tasks per executor out of range");
  const auto needs = compute_needs(input);
  std::int32_t wanted = 0;
  for (const auto& need : needs) wanted = java::wrap_add(wanted, need.count);
  Placement placement;
  placement.free = std::max(0, java::wrap_int(std::int64_t{input.containers} - wanted));
  const std::int32_t aware = input.containers - placement.free;
  if (aware <= 0) return placement;

  const auto scaled = scale_needs(needs, aware);
  placement.hosts.reserve(scaled.size());
  for (const auto& need : scaled) placement.hosts.push_back(need.host);
  // Request i names the hosts with a scaled need above i. The list is walked from its end, where the needs are
  // smallest.
  std::int32_t described = 0;
  for (std::size_t hosts = scaled.size(); hosts > 0 && described < aware; --hosts) {
    const std::int32_t until = std::min(scaled[hosts - 1].count, aware);
    if (until <= described) continue;
    placement.groups.push_back({until - described, static_cast<std::int32_t>(hosts)});
    described = until;
  }
  return placement;
}

}  // namespace heddle::policies
