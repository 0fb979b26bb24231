// Converts sections of the settings to the parameters of roles and deciders.
#pragma once

#include "actors/driver/driver_settings.hpp"
#include "config/spark/spark_pools_xml.hpp"
#include "config/table/settings.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"
#include "policies/executors/executor_memory.hpp"
#include "work/output/output_commit.hpp"
#include "work/shuffle/shuffle_client.hpp"
#include "work/tasks/slot_task_runner.hpp"

namespace heddle::apps {

/// Reads the pools of FAIR; an error has file and line.
[[nodiscard]] Result<config::SparkPoolsFile> read_pool_file(const std::string& path);

/// Settings of a Driver that do not depend on the application: all except its id and the number and size of its
/// executors.
[[nodiscard]] actors::DriverSettings driver_settings(const config::Settings& settings);

/// Memory of an executor with the overhead that Spark adds.
[[nodiscard]] policies::ExecutorMemory executor_memory(const config::ApplicationSettings& application);
/// Container request of one executor: its memory with the overhead that Spark adds, and its cores.
[[nodiscard]] Resource executor_container(const config::ApplicationSettings& application);

/// Finds the devices of an executor on this machine; can run discovery scripts and block.
[[nodiscard]] Result<std::vector<DeviceAddresses>> find_devices(const config::Settings& settings);
/// Settings of an executor's slots. The caller sets the folders.
[[nodiscard]] work::SlotTaskRunnerSettings runner_settings(const config::Settings& settings);
/// Commit settings of a Driver of `application` in this process.
[[nodiscard]] work::OutputCommitSettings commit_settings(const config::Settings& settings,
                                                         const ApplicationId& application = {});
[[nodiscard]] work::ShuffleClientSettings fetch_settings(const config::Settings& settings,
                                                         const ApplicationId& application, std::string token);

/// Settings of the ResourceManager; unset ones are derived from other settings.
[[nodiscard]] config::ResourceManagerSettings resource_manager_settings(const config::Settings& settings);

}  // namespace heddle::apps
