// Keys of MapReduce jobs: their names of Hadoop 3, and the keys that only `heddle mapreduce` reads.
#pragma once

#include <string>
#include <string_view>

namespace heddle::config {

/// The Hadoop 3 name of a Hadoop 1 key, or the key itself. Example: mapred.reduce.tasks is mapreduce.job.reduces.
[[nodiscard]] std::string present_hadoop_name(std::string_view key);

/// True if `heddle mapreduce` reads the key, by its Hadoop 3 name, from the site files of a topology's Hadoop folder.
[[nodiscard]] bool is_job_key(std::string_view key);

}  // namespace heddle::config
