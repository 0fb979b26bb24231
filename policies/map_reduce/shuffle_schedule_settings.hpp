// Settings of the ShuffleSchedule; defaults of Hadoop 3.4.
#pragma once

#include <chrono>
#include <cstdint>

#include "model/time.hpp"

namespace heddle::policies {

struct ShuffleScheduleSettings {
  std::int32_t maps = 0;
  std::int32_t notice_every = 10;      // number of failed copies of one map per report
  std::int32_t host_failures_max = 5;  // with more failures, each is reported
  bool report_read_errors = true;      // report read errors at once
  Duration longest_map{0};             // run time, as far as known at the start
  Duration penalty_first = std::chrono::seconds{10};
  Duration penalty_max = std::chrono::seconds{60};
};

}  // namespace heddle::policies
