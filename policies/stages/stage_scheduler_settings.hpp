// Settings of the StageScheduler. The event log holds them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "model/time.hpp"

namespace heddle::policies {

struct StageSchedulerSettings {
  static constexpr std::string_view record = "stage_scheduler_settings";
  std::int32_t max_consecutive_attempts = 4;      // failed attempts of a stage before its jobs fail
  std::int32_t max_stage_attempts = INT32_MAX;    // attempts of a stage in all
  bool shuffle_service = false;                   // map outputs outlive the executor that wrote them
  bool unregister_output_on_host = false;         // a fetch failure drops the host's outputs, not just the executor's
  bool reliable_shuffle_storage = false;          // map outputs survive every loss
  bool ignore_decommission_fetch_failure = true;  // fetch failures at a decommissioned executor are not counted
  bool cancel_stages_with_failed_attempts =
      false;                        // also cancel old attempts of a stage that is not running (Spark 3.5.4 and later)
  bool old_fetch_protocol = false;  // map outputs are fetched without the attempt that wrote them
  bool can_kill_tasks = true;       // false: a cancelled job with running stages goes on
  bool reduce_locality_by_host =
      false;  // sum the outputs of all executors of a host (heddle.fix.reduce_locality_by_host)
  Duration resubmit_delay = std::chrono::milliseconds{200};
  static void visit_fields(auto& visit, auto& self) {
    visit("max_consecutive_attempts", self.max_consecutive_attempts);
    visit("max_stage_attempts", self.max_stage_attempts);
    visit("shuffle_service", self.shuffle_service);
    visit("unregister_output_on_host", self.unregister_output_on_host);
    visit("reliable_shuffle_storage", self.reliable_shuffle_storage);
    visit("ignore_decommission_fetch_failure", self.ignore_decommission_fetch_failure);
    visit("cancel_stages_with_failed_attempts", self.cancel_stages_with_failed_attempts);
    visit("old_fetch_protocol", self.old_fetch_protocol);
    visit("can_kill_tasks", self.can_kill_tasks);
    visit("reduce_locality_by_host", self.reduce_locality_by_host);
    visit("resubmit_delay", self.resubmit_delay);
  }
};

}  // namespace heddle::policies
