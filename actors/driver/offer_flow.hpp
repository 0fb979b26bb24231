// Rounds of offers, and the tick: everything that depends on time.
#pragma once

#include <optional>

#include "actors/driver/driver_state.hpp"

namespace heddle::actors {

// -- messages ----------------------------------------------------------------------------------
void revive_offers(Turn& turn);
void handle_tasks_retracted(Turn& turn, const TasksRetracted& message);
void run_tick(Turn& turn);

// -- steps -------------------------------------------------------------------------------------
void apply(Turn& turn, const OfferExecutor& step);
void request_full_round(Turn& turn);
/// The Driver has started: requests the initial executors.
void start_allocation(Turn& turn);

/// The earliest deadline of all parts and deciders.
[[nodiscard]] std::optional<Instant> next_due(DriverState& state);

}  // namespace heddle::actors
