#include "apps/bench/bench_table.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace heddle::apps {
namespace {

constexpr std::array<BenchMeasure, 18> measures{{
    {"no_op_tasks",
     "1 M C++ tasks that do nothing, local[2,4]; one in 10,000 fails once, one takes 100 ms; "
     "at the end up to 16 MiB of the event log may be unwritten"},
    {"two_process_tasks", "the same in two executor processes"},
    {"task_latency",
     "one task after the other in a live session, against a byte through as many threads and processes"},
    {"command_tasks", "10,000 tasks of `true`, outputs captured, against posix_spawn and waitpid in two threads"},
    {"mapper_cat", "1 GiB of text lines through the mapper `cat`, map only, local[2]: bytes / wall / slots"},
    {"word_count", "word count of 1 GiB in C++ functions, local[2], committed, against a hash count in two threads"},
    {"command_word_count", "word count of 200 MB by `tr` and `uniq -c`, local[2], against tr | sort | uniq -c"},
    {"sort", "sort of 1 GB in records of 100 bytes, local[2], committed, against GNU sort with the same memory"},
    {"shuffle_fetch", "1 GiB that does not compress, from a NodeManager's server to an executor, checksums verified"},
    {"start", "heddle run --master local[2] -- true, above true itself"},
    {"cluster_start", "heddle run --master local-cluster[2,1,512] -- true, until nothing is left"},
    {"task_memory", "peak memory of 10 M identical tasks, until all have run"},
    {"task_cost", "cost of a task in a job of 1 M against one of 1 k, in one session"},
    {"map_reduce_line", "one line through the mapper `cat`, map only, whole: framework classic, yarn, and driver"},
    {"map_reduce_cat", "the text of mapper_cat by framework classic and yarn, against framework driver"},
    {"map_reduce_word_count", "word count of 200 MB by commands, framework classic and yarn, against framework driver"},
    {"one_line_maps", "1,000 maps of one line on two slots: framework classic, also with reused processes, and yarn"},
    {"copies_beside_maps",
     "framework classic, 40 maps of 1 s and 16 MiB on two slots: what a reduce has copied when they end"},
}};

constexpr std::array<BenchFigure, 33> figures{{
    {"no_op_tasks", "tasks/s", BenchBound::at_least, 250e3, 1e6, "Spark: 1,700"},
    {"no_op_tasks_beside_slow_one", "tasks", BenchBound::at_least, 1000, 10'000, "in the 100 ms of the slow task"},
    {"two_process_tasks", "tasks/s", BenchBound::at_least, 50e3, 200e3, "Ray: 2,100; Spark: 900"},
    {"task_latency_p50", "ms", BenchBound::ratio_at_most, 2.5, 1.3, "a byte through 6 threads; Ray: 1.6; Spark: 21"},
    {"task_latency_p99", "ms", BenchBound::ratio_at_most, 2.5, 1.3, "a byte through 6 threads; Ray: 3.6; Spark: 66"},
    {"task_latency_idle_p50", "ms", BenchBound::ratio_at_most, 2.5, 1.3, "the same, after 5 ms of silence"},
    {"task_latency_idle_p99", "ms", BenchBound::ratio_at_most, 2.5, 1.3, "the same, after 5 ms of silence"},
    {"command_tasks", "tasks/s", BenchBound::ratio_at_least, 0.8, 0.95, "posix_spawn and waitpid, two threads"},
    {"mapper_cat", "MB/s", BenchBound::at_least, 200, 500, "heddle.output.sync=false; Hadoop Streaming: 110"},
    {"mapper_cat_default", "MB/s", BenchBound::none, 0, 0, "default settings, output synced to disk"},
    {"word_count", "s", BenchBound::ratio_at_most, 2, 1.3, "hash count in two threads; Spark: 5x"},
    {"command_word_count", "s", BenchBound::ratio_at_most, 1, 0.6,
     "tr | sort --parallel=2 | uniq -c; Hadoop Streaming: 52 s"},
    {"sort", "s", BenchBound::ratio_at_most, 1, 0.5,
     "heddle.output.sync=false, sort_memory=192m; sort --parallel=2 -S 384M; Spark: 3x"},
    {"sort_default", "s", BenchBound::none, 0, 0, "default settings, output synced to disk"},
    {"shuffle_fetch", "GB/s", BenchBound::at_least, 0.5, 1,
     "heddle.shuffle.read_local=false; encrypted; bare loopback, not encrypted: 1.6 to 2.4"},
    {"shuffle_fetch_default", "GB/s", BenchBound::none, 0, 0, "default settings: read as local files"},
    {"start", "ms", BenchBound::at_most, 30, 10, "Spark: 4,100"},
    {"cluster_start", "ms", BenchBound::at_most, 500, 200, "Spark: 12,700"},
    {"task_memory", "MB", BenchBound::at_most, 1000, 100, ""},
    {"task_cost_1k", "us", BenchBound::none, 0, 0, ""},
    {"task_cost", "us", BenchBound::ratio_at_most, 1.3, 1.1, "a task of 1 k"},
    {"classic_line", "s", BenchBound::at_most, 0.5, 0.2, "framework driver; Hadoop Streaming: 2.4 (local)"},
    {"yarn_line", "s", BenchBound::at_most, 0.4, 0.15, "framework driver; Hadoop Streaming: 14.0 (YARN)"},
    {"classic_cat", "MB/s", BenchBound::ratio_at_least, 0.75, 0.95,
     "heddle.output.sync=false; framework driver; Hadoop Streaming: 110 (local)"},
    {"yarn_cat", "MB/s", BenchBound::ratio_at_least, 0.75, 0.95,
     "heddle.output.sync=false; framework driver; Hadoop Streaming: 58 (YARN)"},
    {"classic_cat_default", "MB/s", BenchBound::none, 0, 0,
     "default settings, output synced to disk; framework driver"},
    {"yarn_cat_default", "MB/s", BenchBound::none, 0, 0, "default settings, output synced to disk; framework driver"},
    {"classic_word_count", "s", BenchBound::ratio_at_most, 2, 1.3, "framework driver; Hadoop Streaming: 52 (local)"},
    {"yarn_word_count", "s", BenchBound::ratio_at_most, 2, 1.3, "framework driver; Hadoop Streaming: 82 (YARN)"},
    {"classic_one_line_maps", "maps/s", BenchBound::at_least, 60, 150, ""},
    {"reused_one_line_maps", "maps/s", BenchBound::at_least, 500, 2000, "mapred.job.reuse.jvm.num.tasks=-1"},
    {"yarn_one_line_maps", "maps/s", BenchBound::at_least, 40, 100, ""},
    {"copies_beside_maps", "%", BenchBound::at_least, 80, 93, "of all bytes, when the last map ends"},
}};

}  // namespace

std::span<const BenchMeasure> bench_measures() { return measures; }

const BenchMeasure* find_bench_measure(std::string_view name) {
  const auto* found =
      std::find_if(measures.begin(), measures.end(), [&](const BenchMeasure& measure) { return measure.name == name; });
  return found == measures.end() ? nullptr : found;
}

std::span<const std::string_view> bench_measure_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const auto& measure : measures) all.push_back(measure.name);
    return all;
  }();
  return names;
}

std::span<const BenchFigure> bench_figures() { return figures; }

const BenchFigure* find_bench_figure(std::string_view name) {
  const auto* found =
      std::find_if(figures.begin(), figures.end(), [&](const BenchFigure& figure) { return figure.name == name; });
  return found == figures.end() ? nullptr : found;
}

}  // namespace heddle::apps
