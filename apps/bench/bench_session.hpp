// A session for a measure: without progress output, with an event log in the bench's folder, which is read after the
// run.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "apps/bench/measure.hpp"
#include "apps/session/session.hpp"

namespace heddle::apps {

class Stopwatch {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class BenchSession {
public:
  /// `master` as on the command line; `assignments` as --set.
  [[nodiscard]] static Result<BenchSession> open(const BenchPlace& place, std::string_view master,
                                                 const std::vector<std::string>& assignments = {});
  /// Runs a job and returns its duration in seconds. An Error if the job fails.
  [[nodiscard]] Result<double> run(const JobGraph& graph);
  [[nodiscard]] const JobFinished& last() const { return last_; }
  /// Closes the session, which completes the event log; returns its path.
  std::string close();

private:
  BenchSession(std::unique_ptr<Session> session, const BenchPlace& place)
      : session_{std::move(session)}, place_{&place} {}
  std::unique_ptr<Session> session_;
  const BenchPlace* place_;
  JobFinished last_;
};

/// One stage of `tasks` calls of a registered function.
[[nodiscard]] JobGraph function_graph(const std::string& function, std::int64_t tasks);

}  // namespace heddle::apps
