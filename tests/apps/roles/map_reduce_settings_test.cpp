// Goal: each setting of MapReduce reaches the role or the decider that it is for, with the default of Hadoop.
// Method: sets one key and compares one field with its default.
#include "apps/roles/map_reduce_settings.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "config/files/settings_text.hpp"

namespace heddle::apps {
namespace map_reduce_settings_test {
namespace {

using namespace std::chrono_literals;

config::Settings settings_with(const std::string& key, const std::string& value) {
  config::Settings settings;
  BOOST_REQUIRE_MESSAGE(settings.set(key, value, config::Origin::command_line, "test").has_value(), key);
  return settings;
}

/// `read` gives `standard` without settings, and `expected` with this one.
template <class Read, class Value>
void check(const std::string& key, const std::string& value, Read read, const Value& standard, const Value& expected) {
  BOOST_TEST((read(config::Settings{}) == standard), key << " has another default");
  BOOST_TEST((read(settings_with(key, value)) == expected), key << " has no effect");
}

BOOST_AUTO_TEST_CASE(a_job_submits_its_rules) {
  const auto rule = [](auto field) {
    return [field](const config::Settings& settings) { return job_rules(settings).*field; };
  };
  check("mapred.job.priority", "very_high", rule(&JobRules::priority), JobPriority::normal, JobPriority::very_high);
  check("mapreduce.job.priority", "VERY_LOW", rule(&JobRules::priority), JobPriority::normal, JobPriority::very_low);
  check("mapred.reduce.slowstart.completed.maps", "0.8", rule(&JobRules::slow_start), 0.05F, 0.8F);
  check("mapred.map.tasks.speculative.execution", "false", rule(&JobRules::map_speculative), true, false);
  check("mapreduce.reduce.speculative", "false", rule(&JobRules::reduce_speculative), true, false);
  check("heddle.job_tracker.speculative_gap", "0.1", rule(&JobRules::speculative_gap), 0.2, 0.1);
  check("heddle.job_tracker.speculative_lag", "5s", rule(&JobRules::speculative_lag), Duration{60s}, Duration{5s});
  check("mapred.map.max.attempts", "2", rule(&JobRules::map_attempts_max), 4, 2);
  check("mapreduce.reduce.maxattempts", "2", rule(&JobRules::reduce_attempts_max), 4, 2);
  check("heddle.task.max_failures", "2", rule(&JobRules::reduce_attempts_max), 4, 2);
  check("mapred.max.tracker.failures", "7", rule(&JobRules::tracker_failures_max), 4, 7);
  check("mapred.max.map.failures.percent", "10", rule(&JobRules::map_failures_percent), 0, 10);
  check("mapreduce.reduce.failures.maxpercent", "10", rule(&JobRules::reduce_failures_percent), 0, 10);
}

BOOST_AUTO_TEST_CASE(rules_and_inputs_reach_a_job_tracker_with_a_job_and_other_settings_do_not) {
  for (const auto* key : {"mapred.job.priority", "heddle.task.max_failures", "mapred.reduce.slowstart.completed.maps",
                          "heddle.input.recursive", "heddle.application.name"})
    BOOST_TEST(is_submitted(key), key);
  for (const auto* key : {"mapred.task.timeout", "heddle.shuffle.compression", "no.such.key"})
    BOOST_TEST(!is_submitted(key), key);
}

BOOST_AUTO_TEST_CASE(a_job_tracker_gets_the_settings_of_its_queue) {
  const auto queue = [](auto field) {
    return [field](const config::Settings& settings) { return job_tracker_settings(settings).queue.*field; };
  };
  using policies::JobQueueSettings;
  check("mapred.jobtracker.taskalloc.capacitypad", "0.2", queue(&JobQueueSettings::capacity_pad), 0.01F, 0.2F);
  check("mapred.tasktracker.expiry.interval", "5000", queue(&JobQueueSettings::tracker_expiry), Duration{600s},
        Duration{5s});
  check("mapred.heartbeats.in.second", "10", queue(&JobQueueSettings::heartbeats_per_second), 100, 10);
  check("mapreduce.jobtracker.heartbeats.scaling.factor", "2", queue(&JobQueueSettings::heartbeat_scaling), 1.0F, 2.0F);
  const auto window = [](auto field) {
    return
        [field](const config::Settings& settings) { return job_tracker_settings(settings).queue.fault_window.*field; };
  };
  using policies::FaultWindow;
  check("mapred.jobtracker.blacklist.fault-timeout-window", "60", window(&FaultWindow::window), Duration{180min},
        Duration{60min});
  check("mapred.jobtracker.blacklist.fault-bucket-width", "5", window(&FaultWindow::bucket), Duration{15min},
        Duration{5min});
  const auto beats = [](const config::Settings& settings) { return job_tracker_settings(settings).beat_on_change; };
  check("mapreduce.tasktracker.outofband.heartbeat", "false", beats, true, false);
  const auto recovers = [](const config::Settings& settings) { return job_tracker_settings(settings).recovers_jobs; };
  check("mapred.jobtracker.restart.recover", "true", recovers, false, true);
  const auto reports = [](auto field) {
    return [field](const config::Settings& settings) { return job_tracker_settings(settings).reports.*field; };
  };
  using actors::ReportLimits;
  check("mapred.jobtracker.completeuserjobs.maximum", "7", reports(&ReportLimits::per_user), std::int64_t{100},
        std::int64_t{7});
  check("mapred.jobtracker.retirejob.interval", "60000", reports(&ReportLimits::age), Duration{24h}, Duration{60s});
}

BOOST_AUTO_TEST_CASE(a_master_gets_the_rules_of_its_containers) {
  const auto rule = [](auto field) {
    return [field](const config::Settings& settings) { return map_reduce_master_start(settings).allocator.*field; };
  };
  const auto exclusion = [](auto field) {
    return [field](const config::Settings& settings) {
      return map_reduce_master_start(settings).allocator.exclusion.*field;
    };
  };
  using Rules = policies::MapReduceAllocatorSettings;
  using policies::HostExclusionSettings;
  check("mapreduce.job.reduce.slowstart.completedmaps", "1", rule(&Rules::slow_start), 0.05F, 1.0F);
  check("yarn.app.mapreduce.am.job.reduce.rampup.limit", "0.2", rule(&Rules::ramp_up_limit), 0.5F, 0.2F);
  check("yarn.app.mapreduce.am.job.reduce.preemption.limit", "0.2", rule(&Rules::preemption_limit), 0.5F, 0.2F);
  check("mapreduce.job.reducer.preempt.delay.sec", "9", rule(&Rules::preempt_delay_sec), 0, 9);
  check("mapreduce.job.reducer.unconditional-preempt.delay.sec", "-1", rule(&Rules::unconditional_preempt_delay_sec),
        300, -1);
  check("mapreduce.job.running.map.limit", "3", rule(&Rules::running_map_limit), 0, 3);
  check("mapreduce.job.running.reduce.limit", "3", rule(&Rules::running_reduce_limit), 0, 3);
  check("yarn.app.mapreduce.am.job.node-blacklisting.enable", "false", exclusion(&HostExclusionSettings::is_on), true,
        false);
  check("yarn.app.mapreduce.am.job.node-blacklisting.ignore-threshold-node-percent", "-1",
        exclusion(&HostExclusionSettings::ignore_percent), 33, -1);
  check("mapreduce.job.maxtaskfailures.per.tracker", "7", exclusion(&HostExclusionSettings::failures_per_host_max), 3,
        7);
}

BOOST_AUTO_TEST_CASE(a_master_gets_the_rules_of_its_job_and_its_times) {
  using Start = actors::MapReduceMasterStart;
  const auto start = [](auto read) {
    return [read](const config::Settings& settings) { return read(map_reduce_master_start(settings)); };
  };
  check("mapreduce.map.failures.maxpercent", "10",
        start([](const Start& made) { return made.machines.job.map_failures_percent; }), 0, 10);
  check("mapreduce.reduce.failures.maxpercent", "10",
        start([](const Start& made) { return made.machines.job.reduce_failures_percent; }), 0, 10);
  check("mapreduce.map.maxattempts", "2", start([](const Start& made) { return made.machines.map_task.attempts_max; }),
        4, 2);
  check("mapreduce.reduce.maxattempts", "2",
        start([](const Start& made) { return made.machines.reduce_task.attempts_max; }), 4, 2);
  check("mapreduce.map.speculative", "false",
        start([](const Start& made) { return made.machines.map_task.is_speculative; }), true, false);
  check("mapreduce.reduce.speculative", "false",
        start([](const Start& made) { return made.machines.reduce_task.is_speculative; }), true, false);
  check("mapreduce.map.memory.mb", "2048", start([](const Start& made) { return made.map.memory_mib; }),
        std::int64_t{1024}, std::int64_t{2048});
  check("mapreduce.reduce.cpu.vcores", "2", start([](const Start& made) { return made.reduce.cores; }), std::int64_t{1},
        std::int64_t{2});
  check("mapreduce.task.timeout", "5000", start([](const Start& made) { return made.task_timeout; }), Duration{600s},
        Duration{5s});
  check("yarn.app.mapreduce.am.job.committer.commit-window", "7000",
        start([](const Start& made) { return made.commit_window; }), Duration{10s}, Duration{7s});
  check("yarn.app.mapreduce.am.job.committer.cancel-timeout", "5000",
        start([](const Start& made) { return made.machines.job.fail_wait; }), Duration{60s}, Duration{5s});
  check("mapreduce.task.stuck.timeout-ms", "5000", start([](const Start& made) { return made.stuck_timeout; }),
        Duration{600s}, Duration{5s});
  check("mapreduce.task.stuck.timeout-ms", "0", start([](const Start& made) { return made.stuck_timeout > 24h * 365; }),
        false, true);
  check("mapreduce.task.exit.timeout", "5000", start([](const Start& made) { return made.exit_timeout; }),
        Duration{60s}, Duration{5s});
  check("yarn.app.mapreduce.am.scheduler.connection.wait.interval-ms", "7000",
        start([](const Start& made) { return made.unanswered_max; }), 360, 7);
  check("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", "3000",
        start([](const Start& made) { return made.loop.heartbeat_interval; }), Duration{1s}, Duration{3s});
  check("heddle.map_reduce.beat_on_change", "false", start([](const Start& made) { return made.loop.spacing; }),
        Duration{0}, Duration{1s});
}

BOOST_AUTO_TEST_CASE(reports_of_a_child_follow_the_time_out_unless_their_interval_is_set) {
  BOOST_TEST((progress_interval({}) == 3s));
  BOOST_TEST((progress_interval(settings_with("mapred.task.timeout", "20000")) == 200ms));
  BOOST_TEST((progress_interval(settings_with("mapreduce.task.progress-report.interval", "700")) == 700ms));
  BOOST_TEST((task_timeout(settings_with("mapred.task.timeout", "0")) > 24h * 365));
  BOOST_TEST((progress_interval(settings_with("mapred.task.timeout", "0")) == 3s));
}

BOOST_AUTO_TEST_CASE(children_of_framework_yarn_report_each_hundredth_of_the_time_out) {
  const auto interval = [](const config::Settings& settings) {
    return progress_interval(config::read_settings(yarn_child_settings(settings)).value());
  };
  BOOST_TEST((interval({}) == 6s));
  BOOST_TEST((interval(settings_with("mapreduce.task.timeout", "1000000")) == 10s));
  BOOST_TEST((interval(settings_with("mapreduce.task.timeout", "20000")) == 200ms));
  BOOST_TEST((interval(settings_with("mapreduce.task.timeout", "0")) == 6s));
  BOOST_TEST((interval(settings_with("mapreduce.task.progress-report.interval", "700")) == 700ms));
}

BOOST_AUTO_TEST_CASE(a_reduce_asks_a_host_for_at_most_twenty_maps_at_once) {
  work::ShuffleClientSettings fetch;
  limit_copies(settings_with("mapred.reduce.parallel.copies", "7"), fetch);
  BOOST_TEST(fetch.maps_per_request == 20);
  BOOST_TEST(fetch.servers_at_once == 7);
}

}  // namespace
}  // namespace map_reduce_settings_test
}  // namespace heddle::apps
