// Requests of the Driver, connections, the timer of AllocateRequest, and the end of the application.
#pragma once

#include <string>

#include "actors/yarn_allocator/allocator_state.hpp"
#include "messages/yarn_allocator.hpp"

namespace heddle::actors {

// -- messages, timers, lost peers --------------------------------------------------------------
void start_allocator(AllocatorTurn& turn);
void connect_driver(AllocatorTurn& turn);
void fail_driver_connection(AllocatorTurn& turn);
void connect_resource_manager(AllocatorTurn& turn);
void fail_resource_manager_connection(AllocatorTurn& turn);
void start_allocating(AllocatorTurn& turn, const StartAllocating& message);
void request_executors(AllocatorTurn& turn, const RequestExecutors& message);
void kill_executors(AllocatorTurn& turn, const KillExecutors& message);
void handle_executor_registered(AllocatorTurn& turn, const ExecutorRegistered& message);
void stop_allocator(AllocatorTurn& turn, const StopAllocator& message);
void run_reporter_tick(AllocatorTurn& turn);
void lose_master(AllocatorTurn& turn);
void lose_resource_manager(AllocatorTurn& turn);
void lose_driver(AllocatorTurn& turn);

// -- for the other flow -------------------------------------------------------------------------
/// Sends an AllocateRequest as soon as the loop allows it.
void ask_soon(AllocatorTurn& turn);
void arm_reporter_tick(AllocatorTurn& turn);
/// The ResourceManager has restarted: the ApplicationMaster registers again, then everything is requested again.
void register_again(AllocatorTurn& turn);
/// Ends the application if too many executors failed or all nodes are excluded; returns true then.
bool end_if_hopeless(AllocatorTurn& turn);
void end_application(AllocatorTurn& turn, bool succeeded, const std::string& text);

}  // namespace heddle::actors
