// heddle's C++ API: task functions, jobs that call them, and the session that runs the jobs.
//
//   void count_words(heddle::TaskContext& task) { … task.emit(word, count); }
//   HEDDLE_TASK(count_words)
//
//   int main(int argc, char** argv) {
//     heddle::Session session{argc, argv};   // first in main; PROGRAM --master 'local-cluster[2,1,512]' uses a cluster
//     const auto report = session.run(heddle::JobBuilder{"words"}
//       .stage("count", heddle::text("/usr/include/c++"), count_words)
//       .shuffle_stage("sum", {.after = "count", .partitions = 4}, sum_counts)
//       .save_text("words"));
//     if (!report) return std::fprintf(stderr, "%s\n", report.error().text.c_str()), 1;
//   }
//
// A function that throws fails its task attempt; heddle retries the task. A function that crashes ends its process: an
// executor on a cluster, the whole program in local[N]. Programs with their own CAF actors: heddle/actors.hpp.
// A complete program: samples/word_count.cpp.
#pragma once

#include "heddle/job_builder.hpp"
#include "heddle/session.hpp"
#include "heddle/task.hpp"
