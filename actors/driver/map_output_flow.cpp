#include "actors/driver/map_output_flow.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

namespace heddle::actors {
namespace {

/// Executors of the node, also lost ones, have written map outputs there. They are lost.
void lose_outputs(Turn& turn, NodeId node, HostId host) {
  auto& state = turn.state;
  policies::StageEffects effects;
  std::set<ExecutorId> lost;
  for (auto& [id, entry] : state.executors) {
    if (entry.place.node != node) continue;
    state.stage_scheduler.apply(turn.now, stage_input::ExecutorGone{id, host}, effects);
    lost.insert(id);
  }
  state.migration.remove_sources(lost);
  state.broadcast.mark_all_changed();
  turn.effects.push(std::move(effects));
}

}  // namespace

void remove_node(Turn& turn, const RemoveNode& message) {
  auto& state = turn.state;
  const auto host = turn.host_id(message.host);
  turn.write_event("node_removed", ports::EventFields{}.add("node", message.node).add("host", message.host));
  turn.notify_clients(fmt::format("node {} is lost with the map outputs that it served", message.host));
  state.migration.remove_host(host);  // a new node of this name is a different node
  lose_outputs(turn, message.node, host);
}

/// Another executor of the node serves its map outputs from now on. Without one, they are lost.
void apply(Turn& turn, const ReplaceOutputServer& step) {
  auto& state = turn.state;
  if (state.executors.first_live_on(step.node) == nullptr) return lose_outputs(turn, step.node, step.host);
  std::vector<std::pair<ExecutorId, ShuffleId>> readers;
  for (const auto shuffle : state.stage_scheduler->outputs().shuffles())
    for (const auto& [id, reader] : state.executors)
      if (reader.is_live() && state.broadcast.has_received(id, shuffle)) readers.emplace_back(id, shuffle);
  state.broadcast.restart();  // the places of the outputs stay, but their address changes
  for (const auto& [id, shuffle] : readers)
    send_map_outputs(turn, id, state.executors.find(id)->epoch,
                     {shuffle, state.stage_scheduler->outputs().maps(shuffle), {}});
}

std::optional<MapOutputLocation> location_of_outputs(const DriverState& state, ExecutorId writer) {
  const auto* entry = state.executors.find(writer);
  if (entry == nullptr) return std::nullopt;
  if (!state.settings.map_outputs.executors_serve || entry->is_live()) return entry->place;
  const auto* server = state.executors.first_live_on(entry->place.node);
  if (server == nullptr) return std::nullopt;
  auto place = entry->place;
  place.address = server->place.address;
  return place;
}

void send_map_outputs(Turn& turn, ExecutorId executor, Epoch epoch, const ShuffleInput& shuffle) {
  auto& state = turn.state;
  std::optional<MapOutputLocation> found;  // until the next call
  const auto location_of = [&](ExecutorId id) -> const MapOutputLocation* {
    const auto* writer = state.executors.find(id);
    if (writer != nullptr && writer->is_live()) return &writer->place;  // the common case: no copy for each map
    found = location_of_outputs(state, id);
    return found ? &*found : nullptr;
  };
  for (auto& update : state.broadcast.update(executor, epoch, shuffle, state.stage_scheduler->outputs(), location_of))
    std::visit([&](auto& message) { turn.post(executor, std::move(message)); }, update);
}

}  // namespace heddle::actors
