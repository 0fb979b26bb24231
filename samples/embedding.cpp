// Runs heddle's roles inside the CAF actor system of another program:
//   embedding [MASTER]
// An actor of the program sends a job to the Driver and receives its messages until the job has finished. Prints that
// the job was accepted, each finished stage, and last "20 primes below 72" (each of the four tasks checks every fourth
// number).
#include <caf/all.hpp>
#include <cstdio>
#include <heddle/actors.hpp>
#include <set>
#include <string>

namespace {

constexpr std::int64_t numbers = 72;
constexpr std::int32_t parts = 4;

bool is_prime(std::int64_t number) {
  for (std::int64_t divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number > 1;
}

void count_primes(heddle::TaskContext& task) {
  std::int64_t found = 0;
  for (std::int64_t number = task.index(); number < numbers; number += task.count()) found += is_prime(number) ? 1 : 0;
  task.add_to_counter("primes", "found", found);
}
HEDDLE_TASK(count_primes)

/// The client actor: submits the job, prints its messages, and quits when the job has finished.
caf::behavior listen(caf::event_based_actor* self, const heddle::DriverActor& driver, const heddle::SubmitJob& job) {
  self->send(driver, job);
  return {
      [](const heddle::JobAccepted& accepted) {
        std::printf("request %d was accepted\n", static_cast<int>(accepted.request));
      },
      [told = std::set<std::string>{}](const heddle::JobProgress& progress) mutable {
        for (const auto& stage : progress.stages)
          if (stage.is_done && told.insert(stage.name).second)
            std::printf("stage %s: %d tasks are done\n", stage.name.c_str(), stage.finished);
      },
      [](const heddle::Notice& notice) { std::printf("%s\n", notice.text.c_str()); },
      [self](const heddle::JobFinished& finished) {
        if (finished.status != heddle::JobStatus::succeeded) std::printf("failed: %s\n", finished.text.c_str());
        for (const auto& [name, value] : finished.totals.counters)
          std::printf("%d primes below %d\n", static_cast<int>(value), static_cast<int>(numbers));
        self->quit();
      },
  };
}

int fail(const heddle::Error& error) {
  std::fprintf(stderr, "embedding: %s\n", error.text.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  caf::actor_system_config config;
  heddle::configure(config, argc, argv);
  caf::actor_system system{config};
  auto roles = heddle::spawn_roles(system, {.master = argc > 1 ? argv[1] : "local[2]"});
  if (!roles) return fail(roles.error());
  const auto job = roles->prepare(heddle::JobBuilder{"primes"}.stage("count", heddle::tasks(parts), count_primes), 7);
  if (!job) return fail(job.error());
  const auto listener = system.spawn(listen, roles->driver(), *job);
  caf::scoped_actor self{system};
  self->wait_for(listener);
  return 0;
}
