#include "policies/tasks/types/executor_directory.hpp"

#include <algorithm>

#include "model/assert.hpp"
#include "model/java_text.hpp"

namespace heddle::policies {

void ExecutorDirectory::introduce_host(HostId id, std::string_view name, std::string_view rack) {
  Host& record = host(id);
  record.name = name;
  record.name_hash = java::string_hash(name);
  if (rack.empty()) return;
  const auto [row, is_new] = rack_numbers_.try_emplace(std::string{rack}, static_cast<std::int32_t>(racks_.size()));
  if (is_new) {
    Rack made;
    made.name = rack;
    made.name_hash = java::string_hash(rack);
    racks_.push_back(std::move(made));
  }
  rack_of_[static_cast<std::size_t>(id.value)] = row->second;
}

void ExecutorDirectory::introduce_executor(ExecutorId id, std::string_view name) {
  Executor& record = executor(static_cast<std::int32_t>(id.value));
  record.name_hash = java::string_hash(name);
}

void ExecutorDirectory::make_executors(std::int32_t last) {
  HEDDLE_ASSERT(last >= 0, "executor " + std::to_string(last));
  while (static_cast<std::size_t>(last) >= executors_.size()) {
    Executor made;
    made.name_hash = java::string_hash(std::to_string(executors_.size()));
    executors_.push_back(made);
    pasts_.emplace_back();
  }
}

ExecutorDirectory::Host& ExecutorDirectory::host(HostId id) {
  HEDDLE_ASSERT(id.value >= 0, "host " + std::to_string(id.value));
  if (static_cast<std::size_t>(id.value) >= hosts_.size()) {
    hosts_.resize(static_cast<std::size_t>(id.value) + 1);
    rack_of_.resize(hosts_.size(), -1);
  }
  return hosts_[static_cast<std::size_t>(id.value)];
}

const ExecutorDirectory::Executor* ExecutorDirectory::find_executor(std::int32_t number) const {
  return number >= 0 && static_cast<std::size_t>(number) < executors_.size()
             ? &executors_[static_cast<std::size_t>(number)]
             : nullptr;
}

const ExecutorDirectory::Host* ExecutorDirectory::find_host(HostId id) const {
  return id.value >= 0 && static_cast<std::size_t>(id.value) < hosts_.size()
             ? &hosts_[static_cast<std::size_t>(id.value)]
             : nullptr;
}

std::uint32_t ExecutorDirectory::name_hash_of(std::int32_t number) const {
  const Executor* record = find_executor(number);
  return record == nullptr ? java::string_hash(std::to_string(number)) : record->name_hash;
}

std::uint32_t ExecutorDirectory::name_hash_of(HostId id) const {
  const Host* record = find_host(id);
  return record == nullptr ? 0 : record->name_hash;
}

bool ExecutorDirectory::record_first_offer(std::int32_t number, HostId id) {
  Host& place = host(id);
  if (!place.is_known) {
    place.is_known = true;
    ++known_hosts_;
  }
  Executor& record = executor(number);
  const bool is_new = !record.is_known;
  if (is_new) {
    if (std::find(place.executors.begin(), place.executors.end(), number) == place.executors.end())
      place.executors.push_back(number);
    record.host = id;
    record.has_host = true;
    record.is_known = true;
  }
  if (const std::int32_t rack = rack_of(id); rack >= 0 && !place.is_on_rack) {
    place.is_on_rack = true;
    racks_[static_cast<std::size_t>(rack)].hosts.push_back(id.value);
  }
  return is_new;
}

bool ExecutorDirectory::record_slots(std::int32_t number, std::int32_t free) {
  Executor& record = executor(number);
  const std::int32_t slots = free + record.known_attempts;
  if (slots <= record.slots) return false;
  record.slots = slots;
  slots_most_ = std::max(slots_most_, slots);
  return true;
}

std::int32_t ExecutorDirectory::running_on(HostId id) const {
  const Host* place = find_host(id);
  std::int32_t running = 0;
  if (place != nullptr)
    for (const std::int32_t number : place->executors) {
      const Executor& record = executors_[static_cast<std::size_t>(number)];
      running += record.slots > 0 || !is_alive(number) ? record.known_attempts : slots_most_;
    }
  return running;
}

std::int32_t ExecutorDirectory::slots_of(HostId id) const {
  const Host* place = find_host(id);
  std::int32_t slots = 0;
  if (place != nullptr)
    for (const std::int32_t number : place->executors)
      if (is_alive(number)) {
        const std::int32_t known = executors_[static_cast<std::size_t>(number)].slots;
        slots += known > 0 ? known : slots_most_;
      }
  return slots;
}

void ExecutorDirectory::remove(std::int32_t number) {
  Executor& record = executor(number);
  record.is_known = false;
  record.known_attempts = 0;
  record.is_decommissioned = false;
  record.host_is_decommissioned = false;
  Host& place = host(record.host);
  std::erase(place.executors, number);
  if (!place.executors.empty() || !place.is_known) return;
  place.is_known = false;
  --known_hosts_;
  if (!place.is_on_rack) return;
  place.is_on_rack = false;
  std::erase(racks_[static_cast<std::size_t>(rack_of(record.host))].hosts, record.host.value);
}

DecommissionState ExecutorDirectory::decommission_state(std::int32_t number) const {
  const Executor& record = executors_[static_cast<std::size_t>(number)];
  DecommissionState state{past(number).decommissioned_at, std::nullopt};
  if (record.host_is_decommissioned) state.host = record.host;
  return state;
}

bool ExecutorDirectory::is_alive(std::int32_t number) const {
  const Executor* record = find_executor(number);
  return record != nullptr && record->is_known && !record->is_decommissioned;
}

bool ExecutorDirectory::has_alive_executor(HostId id) const {
  const Host* place = find_host(id);
  if (place == nullptr) return false;
  return std::any_of(place->executors.begin(), place->executors.end(), [this](std::int32_t number) {
    return !executors_[static_cast<std::size_t>(number)].is_decommissioned;
  });
}

bool ExecutorDirectory::is_host_decommissioned(const Host& place) const {
  return std::any_of(place.executors.begin(), place.executors.end(), [this](std::int32_t number) {
    const Executor& record = executors_[static_cast<std::size_t>(number)];
    return record.is_decommissioned && record.host_is_decommissioned;
  });
}

bool ExecutorDirectory::rack_is_alive(std::int32_t number) const {
  const std::vector<std::int32_t>& members = rack(number).hosts;
  return std::any_of(members.begin(), members.end(), [this](std::int32_t host) {
    return !is_host_decommissioned(hosts_[static_cast<std::size_t>(host)]);
  });
}

}  // namespace heddle::policies
