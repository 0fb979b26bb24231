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
  if (key == "mapreduce.job.ubertask.maxmaps" || key == "mapreduce.job.ubertask.maxreduces")
    return instead("heddle has no uber mode");
  if (key == "mapreduce.reduce.merge.inmem.threshold" || key == "mapred.inmem.merge.threshold")
    return instead("the number of map outputs in memory starts no merge, as in Hadoop 3; their size does");
  if (key == "mapreduce.shuffle.port")
    return instead("a shuffle server listens on any free port, and its address is sent with the map outputs");
  if (key == "mapreduce.fileoutputcommitter.algorithm.version")
    return word == "1" ? "" : instead("attempts commit nothing; the commit of the job moves the files of all tasks");
  return std::nullopt;
}

}  // namespace heddle::config
