#include "actors/map_reduce_master/speculation_flow.hpp"

#include <utility>
#include <variant>

#include "actors/map_reduce_master/decision_texts.hpp"

namespace heddle::actors {
namespace {

namespace in = policies::speculator_input;

void report_end(MasterTurn& turn, const policies::AddCompletionEvent& ended) {
  switch (ended.ending) {
    case AttemptEnding::succeeded: return report_to_speculator(turn, in::AttemptSucceeded{ended.attempt});
    case AttemptEnding::killed:
      return report_to_speculator(turn, in::AttemptStateChanged{ended.attempt, in::State::killed});
    case AttemptEnding::failed:
    case AttemptEnding::task_failed:
      return report_to_speculator(turn, in::AttemptStateChanged{ended.attempt, in::State::failed});
    case AttemptEnding::obsolete: return;  // its loss has an event of its own
  }
}

}  // namespace

void report_to_speculator(MasterTurn& turn, const in::Input& input) {
  auto& speculator = turn.state.speculation.speculator;
  if (!speculator) return;
  policies::SpeculatorEffects effects;
  std::visit(
      [&](const auto& each) {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, in::ScanDue>)
          speculator->apply(turn.now, each, effects);
        else speculator->apply(turn.now, each);
      },
      input);
  for (const auto& effect : effects) {
    const auto& chosen = std::get<policies::SpeculateTask>(effect);
    const policies::MapReduceTaskId task{chosen.is_reduce, chosen.index};
    turn.write_event("map_reduce_speculated",
                     ports::EventFields{}.add("task", to_string(task)).add("gain_ms", chosen.gain_ms));
    auto& machines = turn.state.machines();
    turn.effects.push_back(ReportToJobClient{Notice{second_attempt_text(
        {task, machines.task(task).progress(), chosen.gain_ms, speculator->new_attempt_ms(task.is_reduce)})}});
    machines.speculate(turn.now, task);
  }
}

void report_ends_to_speculator(MasterTurn& turn) {
  auto& state = turn.state;
  if (!state.speculation.speculator) return;
  const auto& job = state.machines().job();
  const auto& ended = job.completion_events().all();
  auto& reported = state.speculation;
  for (; reported.ends < ended.size(); ++reported.ends) report_end(turn, ended[reported.ends]);
  const std::pair completed{job.ended_maps().all(), job.ended_reduces().all()};
  if (std::exchange(reported.completed, completed) != completed)
    report_to_speculator(turn, in::TasksCompleted{completed.first, completed.second});
}

void run_speculation_deadline(MasterTurn& turn) {
  const auto& speculator = turn.state.speculation.speculator;
  if (!turn.state.has_machines() || !speculator) return;
  if (const auto due = speculator->next_due(); due && *due <= turn.now) report_to_speculator(turn, in::ScanDue{});
}

}  // namespace heddle::actors
