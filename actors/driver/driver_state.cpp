#include "actors/driver/driver_state.hpp"

namespace heddle::actors {
namespace {

OfferRoundSettings round_settings(const DriverSettings& settings) {
  OfferRoundSettings rounds;
  rounds.revive_interval = settings.intervals.revive;
  if (settings.task_scheduler.speculation) rounds.speculation_interval = settings.intervals.speculation;
  rounds.starvation_timeout = settings.starvation_timeout;
  rounds.starves_until_launch = settings.fix_starvation_until_launch;
  return rounds;
}

}  // namespace

DriverState::DriverState(const DriverSettings& all_settings, const runtime::ActorTools& tools,
                         StageProgramPorts work_ports, Instant now)
    : settings{all_settings},
      events{tools.events},
      random{tools.random},
      work{std::move(work_ports)},
      place_records{tools.events},
      stage_scheduler{settings.stage_scheduler, tools.events, now, &place_records},
      task_scheduler{settings.task_scheduler, tools.events, now, &place_records},
      allocation{settings.allocation, tools.events, now, &place_records},
      executors{settings.devices, settings.executor_timeout},
      requests{settings.devices, settings.task_scheduler.task_cores},
      gate{settings.registration.ratio_min, now + settings.registration.wait_max},
      rounds{round_settings(settings)},
      migration{settings.decommission.moves_max, settings.decommission.move_failures_max},
      reports{settings.intervals.progress, settings.intervals.quiet_progress, now} {}

void DriverState::check_invariants() const {
  stage_scheduler->check_invariants();
  task_scheduler->check_invariants();
  allocation->check_invariants();
  migration.check_invariants();
}

/// Writes buffered inputs of the deciders first, so that the log keeps the order of events.
void Turn::write_event(std::string_view name, const ports::EventFields& fields) {
  state.stage_scheduler.flush_records();
  state.task_scheduler.flush_records();
  state.allocation.flush_records();
  state.events->write(now, name, fields);
}

HostId Turn::host_id(const std::string& name) {
  const auto [host, is_new] = state.hosts.intern(name);
  if (is_new) {
    const auto rack = state.settings.racks.find(name);
    state.task_scheduler.apply(
        now, task_input::HostIntroduced{host, name, rack == state.settings.racks.end() ? std::string{} : rack->second});
  }
  return host;
}

void Turn::notify_clients_once(const std::string& text) {
  if (state.reports.is_first(text)) notify_clients(text);
}

}  // namespace heddle::actors
