// Handles of all roles, for code that only passes them on.
#pragma once

#include "messages/allocator.hpp"
#include "messages/application_master.hpp"
#include "messages/client.hpp"
#include "messages/container_source.hpp"
#include "messages/driver.hpp"
#include "messages/executor.hpp"
#include "messages/job_reporter.hpp"
#include "messages/job_service.hpp"
#include "messages/job_tracker.hpp"
#include "messages/map_reduce_master.hpp"
#include "messages/node_manager.hpp"
#include "messages/resource_manager.hpp"
#include "messages/task_child.hpp"
#include "messages/task_parent.hpp"
#include "messages/task_tracker.hpp"
#include "messages/yarn_allocator.hpp"
