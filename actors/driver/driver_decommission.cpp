// Hosts that will go: their executors get nothing new and end when they have nothing to do; their map outputs are
// copied to others.
//
//   stands there --told to a target--> is copied --OutputsTaken--> known at the target, readers are told
//        ^-------target lost, or refused-----'   '--refused too often, host lost--> stays; computed again if the host
//        goes unread
#include <fmt/format.h>

#include "actors/driver/driver.hpp"

namespace heddle::actors {

void Driver::on_decommission_host(const DecommissionHost& message) {
  if (!settings_.heeds_decommission) return;
  const auto now = tools_.clock->now();
  const auto host = host_id(message.host);
  const auto [leaving, is_new] = leaving_hosts_.try_emplace(host);
  if (!is_new) return;
  if (settings_.decommission_kill_wait > Duration{0}) leaving->second = now + settings_.decommission_kill_wait;
  write_event("host_decommissioning", ports::EventFields{}.add("host", message.host));
  tell_notice(fmt::format("host {} is being decommissioned", message.host));
  const auto& outputs = stage_scheduler_.outputs();
  if (settings_.moves_outputs)
    for (const auto shuffle : outputs.shuffles())
      for (std::int32_t map = 0; map < outputs.maps(shuffle); ++map)
        if (const auto place = outputs.place(shuffle, map); !place.is_none() && place.host == host)
          moves_.want(shuffle, map, place);
  decommission_executors(now, host);
  tell_moves();
  arm_tick(now);
}

void Driver::end_leaving_executors(Instant now) {
  for (auto& [host, kill_due] : leaving_hosts_) {
    if (!kill_due || now < *kill_due) continue;
    kill_due.reset();
    kill_executors(executors_.live_on(host), "its host is being decommissioned, and it has had its time");
  }
}

void Driver::decommission_executors(Instant now, policies::HostId host) {
  std::vector<ExecutorId> there;
  for (const auto& [id, entry] : executors_) {
    if (!entry.handle || entry.host != host || !entry.draining.empty()) continue;
    there.push_back(id);
    stage_scheduler_.on_executor_decommissioned(id, true);
  }
  drain_executors(now, there, "its host is being decommissioned", true);
}

void Driver::move_output(ShuffleId shuffle, std::int32_t map, policies::OutputPlace from) {
  if (!settings_.moves_outputs) return;
  moves_.want(shuffle, map, from);
  tell_moves();
}

void Driver::tell_moves() {
  if (moves_.waiting() == 0) return;
  std::vector<ExecutorId> targets;
  for (const auto& [id, entry] : executors_)
    if (entry.handle && entry.is_offered && !is_leaving(entry.host)) targets.push_back(id);
  for (auto& batch : moves_.assign(targets)) {
    const auto& target = *executors_.find(batch.target);
    const auto* source = executors_.find(batch.from.executor);
    TakeOutputs order{
        target.epoch, batch.shuffle, stage_scheduler_.outputs().reduces(batch.shuffle), std::move(batch.maps), {}};
    if (source != nullptr) order.from = source->place;
    self_->send(target.handle, std::move(order));
  }
}

void Driver::on_outputs_taken(const OutputsTaken& message) {
  const auto* entry = executors_.current(message.executor, message.epoch);
  if (entry == nullptr) return;
  const auto now = tools_.clock->now();
  const policies::OutputPlace to{message.executor, entry->host};
  std::int64_t moved = 0;
  for (const auto& [map, from] : moves_.on_taken(message.executor, message.shuffle, message.maps)) {
    if (!stage_scheduler_.on_output_moved(message.shuffle, map, from, to)) continue;
    ++moved;
    if (is_leaving(to.host)) moves_.want(message.shuffle, map, to);  // it was told so while it copied
    if (const auto stage = stage_scheduler_.stage_of(message.shuffle); !stage.is_none())
      task_scheduler_.on_output_moved(now, stage, map, to.host);
  }
  moves_.check_invariants();
  write_event("outputs_moved", ports::EventFields{}
                                   .add("shuffle", message.shuffle)
                                   .add("executor", message.executor)
                                   .add("count", moved)
                                   .add("waiting", moves_.waiting())
                                   .add("text", message.text));
  if (moved > 0) {
    told_outputs_[message.shuffle].touch();
    // Tasks that run may still read from the old place, and look here when it is gone.
    const ShuffleInput readers{message.shuffle, stage_scheduler_.outputs().maps(message.shuffle), {}};
    for (auto& [id, reader] : executors_)
      if (reader.handle && reader.outputs_told.contains(message.shuffle)) tell_outputs(reader, readers);
  }
  tell_moves();
}

}  // namespace heddle::actors
