// From the sections of the settings to what roles and deciders are handed.
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

/// The pools of FAIR; an error names file and line.
[[nodiscard]] Result<config::SparkPoolsFile> read_pool_file(const std::string& path);

/// Everything but the application's own numbers: who it is, how many executors of what size.
[[nodiscard]] actors::DriverSettings driver_settings(const config::Settings& settings);

/// What an executor's container needs beside its memory, as Spark adds it.
[[nodiscard]] policies::ExecutorMemory executor_memory(const config::ApplicationSettings& application);
/// What one executor asks a ResourceManager for: its memory with overhead, as Spark adds it.
[[nodiscard]] Resource executor_container(const config::ApplicationSettings& application);

/// The devices that an executor on this machine has: looked for, which may run programs and blocks.
[[nodiscard]] Result<std::vector<DeviceAddresses>> find_devices(const config::Settings& settings);
/// Slots of one executor. Folders are the caller's to fill.
[[nodiscard]] work::SlotTaskRunnerSettings runner_settings(const config::Settings& settings);
/// For a Driver of `application` that lives as long as this process.
[[nodiscard]] work::OutputCommitSettings commit_settings(const config::Settings& settings,
                                                         const ApplicationId& application = {});
[[nodiscard]] work::ShuffleClientSettings fetch_settings(const config::Settings& settings,
                                                         const ApplicationId& application, std::string token);

}  // namespace heddle::apps
