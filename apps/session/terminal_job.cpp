#include "apps/session/terminal_job.hpp"

#include <unistd.h>

#include <memory>
#include <utility>

#include "apps/roles/session_files.hpp"
#include "apps/session/many_jobs.hpp"
#include "work/terminal/terminal_server.hpp"

namespace heddle::apps {
namespace {

constexpr int terminal_timeout_ms = 5'000;  // for the handshake of a stream

work::TerminalPlace terminal_place(const config::Settings& settings) {
  const auto network = settings.network();
  work::TerminalPlace place;
  if (!network.driver_bind_address.empty()) place.bind_address = network.driver_bind_address;
  place.advertised_host = network.driver_host;
  return place;
}

}  // namespace

Result<JobFinished> run_job_with_terminal(JobWaiter& waiter, const ClientRoleActor& client, SubmitJob job,
                                          const config::Settings& settings, const JobCallbacks& callbacks) {
  std::unique_ptr<work::TerminalServer> terminal;
  for (auto& stage : job.package.graph.stages) {
    if (!stage.pass_through) continue;
    auto lent = work::TerminalServer::start(random_token(), STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO,
                                            terminal_timeout_ms, terminal_place(settings));
    if (!lent) return lent.error();
    terminal = std::move(*lent);
    stage.terminal = terminal->terminal();
  }
  auto finished = run_one_job(waiter, client, std::move(job), callbacks);
  if (terminal) terminal->finish([&callbacks] { return callbacks.is_cancelled && callbacks.is_cancelled(); });
  return finished;
}

}  // namespace heddle::apps
