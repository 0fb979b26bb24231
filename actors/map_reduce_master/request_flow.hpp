// AllocateRequests of a MapReduceMaster and their answers, connections, the end of the application.
#pragma once

#include <string>

#include "actors/map_reduce_master/master_state.hpp"

namespace heddle::actors {

// -- messages, timer, lost peers -------------------------------------------------------------------
void connect_resource_manager(MasterTurn& turn);
void fail_resource_manager_connection(MasterTurn& turn);
void start_allocating(MasterTurn& turn, const StartAllocating& message);
void handle_allocate_response(MasterTurn& turn, const AllocateResponse& message);
void run_allocate_deadline(MasterTurn& turn);
void lose_resource_manager(MasterTurn& turn);
void lose_master(MasterTurn& turn);

// -- for the other flows -----------------------------------------------------------------------------
/// Sends an AllocateRequest as soon as the loop allows it.
void ask_soon(MasterTurn& turn);
/// Reports what has changed about excluded hosts: `host` is a new one, or it is empty.
void report_exclusion(MasterTurn& turn, const policies::HostExclusion& before, const std::string& host);
void end_application(MasterTurn& turn, bool succeeded, const std::string& text);

}  // namespace heddle::actors
