// Goal: settings reach the parameters of the deciders.
// Method: sets keys and checks fields.
#include "apps/roles/role_settings.hpp"

#include <boost/test/unit_test.hpp>

#include "apps/queues/scheduler_choice.hpp"
#include "config/table/settings.hpp"
#include "policies/cluster/capacity/capacity_scheduler.hpp"
#include "policies/cluster/fair/fair_scheduler_settings.hpp"

namespace role_settings_test {

using namespace heddle;
using namespace std::chrono_literals;

namespace {

config::Settings settings_with(const std::vector<std::pair<std::string, std::string>>& values) {
  config::Settings settings;
  for (const auto& [key, value] : values)
    BOOST_REQUIRE(settings.set(key, value, config::Origin::command_line, "test").has_value());
  return settings;
}

// C-POOL-11
BOOST_AUTO_TEST_CASE(a_missing_pool_file_is_an_error_with_its_path) {
  const auto file = apps::read_pool_file("/nowhere/INVALID_FILE_NAME");
  BOOST_REQUIRE(!file.has_value());
  BOOST_TEST(file.error().text.find("/nowhere/INVALID_FILE_NAME") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(settings_of_exclusion_reach_the_task_scheduler) {
  for (const bool is_on : {false, true}) {
    const auto made = apps::driver_settings(
        settings_with({{"spark.excludeOnFailure.enabled", "true"},
                       {"spark.excludeOnFailure.application.fetchFailure.enabled", is_on ? "true" : "false"}}));
    BOOST_REQUIRE(made.task_scheduler.exclusion.has_value());
    BOOST_TEST(made.task_scheduler.exclusion->fetch_failure == is_on);
  }
}

using Values = std::vector<std::pair<std::string, std::string>>;

/// `read` gives `expected` if the setting has this value, and something else without it.
template <class Read, class Value>
void check_reaches(const std::string& key, const std::string& value, Read read, Value expected, Values others = {}) {
  const bool is_default = read(settings_with(others)) == expected;
  BOOST_TEST(!is_default, key);
  others.emplace_back(key, value);
  const bool is_reached = read(settings_with(others)) == expected;
  BOOST_TEST(is_reached, key);
}

BOOST_AUTO_TEST_CASE(times_and_limits_reach_the_driver) {
  const auto of_driver = [](auto read) {
    return [read](const config::Settings& settings) { return read(apps::driver_settings(settings)); };
  };
  check_reaches("heddle.executor.loss_reason_wait", "7s",
                of_driver([](const auto& made) { return made.loss_reason_wait; }), Duration{7s});
  check_reaches("heddle.scheduler.revive_interval", "3s",
                of_driver([](const auto& made) { return made.intervals.revive; }), Duration{3s});
  check_reaches("heddle.scheduler.starvation_timeout", "4s",
                of_driver([](const auto& made) { return made.starvation_timeout; }), Duration{4s});
  check_reaches("heddle.scheduler.max_registered_wait", "9s",
                of_driver([](const auto& made) { return made.registration.wait_max; }), Duration{9s});
  check_reaches("heddle.stage.unregister_outputs_on_host", "true",
                of_driver([](const auto& made) { return made.stage_scheduler.unregister_output_on_host; }), true);
  check_reaches("heddle.decommission.moves_at_once", "3",
                of_driver([](const auto& made) { return made.decommission.moves_max; }), 3);
  check_reaches("heddle.exclusion.decommission_executors", "true",
                of_driver([](const auto& made) { return made.drain_excluded; }), true);
}

BOOST_AUTO_TEST_CASE(rules_of_dynamic_allocation_reach_the_driver) {
  const auto of_allocation = [](auto read) {
    return [read](const config::Settings& settings) { return read(apps::driver_settings(settings).allocation); };
  };
  check_reaches("heddle.dynamic_allocation.ratio", "0.5", of_allocation([](const auto& made) { return made.ratio; }),
                0.5);
  check_reaches("heddle.dynamic_allocation.sustained_backlog_timeout", "6s",
                of_allocation([](const auto& made) { return made.sustained_timeout; }), Duration{6s});
  check_reaches("heddle.dynamic_allocation.poll_interval", "2s",
                of_allocation([](const auto& made) { return made.poll_interval; }), Duration{2s});
}

BOOST_AUTO_TEST_CASE(rules_of_speculation_and_exclusion_reach_the_task_scheduler) {
  check_reaches("heddle.speculation.min_task_runtime", "8s",
                [](const auto& settings) {
                  return apps::driver_settings(settings).task_scheduler.speculation.value().min_runtime;
                },
                Duration{8s}, {{"heddle.speculation.enabled", "true"}});
  check_reaches(
      "heddle.speculation.duration_threshold", "8s",
      [](const auto& settings) {
        return apps::driver_settings(settings).task_scheduler.speculation.value().threshold.value_or(Duration{0});
      },
      Duration{8s}, {{"heddle.speculation.enabled", "true"}});
  check_reaches(
      "heddle.exclusion.legacy_timeout", "5m",
      [](const auto& settings) { return apps::driver_settings(settings).task_scheduler.exclusion.value().timeout; },
      Duration{5min}, {{"heddle.exclusion.enabled", "true"}});
}

BOOST_AUTO_TEST_CASE(sizes_and_waits_reach_the_task_slots) {
  const auto of_runner = [](auto read) {
    return [read](const config::Settings& settings) { return read(apps::runner_settings(settings)); };
  };
  check_reaches("heddle.executor.task_kill_wait", "3s", of_runner([](const auto& made) { return made.kill_grace_ms; }),
                std::int64_t{3000});
  check_reaches("heddle.shuffle.merge_width", "7",
                of_runner([](const auto& made) { return made.shuffle_writer.merge_factor; }), 7);
  check_reaches("heddle.shuffle.compression_level", "9",
                of_runner([](const auto& made) { return made.shuffle_writer.compression_level; }), 9);
  check_reaches("heddle.shuffle.fetch_memory", "5m",
                of_runner([](const auto& made) { return made.shuffle_reader.memory_bytes; }), std::int64_t{5} << 20);
  check_reaches("heddle.input.read_buffer", "2m", of_runner([](const auto& made) { return made.reader.buffer_bytes; }),
                std::int64_t{2} << 20);
  check_reaches("heddle.input.line_bytes_drop", "1000",
                of_runner([](const auto& made) { return made.reader.hadoop_line_length_max; }), std::int64_t{1000});
  check_reaches("heddle.task_log.bytes_max", "3m",
                of_runner([](const auto& made) { return made.command.standard_error_bytes_max; }),
                std::int64_t{3} << 20);
}

BOOST_AUTO_TEST_CASE(limits_and_shares_reach_the_task_and_stage_schedulers) {
  const auto of_tasks = [](auto read) {
    return [read](const config::Settings& settings) { return read(apps::driver_settings(settings).task_scheduler); };
  };
  const auto of_stages = [](auto read) {
    return [read](const config::Settings& settings) { return read(apps::driver_settings(settings).stage_scheduler); };
  };
  const auto of_driver = [](auto read) {
    return [read](const config::Settings& settings) { return read(apps::driver_settings(settings)); };
  };
  check_reaches("heddle.scheduler.unschedulable_timeout", "7s",
                of_tasks([](const auto& made) { return made.unschedulable_timeout; }), Duration{7s});
  check_reaches("heddle.locality.wait.legacy_reset", "true",
                of_tasks([](const auto& made) { return made.legacy_reset; }), true);
  const Values adaptive{{"heddle.locality.adaptive", "true"}};
  check_reaches("heddle.locality.adaptive.task_time", "7s",
                of_tasks([](const auto& made) { return made.adaptive.value().task_time; }), Duration{7s}, adaptive);
  check_reaches("heddle.locality.adaptive.far_cost", "2.5",
                of_tasks([](const auto& made) { return made.adaptive.value().far_cost; }), 2.5, adaptive);
  check_reaches("heddle.stage.max_attempts", "9", of_stages([](const auto& made) { return made.max_stage_attempts; }),
                9);
  check_reaches("heddle.stage.resubmit_delay", "7s", of_stages([](const auto& made) { return made.resubmit_delay; }),
                Duration{7s});
  check_reaches("heddle.stage.ignore_decommission_fetch_failure", "false",
                of_stages([](const auto& made) { return made.ignore_decommission_fetch_failure; }), false);
  check_reaches("heddle.stage.reduce_locality", "false",
                of_driver([](const auto& made) { return made.map_outputs.reduce_locality; }), false);
  check_reaches("heddle.scheduler.min_registered_ratio", "0.5",
                of_driver([](const auto& made) { return made.registration.ratio_min; }), 0.5);
  check_reaches("heddle.task.queue_ahead", "5", of_driver([](const auto& made) { return made.queue_ahead; }), 5);
  check_reaches("heddle.speculation.interval", "7s",
                of_driver([](const auto& made) { return made.intervals.speculation; }), Duration{7s});
}

BOOST_AUTO_TEST_CASE(every_limit_of_speculation_and_exclusion_reaches_the_task_scheduler) {
  const auto of_speculation = [](auto read) {
    return [read](const config::Settings& settings) {
      return read(apps::driver_settings(settings).task_scheduler.speculation.value());
    };
  };
  const Values speculation{{"heddle.speculation.enabled", "true"}};
  check_reaches("heddle.speculation.quantile", "0.5", of_speculation([](const auto& made) { return made.quantile; }),
                0.5, speculation);
  check_reaches("heddle.speculation.multiplier", "1.5",
                of_speculation([](const auto& made) { return made.multiplier; }), 1.5, speculation);
  const Values exclusion{{"heddle.exclusion.enabled", "true"}};
  using Rules = policies::ExclusionSettings;
  const std::vector<std::pair<const char*, std::int32_t Rules::*>> limits{
      {"task_attempts_per_executor", &Rules::task_attempts_per_executor},
      {"task_attempts_per_node", &Rules::task_attempts_per_node},
      {"stage_failed_tasks_per_executor", &Rules::stage_failed_tasks_per_executor},
      {"stage_failed_executors_per_node", &Rules::stage_failed_executors_per_node},
      {"application_failed_tasks_per_executor", &Rules::application_failed_tasks_per_executor},
      {"application_failed_executors_per_node", &Rules::application_failed_executors_per_node}};
  const auto of_exclusion = [](auto field) {
    return [field](const config::Settings& settings) {
      return apps::driver_settings(settings).task_scheduler.exclusion.value().*field;
    };
  };
  for (const auto& [name, field] : limits)
    check_reaches(std::string{"heddle.exclusion."} + name, "7", of_exclusion(field), 7, exclusion);
  check_reaches("heddle.exclusion.timeout", "7s", of_exclusion(&Rules::timeout), Duration{7s}, exclusion);
}

BOOST_AUTO_TEST_CASE(rules_about_shuffle_files_reach_the_driver) {
  const auto of_monitor = [](auto read) {
    return
        [read](const config::Settings& settings) { return read(apps::driver_settings(settings).allocation.monitor); };
  };
  check_reaches("heddle.dynamic_allocation.shuffle_tracking", "false",
                of_monitor([](const auto& made) { return made.shuffle_tracking; }), false);
  check_reaches("heddle.dynamic_allocation.shuffle_timeout", "7s",
                of_monitor([](const auto& made) { return std::optional<Duration>{made.shuffle_timeout}; }),
                std::optional{Duration{7s}});
  const Values moves{{"heddle.decommission.enabled", "true"}, {"heddle.decommission.move_outputs", "true"}};
  check_reaches(
      "heddle.decommission.move_shuffles", "false",
      [](const auto& settings) { return apps::driver_settings(settings).decommission.moves_outputs; }, false, moves);
}

BOOST_AUTO_TEST_CASE(blocks_and_syncs_reach_the_task_slots_and_the_commit) {
  check_reaches(
      "heddle.shuffle.block", "8k",
      [](const auto& settings) {
        return static_cast<std::int64_t>(apps::runner_settings(settings).shuffle_writer.block_bytes);
      },
      std::int64_t{8192});
  check_reaches(
      "heddle.output.sync", "false", [](const auto& settings) { return apps::runner_settings(settings).syncs_output; },
      false);
  check_reaches(
      "heddle.output.sync", "false", [](const auto& settings) { return apps::commit_settings(settings).syncs; }, false);
}

BOOST_AUTO_TEST_CASE(rules_of_queues_reach_the_fair_scheduler) {
  const auto of_fair = [](auto read) {
    return [read](const config::Settings& settings) { return read(apps::fair_settings(settings)); };
  };
  check_reaches("heddle.resource_manager.min_allocation_cores", "3",
                of_fair([](const auto& made) { return made.minimum_allocation.cores; }), std::int64_t{3});
  check_reaches("heddle.resource_manager.max_allocation_cores", "9",
                of_fair([](const auto& made) { return made.maximum_allocation.cores; }), std::int64_t{9});
  check_reaches("heddle.fair.increment_memory", "512m",
                of_fair([](const auto& made) { return made.increment.memory_mib; }), std::int64_t{512});
  check_reaches("heddle.fair.increment_cores", "2", of_fair([](const auto& made) { return made.increment.cores; }),
                std::int64_t{2});
  check_reaches("heddle.fair.create_queues", "false",
                of_fair([](const auto& made) { return made.placement.may_create_queues; }), false);
  check_reaches("heddle.fair.user_queues", "false",
                of_fair([](const auto& made) { return made.placement.is_user_default_queue; }), false);
  check_reaches("heddle.fair.continuous_offers", "true",
                of_fair([](const auto& made) { return made.locality.continuous_sleep.has_value(); }), true);
  check_reaches("heddle.fair.continuous_sleep", "7s",
                of_fair([](const auto& made) { return made.locality.continuous_sleep.value(); }), Duration{7s},
                {{"heddle.fair.continuous_offers", "true"}});
  check_reaches("heddle.fair.node_delay_ms", "70",
                of_fair([](const auto& made) { return made.locality.node_delay_ms; }), std::int64_t{70});
  check_reaches("heddle.fair.rack_delay_ms", "70",
                of_fair([](const auto& made) { return made.locality.rack_delay_ms; }), std::int64_t{70});
}

BOOST_AUTO_TEST_CASE(rules_of_preemption_reach_the_capacity_scheduler) {
  const auto of_capacity = [](auto read) {
    return [read](const config::Settings& settings) { return read(apps::capacity_settings(settings)); };
  };
  check_reaches("heddle.resource_manager.min_allocation_cores", "3",
                of_capacity([](const auto& made) { return made.minimum_allocation.cores; }), std::int64_t{3});
  check_reaches("heddle.resource_manager.max_allocation_cores", "9",
                of_capacity([](const auto& made) { return made.maximum_allocation.cores; }), std::int64_t{9});
  check_reaches("heddle.capacity.preemption", "true",
                of_capacity([](const auto& made) { return made.preemption.is_enabled; }), true);
  check_reaches("heddle.capacity.preemption_interval", "7s",
                of_capacity([](const auto& made) { return made.preemption.interval; }), Duration{7s});
  check_reaches("heddle.capacity.preemption_wait", "7s",
                of_capacity([](const auto& made) { return made.preemption.wait_before_kill; }), Duration{7s});
  check_reaches("heddle.capacity.preemption_per_round", "0.5",
                of_capacity([](const auto& made) { return made.preemption.part_per_round; }), 0.5F);
  check_reaches("heddle.capacity.preemption_ignored_excess", "0.5",
                of_capacity([](const auto& made) { return made.preemption.ignored_over_capacity; }), 0.5F);
  check_reaches("heddle.capacity.preemption_natural_termination", "0.5",
                of_capacity([](const auto& made) { return made.preemption.natural_termination_factor; }), 0.5F);
}

BOOST_AUTO_TEST_CASE(overhead_is_added_to_the_container_of_an_executor) {
  const auto memory = [](const config::Settings& settings) {
    return apps::executor_container(settings.application()).memory_mib;
  };
  const Values heap{{"heddle.executor.memory", "1g"}};
  check_reaches("heddle.executor.memory_overhead_min", "700m", memory, std::int64_t{1724}, heap);
  check_reaches("heddle.executor.memory_overhead", "100m", memory, std::int64_t{1124}, heap);
}

}  // namespace
}  // namespace role_settings_test
