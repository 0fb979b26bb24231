#include "apps/bench/bench_session.hpp"

#include <filesystem>

#include "config/files/settings_sources.hpp"

namespace heddle::apps {

Result<BenchSession> BenchSession::open(const BenchPlace& place, std::string_view master,
                                        const std::vector<std::string>& assignments) {
  SessionOptions options;
  auto parsed = config::parse_master(master, 2);
  if (!parsed) return parsed.error();
  options.master = *parsed;
  options.name = "bench";
  // Ignores settings files of the user, which would change the measures.
  config::SettingsRequest request;
  request.master = options.master;
  request.working_folder = place.folder;
  request.assignments = assignments;
  request.assignments.push_back("heddle.event_log.dir=" + place.folder + "/state");
  auto loaded = config::load_settings(request);
  if (!loaded) return loaded.error();
  options.settings = std::move(loaded->settings);
  auto session = Session::open(options, place.is_cancelled);
  if (!session) return session.error();
  return BenchSession{std::move(*session), place};
}

Result<double> BenchSession::run(const JobGraph& graph) {
  JobCallbacks callbacks;
  callbacks.is_cancelled = place_->is_cancelled;
  const Stopwatch watch;
  auto finished = session_->run(graph, callbacks);
  const auto seconds = watch.seconds();
  if (!finished) return finished.error();
  last_ = std::move(*finished);
  if (last_.status == JobStatus::cancelled) return Error{Errc::cancelled, "cancelled"};
  if (last_.status != JobStatus::succeeded) return Error{Errc::failed, last_.text};
  return seconds;
}

std::string BenchSession::close() {
  auto log = session_->event_log();
  session_.reset();
  return log;
}

JobGraph function_graph(const std::string& function, std::int64_t tasks) {
  JobGraph graph;
  graph.name = function;
  StageDescription stage;
  stage.name = function;
  stage.partitions = static_cast<std::int32_t>(tasks);
  stage.bodies.push_back(FunctionBody{function});
  graph.stages.push_back(std::move(stage));
  return graph;
}

}  // namespace heddle::apps
