// The one block of type ids. Append only: retired names stay, numbers never move (messages/type_ids.txt is compared).
#pragma once

#include <caf/type_id.hpp>

#include "caf_compat/peer.hpp"
#include "messages/handles.hpp"

CAF_BEGIN_TYPE_ID_BLOCK(heddle, first_custom_type_id)
// client
CAF_ADD_TYPE_ID(heddle, (heddle::ApplicationAccepted))
CAF_ADD_TYPE_ID(heddle, (heddle::ApplicationRefused))
CAF_ADD_TYPE_ID(heddle, (heddle::ApplicationEnded))
CAF_ADD_TYPE_ID(heddle, (heddle::DriverReady))
CAF_ADD_TYPE_ID(heddle, (heddle::JobAccepted))
CAF_ADD_TYPE_ID(heddle, (heddle::JobProgress))
CAF_ADD_TYPE_ID(heddle, (heddle::JobFinished))
CAF_ADD_TYPE_ID(heddle, (heddle::Notice))
// driver
CAF_ADD_TYPE_ID(heddle, (heddle::SubmitJob))
CAF_ADD_TYPE_ID(heddle, (heddle::CancelJob))
CAF_ADD_TYPE_ID(heddle, (heddle::StopDriver))
CAF_ADD_TYPE_ID(heddle, (heddle::RegisterExecutor))
CAF_ADD_TYPE_ID(heddle, (heddle::StatusUpdate))
CAF_ADD_TYPE_ID(heddle, (heddle::TasksRetracted))
CAF_ADD_TYPE_ID(heddle, (heddle::Heartbeat))
CAF_ADD_TYPE_ID(heddle, (heddle::RegisterYarnAllocator))
CAF_ADD_TYPE_ID(heddle, (heddle::RemoveExecutor))
CAF_ADD_TYPE_ID(heddle, (heddle::RemoveNode))
CAF_ADD_TYPE_ID(heddle, (heddle::AllocationFailed))
CAF_ADD_TYPE_ID(heddle, (heddle::ReviveOffers))
CAF_ADD_TYPE_ID(heddle, (heddle::DriverTick))
CAF_ADD_TYPE_ID(heddle, (heddle::JobCommitted))
// executor
CAF_ADD_TYPE_ID(heddle, (heddle::RegisteredExecutor))
CAF_ADD_TYPE_ID(heddle, (heddle::InstallStage))
CAF_ADD_TYPE_ID(heddle, (heddle::ForgetStage))
CAF_ADD_TYPE_ID(heddle, (heddle::MapOutputs))
CAF_ADD_TYPE_ID(heddle, (heddle::LaunchTask))
CAF_ADD_TYPE_ID(heddle, (heddle::RetractTasks))
CAF_ADD_TYPE_ID(heddle, (heddle::KillTask))
CAF_ADD_TYPE_ID(heddle, (heddle::StopExecutor))
CAF_ADD_TYPE_ID(heddle, (heddle::SlotReports))
CAF_ADD_TYPE_ID(heddle, (heddle::ExecutorTick))
// resource manager
CAF_ADD_TYPE_ID(heddle, (heddle::SubmitApplication))
CAF_ADD_TYPE_ID(heddle, (heddle::KillApplication))
CAF_ADD_TYPE_ID(heddle, (heddle::RegisterApplicationMaster))
CAF_ADD_TYPE_ID(heddle, (heddle::FinishApplication))
CAF_ADD_TYPE_ID(heddle, (heddle::AllocateRequest))
CAF_ADD_TYPE_ID(heddle, (heddle::RegisterNode))
CAF_ADD_TYPE_ID(heddle, (heddle::NodeHeartbeat))
CAF_ADD_TYPE_ID(heddle, (heddle::ContainerExited))
CAF_ADD_TYPE_ID(heddle, (heddle::ResourceManagerTick))
// node manager
CAF_ADD_TYPE_ID(heddle, (heddle::RegisteredNode))
CAF_ADD_TYPE_ID(heddle, (heddle::ForgetApplication))
CAF_ADD_TYPE_ID(heddle, (heddle::StartContainer))
CAF_ADD_TYPE_ID(heddle, (heddle::StopContainer))
CAF_ADD_TYPE_ID(heddle, (heddle::ProcessEnded))
CAF_ADD_TYPE_ID(heddle, (heddle::NodeManagerTick))
// application master
CAF_ADD_TYPE_ID(heddle, (heddle::RegisteredApplicationMaster))
CAF_ADD_TYPE_ID(heddle, (heddle::EndApplication))
CAF_ADD_TYPE_ID(heddle, (heddle::ApplicationMasterTick))
// yarn allocator
CAF_ADD_TYPE_ID(heddle, (heddle::RequestExecutors))
CAF_ADD_TYPE_ID(heddle, (heddle::KillExecutors))
CAF_ADD_TYPE_ID(heddle, (heddle::StopAllocator))
CAF_ADD_TYPE_ID(heddle, (heddle::StartAllocating))
CAF_ADD_TYPE_ID(heddle, (heddle::AllocateResponse))
CAF_ADD_TYPE_ID(heddle, (heddle::AllocateSoon))
CAF_ADD_TYPE_ID(heddle, (heddle::ReporterTick))
// peers (runtime/net speaks these, it knows no role)
CAF_ADD_TYPE_ID(heddle, (heddle::ConnectPeer))
CAF_ADD_TYPE_ID(heddle, (heddle::RetryConnect))
// appended
CAF_ADD_TYPE_ID(heddle, (heddle::FinishedApplication))
CAF_ADD_TYPE_ID(heddle, (heddle::OutputPrepared))
CAF_END_TYPE_ID_BLOCK(heddle)
