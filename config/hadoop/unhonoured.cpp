#include "config/hadoop/unhonoured.hpp"

#include <fmt/format.h>

#include "config/text/value_text.hpp"

namespace heddle::config {

std::optional<std::string> notice_of_unhonoured(std::string_view key, std::string_view value) {
  const auto word = lower_case(trimmed(value));
  const auto instead = [&](std::string_view fact) {
    return fmt::format("{}={} is not honoured: {}", key, value, fact);
  };
  if (key == "mapred.job.tracker" || key == "mapreduce.jobtracker.address")
    return word == "local" ? "" : instead("heddle has no permanent cluster; the job runs on a local cluster");
  if (key == "mapreduce.job.ubertask.enable")
    return word != "true" ? "" : instead("heddle has no uber mode; with framework yarn each task runs in a container");
  return std::nullopt;
}

}  // namespace heddle::config
