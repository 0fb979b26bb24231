// A job as the JobQueueScheduler gets it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/job_package.hpp"

namespace heddle::policies {

struct ClassicJobDescription : JobRules {
  JobId job{0};
  std::vector<std::vector<std::string>> splits;  // hosts of each split; empty: any host
  std::vector<std::int64_t> split_lengths;       // of each split; empty: each has `split_length`
  std::int64_t split_length = 1000;
  std::int32_t reduces = 0;
  std::int32_t first_attempt = 0;  // number of the first attempt of each task
};

}  // namespace heddle::policies
