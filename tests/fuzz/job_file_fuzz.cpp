#include "config/files/job_file.hpp"
#include "tests/fuzz/fuzz_target.hpp"

HEDDLE_FUZZ_TARGET(job_file) {
  const auto read = heddle::config::parse_job_file("job.toml", input);
  if (!read) HEDDLE_ASSERT(read.error().text.find("job.toml") != std::string::npos, read.error().text);
}
