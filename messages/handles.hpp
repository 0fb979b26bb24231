// Handles of all roles, for code that only passes them on.
#pragma once

#include "messages/application_master.hpp"
#include "messages/client.hpp"
#include "messages/driver.hpp"
#include "messages/executor.hpp"
#include "messages/node_manager.hpp"
#include "messages/resource_manager.hpp"
#include "messages/yarn_allocator.hpp"
