#include "policies/job_tracker/job_work.hpp"

#include <utility>

namespace heddle::policies {
namespace {

/// A job that a framework cannot run.
struct Refusal {
  std::string_view framework;
  Error operator()(const JobPlan& plan, const std::string& why) const {
    return {Errc::refused,
            "job '" + plan.graph().name + "' cannot run with --framework " + std::string{framework} + ": " + why};
  }
};

}  // namespace

Result<JobWork> JobWork::make(JobId job, const ApplicationId& application, JobPackage package,
                              std::string_view framework) {
  const Refusal refused{framework};
  auto plan = JobPlan::make(std::move(package));
  if (!plan) return plan.error();
  const auto results = plan->result_stages();
  if (results.size() != 1)
    return refused(*plan, "it has " + std::to_string(results.size()) + " results; use --framework driver");
  JobWork work;
  work.plan_ = std::move(*plan);
  work.map_stage_ = results.front();
  auto& made = work.plan_;
  if (const std::int32_t root = made.root_of(work.map_stage_); !made.stage(root).parents.empty()) {
    if (made.stage(root).parents.size() != 1 ||
        !made.stage(made.root_of(made.stage(root).parents.front())).parents.empty())
      return refused(made, "it has more than one shuffle; use --framework driver");
    work.reduce_stage_ = work.map_stage_;
    work.map_stage_ = made.stage(root).parents.front();
    static_cast<void>(made.number_shuffles(ShuffleId{0}));
  }
  for (const bool reduces : {false, true}) {
    if (reduces && !work.has_reduces()) break;
    if (made.is_barrier(work.stage(reduces))) return refused(made, "it has a barrier stage; use --framework driver");
    auto program = made.program_of(work.stage(reduces), reduces ? ShuffleId{} : work.shuffle());
    program.key = {job, StageId{work.stage(reduces)}, 0};
    program.application = application;
    work.programs_.push_back(std::move(program));
  }
  return work;
}

bool JobWork::has_hosts(std::int32_t map) const {
  const auto* found = split(map);
  return found != nullptr && !found->split.hosts.empty();
}

bool JobWork::is_on_each_host(std::int32_t map) const {
  const auto* found = split(map);
  return found != nullptr && found->split.hosts.empty() && found->split.length > 0 &&
         program(false).inputs[static_cast<std::size_t>(found->input)].format != InputFormat::n_line;
}

ClassicJobDescription JobWork::describe(JobId job, const JobRules& rules) const {
  ClassicJobDescription description;
  static_cast<JobRules&>(description) = rules;
  description.job = job;
  description.splits = hosts();
  description.reduces = tasks(true);
  for (std::int32_t map = 0; map < tasks(false); ++map) {
    const auto* found = split(map);
    description.split_lengths.push_back(found == nullptr ? 0 : found->split.length);
  }
  return description;
}

std::vector<std::vector<std::string>> JobWork::hosts() const {
  std::vector<std::vector<std::string>> made;
  for (std::int32_t map = 0; map < tasks(false); ++map) {
    const auto* found = split(map);
    made.push_back(found == nullptr ? std::vector<std::string>{} : found->split.hosts);
  }
  return made;
}

TaskRange JobWork::range_of(const TaskAttemptId& attempt) const {
  TaskRange range;
  range.stage = program(attempt.is_reduce).key;
  range.first_index = attempt.task;
  range.count = 1;
  range.attempt = attempt.attempt;
  const auto* found = attempt.is_reduce ? nullptr : split(attempt.task);
  if (found != nullptr) range.splits.push_back(*found);
  return range;
}

std::vector<OutputWinners> JobWork::outputs() const {
  const auto& output = plan_.stage(stage(has_reduces())).output;
  if (!output) return {};
  return {{output->path, output->lazy, {}}};
}

}  // namespace heddle::policies
