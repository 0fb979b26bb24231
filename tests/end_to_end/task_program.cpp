// A user's program for library_test.py: `task_program [session options] JOB [MARK]` runs one small job in a session and
// prints its report, or the kind and text of the error. MARK: a file that a task creates before its first crash.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <heddle/heddle.hpp>
#include <stdexcept>
#include <string>

namespace {

/// Crashes as an invalid pointer does, also with the signal handler of a sanitizer.
void crash() {
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
}

void say_process(heddle::TaskContext& task) { task.emit(std::to_string(::getpid())); }
HEDDLE_TASK(say_process)

void throw_always(heddle::TaskContext&) { throw std::runtime_error{"no two snowflakes are alike"}; }
HEDDLE_TASK(throw_always)

void crash_always(heddle::TaskContext& task) {
  if (task.index() == 1) crash();
}
HEDDLE_TASK(crash_always)

/// The path of the mark is passed as input, because this function runs in another process.
void crash_once(heddle::TaskContext& task) {
  for (std::string_view line : task.lines()) {
    const std::filesystem::path mark{line};
    if (!std::filesystem::exists(mark)) {
      std::ofstream{mark}.put('x');
      crash();
    }
    task.emit("survived");
  }
}
HEDDLE_TASK(crash_once)

/// Creates a file in the folder of its argument, and ends when there are two files.
void meet(heddle::TaskContext& task) {
  const std::filesystem::path folder{task.argument()};
  std::ofstream{folder / (std::to_string(::getpid()) + "." + std::to_string(::gettid()))}.put('x');
  while (std::distance(std::filesystem::directory_iterator{folder}, {}) < 2) ::usleep(10'000);
}
HEDDLE_TASK(meet)

#ifdef HEDDLE_TEST_DUPLICATE
namespace other {
void say_process(heddle::TaskContext&) {}
HEDDLE_TASK(say_process)
}  // namespace other
#endif

int count_shuffles(const std::filesystem::path& folder) {
  int count = 0;
  std::error_code fault;  // folders can be removed while they are listed
  for (std::filesystem::recursive_directory_iterator each{folder, fault}, end; !fault && each != end;
       each.increment(fault))
    count += each->path().filename().string().starts_with("shuffle-") ? 1 : 0;
  return count;
}

/// Runs several shuffles and prints after each one the number of remaining shuffle folders.
int run_shuffles(heddle::Session& session, const std::filesystem::path& folder) {
  for (int round = 0; round < 3; ++round) {
    heddle::JobBuilder job{"shuffles"};
    job.stage("say", heddle::tasks(4), heddle::function("say_process"))
        .shuffle_stage("again", {.after = {"say"}, .partitions = 2}, heddle::function("say_process"));
    if (const auto report = session.run(job); !report) {
      std::printf("%s\n", report.error().text.c_str());
      return 1;
    }
    for (int looks = 0; count_shuffles(folder) > 0 && looks < 1000; ++looks) ::usleep(10'000);
    std::printf("left %d\n", count_shuffles(folder));
  }
  return 0;
}

heddle::JobBuilder job_of(const std::vector<std::string>& words) {
  const auto& name = words.front();
  heddle::JobBuilder job{name};
  if (name == "crash_once")
    job.stage("crash", heddle::text(words.at(1) + ".input"), heddle::function(name)).save_text(words.at(1) + ".out");
  else job.stage(name, heddle::tasks(4), heddle::function(name));
  if (name == "say_process") job.save_text(words.at(1));
  return job;
}

}  // namespace

int main(int argc, char** argv) {
  heddle::Session session{argc, argv};
  std::printf("main of %d\n", static_cast<int>(::getpid()));
  heddle::RunCallbacks callbacks;
  callbacks.on_notice = [](const std::string& text) { std::printf("notice: %s\n", text.c_str()); };
  if (session.arguments().front() == "say_together") {
    // Each job waits for the file of the other one: run consecutively, they would never end.
    std::vector<heddle::JobBuilder> jobs;
    for (const auto* name : {"first", "second"})
      jobs.push_back(
          heddle::JobBuilder{name}.stage(name, heddle::tasks(1), heddle::function("meet", session.arguments().at(1))));
    int failed = 0;
    for (const auto& each : session.run_all(jobs, callbacks)) {
      std::printf("%s\n", each ? each->name.c_str() : each.error().text.c_str());
      failed += each ? 0 : 1;
    }
    return failed;
  }
  if (session.arguments().front() == "shuffles") return run_shuffles(session, session.arguments().at(1));
  const auto report = session.run(job_of(session.arguments()), callbacks);
  if (report) std::printf("%s", heddle::to_string(*report).c_str());
  else std::printf("error %s: %s\n", heddle::to_string(report.error().code), report.error().text.c_str());
  return report ? 0 : 1;
}
