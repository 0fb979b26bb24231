// Hosts that are being decommissioned: their executors get no new tasks and end once they are idle; their map outputs
// are copied to other executors (shuffle_migration.hpp).
#include <fmt/format.h>

#include "actors/driver/driver.hpp"

namespace heddle::actors {

void Driver::on_decommission_host(const DecommissionHost& message) {
  if (!settings_.heeds_decommission) return;
  const auto now = tools_.clock->now();
  const auto host = host_id(message.host);
  std::optional<Instant> kill_due;
  if (settings_.decommission_kill_wait > Duration{0}) kill_due = now + settings_.decommission_kill_wait;
  if (!migration_.add_host(host, kill_due)) return;
  write_event("host_decommissioning", ports::EventFields{}.add("host", message.host));
  tell_notice(fmt::format("host {} is being decommissioned", message.host));
  const auto& outputs = stage_scheduler_.outputs();
  if (settings_.moves_outputs)
    for (const auto shuffle : outputs.shuffles())
      for (std::int32_t map = 0; map < outputs.maps(shuffle); ++map)
        if (const auto place = outputs.place(shuffle, map); !place.is_none() && place.host == host)
          migration_.add(shuffle, map, place);
  decommission_executors(now, host);
  send_migrations();
  arm_tick(now);
}

void Driver::end_leaving_executors(Instant now) {
  for (const auto host : migration_.take_hosts_due(now))
    kill_executors(executors_.live_on(host), "its host is being decommissioned, and it has had its time");
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

void Driver::migrate_output(ShuffleId shuffle, std::int32_t map, policies::OutputPlace from) {
  if (!settings_.moves_outputs) return;
  migration_.add(shuffle, map, from);
  send_migrations();
}

void Driver::send_migrations() {
  if (migration_.waiting() == 0) return;
  std::vector<ExecutorId> targets;
  for (const auto& [id, entry] : executors_)
    if (entry.handle && entry.is_offered && !migration_.is_leaving(entry.host)) targets.push_back(id);
  for (auto& batch : migration_.assign(targets)) {
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
  for (const auto& [map, from] : migration_.end_batch(message.executor, message.shuffle, message.maps)) {
    if (!stage_scheduler_.on_output_moved(message.shuffle, map, from, to)) continue;
    ++moved;
    if (migration_.is_leaving(to.host)) migration_.add(message.shuffle, map, to);  // began to leave during the copy
    if (const auto stage = stage_scheduler_.stage_of(message.shuffle); !stage.is_none())
      task_scheduler_.on_output_moved(now, stage, map, to.host);
  }
  migration_.check_invariants();
  write_event("outputs_moved", ports::EventFields{}
                                   .add("shuffle", message.shuffle)
                                   .add("executor", message.executor)
                                   .add("count", moved)
                                   .add("waiting", migration_.waiting())
                                   .add("text", message.text));
  if (moved > 0) {
    broadcast_.mark_changed(message.shuffle);
    // Running tasks may still read from the old location, and look up the new one when it is gone.
    const ShuffleInput readers{message.shuffle, stage_scheduler_.outputs().maps(message.shuffle), {}};
    for (auto& [id, reader] : executors_)
      if (reader.handle && broadcast_.has_received(id, message.shuffle)) send_map_outputs(id, reader, readers);
  }
  send_migrations();
}

}  // namespace heddle::actors
