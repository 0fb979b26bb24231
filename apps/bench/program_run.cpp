#include "apps/bench/program_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

#include "apps/bench/bench_session.hpp"
#include "work/commands/spawn.hpp"

namespace heddle::apps {

Result<ProgramRun> run_program(const std::vector<std::string>& arguments,
                               const std::vector<std::pair<std::string, std::string>>& environment) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error{Errc::io, "cannot create a pipe"};
  const work::EnvironmentBlock block{environment};
  work::SpawnRequest request;
  request.arguments = &arguments;
  request.environment = &block;
  request.standard_output = ends[1];
  request.no_input = true;
  const Stopwatch watch;
  auto process = work::spawn_process(request);
  ::close(ends[1]);
  if (!process) {
    ::close(ends[0]);
    return process.error();
  }
  ProgramRun run;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) run.output.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(*process, &status, 0) < 0 && errno == EINTR) {}
  run.seconds = watch.seconds();
  if (status != 0)
    return Error{Errc::failed, fmt::format("{} ended with status {}", fmt::join(arguments, " "), status)};
  return run;
}

Result<std::map<std::string, double>> run_bare(const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  auto run = run_program(arguments);
  if (!run) return run.error();
  std::map<std::string, double> values;
  std::istringstream lines{run->output};
  std::string name;
  std::string unit;
  for (double value = 0; lines >> name >> value >> unit;) values[name] = value;
  return values;
}

}  // namespace heddle::apps
