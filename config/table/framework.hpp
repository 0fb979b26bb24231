// The framework of a MapReduce job: which roles run it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "config/table/master.hpp"
#include "config/table/settings.hpp"
#include "model/result.hpp"

namespace heddle::config {

/// classic: JobTracker and TaskTrackers, as in Hadoop 1. yarn: a MapReduceMaster in the master container, and one
/// container per task attempt, as in Hadoop 3.
enum class Framework : std::uint8_t { driver, classic, yarn };

/// Parses the value of --framework, `driver`, `classic` or `yarn`. Fails with Errc::usage for any other text.
Result<Framework> parse_framework(std::string_view text);
/// Parses the value of `mapreduce.framework.name`, `local`, `classic` or `yarn`. Fails with Errc::usage for any other
/// text.
Result<Framework> parse_framework_name(std::string_view text);
/// The value of --framework.
[[nodiscard]] std::string_view to_string(Framework framework);
/// The value of the setting.
[[nodiscard]] Framework framework_of(const Settings& settings);
/// The framework of `heddle mapreduce`: of its option, else of the command line, else of the topology, else of other
/// settings.
[[nodiscard]] Framework choose_framework(const std::optional<Framework>& option,
                                         const std::optional<Framework>& of_topology, const Settings& settings);
/// The master URLs that a command can use: only its own cluster has hosts of a topology, TaskTrackers or a
/// MapReduceMaster.
[[nodiscard]] MasterForms usable_masters(Framework framework, bool has_topology);

}  // namespace heddle::config
