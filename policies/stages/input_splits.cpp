#include "policies/stages/input_splits.hpp"

#include <algorithm>
#include <string_view>

#include "model/assert.hpp"

namespace heddle::policies {
namespace {

constexpr double slop = 1.1;

struct Contribution {
  std::string name;
  std::int64_t bytes = 0;
  std::size_t last_block = SIZE_MAX;
  std::vector<Contribution> hosts;  // of a rack

  // Counts each block once, even with several replicas here.
  void add(std::size_t block, std::int64_t value) {
    if (last_block == block) return;
    last_block = block;
    bytes += value;
  }
};

Contribution& entry(std::vector<Contribution>& list, std::string_view name) {
  for (auto& item : list)
    if (item.name == name) return item;
  list.emplace_back();
  list.back().name = name;
  return list.back();
}

void sort_by_bytes(std::vector<Contribution>& list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const Contribution& a, const Contribution& b) { return a.bytes > b.bytes; });
}

std::string_view rack_of(const std::vector<HostRack>& racks, std::string_view host) {
  for (const auto& item : racks)
    if (item.host == host) return item.rack;
  return "/default-rack";
}

std::size_t block_at(const SplitFile& file, std::int64_t offset) {
  return static_cast<std::size_t>(offset / file.block_bytes);
}

std::vector<std::string> hosts_of_block(const SplitFile& file, std::size_t block) {
  return block < file.block_hosts.size() ? file.block_hosts[block] : std::vector<std::string>{};
}

// As many hosts as the last block has replicas: racks with most bytes first, in each rack the hosts with most bytes.
std::vector<std::string> best_hosts(std::vector<Contribution>& contributions, std::size_t wanted) {
  std::vector<std::string> hosts;
  sort_by_bytes(contributions);
  for (auto& rack : contributions) {
    sort_by_bytes(rack.hosts);
    for (const auto& host : rack.hosts) {
      if (hosts.size() == wanted) return hosts;
      hosts.push_back(host.name);
    }
  }
  return hosts;
}

std::vector<std::string> hosts_of_range(const SplitFile& file, std::int64_t offset, std::int64_t length,
                                        const std::vector<HostRack>& racks) {
  const auto first = block_at(file, offset);
  const auto block_end = [&](std::size_t block) {
    return std::min(file.length, (static_cast<std::int64_t>(block) + 1) * file.block_bytes);
  };
  if (block_end(first) - offset >= length) return hosts_of_block(file, first);
  std::vector<Contribution> contributions;
  std::size_t wanted = 0;
  const auto end = offset + length;
  for (auto block = first; static_cast<std::int64_t>(block) * file.block_bytes < end; ++block) {
    const auto begin = std::max(offset, static_cast<std::int64_t>(block) * file.block_bytes);
    const auto bytes = std::min(end, block_end(block)) - begin;
    const auto hosts = hosts_of_block(file, block);
    for (const auto& host : hosts) {
      auto& rack = entry(contributions, rack_of(racks, host));
      rack.add(block, bytes);
      entry(rack.hosts, host).add(block, bytes);
    }
    wanted = hosts.size();
  }
  return best_hosts(contributions, wanted);
}

std::vector<std::string> hosts_of_split(const SplitFile& file, std::int64_t offset, std::int64_t length,
                                        const SplitSettings& settings, const std::vector<HostRack>& racks) {
  if (file.block_hosts.empty()) return {};
  return settings.old_interface ? hosts_of_range(file, offset, length, racks)
                                : hosts_of_block(file, block_at(file, offset));
}

/// As in Hadoop, nothing is known about a split of the old interface that spans blocks.
std::vector<std::string> cached_hosts_of_split(const SplitFile& file, std::int64_t offset, std::int64_t length,
                                               const SplitSettings& settings) {
  const auto block = block_at(file, offset);
  if (block >= file.block_cached_hosts.size()) return {};
  const auto end = std::min(file.length, (static_cast<std::int64_t>(block) + 1) * file.block_bytes);
  const bool spans_blocks = end - offset < length;
  return settings.old_interface && spans_blocks ? std::vector<std::string>{} : file.block_cached_hosts[block];
}

std::int64_t split_bytes_of(const SplitFile& file, const SplitSettings& settings, std::int64_t total) {
  const auto least = std::max<std::int64_t>(1, settings.split_bytes_min);
  const auto goal = settings.old_interface ? total / std::max(1, settings.wanted_splits) : settings.split_bytes_max;
  return std::max(least, std::min(goal, file.block_bytes));
}

void cut_file(const SplitFile& file, std::int64_t split_bytes, const SplitSettings& settings,
              const std::vector<HostRack>& racks, std::vector<InputSplit>& splits) {
  const auto add = [&](std::int64_t offset, std::int64_t length) {
    splits.push_back(InputSplit{file.path, offset, length, hosts_of_split(file, offset, length, settings, racks),
                                cached_hosts_of_split(file, offset, length, settings)});
  };
  if (file.length == 0) return splits.push_back(InputSplit{file.path, 0, 0, {}});
  if (!file.is_splittable) return add(0, file.length);
  auto left = file.length;
  while (static_cast<double>(left) / static_cast<double>(split_bytes) > slop) {
    add(file.length - left, split_bytes);
    left -= split_bytes;
  }
  if (left != 0) add(file.length - left, left);
}

}  // namespace

std::vector<InputSplit> compute_splits(const std::vector<SplitFile>& files, const SplitSettings& settings,
                                       const std::vector<HostRack>& racks) {
  std::int64_t total = 0;
  for (const auto& file : files) {
    HEDDLE_ASSERT(file.length >= 0 && file.block_bytes > 0, "a file has a length and blocks have bytes");
    total += file.length;
  }
  std::vector<InputSplit> splits;
  for (const auto& file : files) cut_file(file, split_bytes_of(file, settings, total), settings, racks, splits);
  return splits;
}

void order_for_submission(std::vector<InputSplit>& splits) {
  std::stable_sort(splits.begin(), splits.end(),
                   [](const InputSplit& a, const InputSplit& b) { return a.length > b.length; });
}

}  // namespace heddle::policies
