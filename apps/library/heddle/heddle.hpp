// heddle's C++ API: functions that do the work of tasks, jobs made of them, and the session that runs them.
//
//   void count_words(heddle::TaskContext& task) { … task.emit(word, count); }
//   HEDDLE_TASK(count_words)
//
//   int main(int argc, char** argv) {
//     heddle::Session session{argc, argv};   // first of all; --master 'local-cluster[2,1,512]' runs it in processes
//     const auto report = session.run(heddle::JobBuilder{"words"}
//       .stage("count", heddle::text("/usr/include/c++"), count_words)
//       .shuffle_stage("sum", {.after = "count", .partitions = 4}, sum_counts)
//       .save_text("words"));
//     if (!report) return std::fprintf(stderr, "%s\n", report.error().text.c_str()), 1;
//   }
//
// A function that throws fails its attempt, which is tried again; one that crashes takes its process along: an executor
// on a cluster, the whole program in local[N]. For programs that are themselves systems of CAF actors:
// heddle/actors.hpp.
#pragma once

#include "heddle/job_builder.hpp"
#include "heddle/session.hpp"
#include "heddle/task.hpp"
