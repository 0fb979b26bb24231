#include "actors/map_reduce_master/speculation_flow.hpp"

#include <utility>
#include <variant>

namespace heddle::actors {
namespace {

namespace in = policies::speculator_input;

void tell_end(MasterTurn& turn, const policies::AddCompletionEvent& ended) {
  switch (ended.ending) {
    case AttemptEnding::succeeded: return tell_speculator(turn, in::AttemptSucceeded{ended.attempt});
    case AttemptEnding::killed: return tell_speculator(turn, in::AttemptStateChanged{ended.attempt, in::State::killed});
    case AttemptEnding::failed:
    case AttemptEnding::task_failed:
      return tell_speculator(turn, in::AttemptStateChanged{ended.attempt, in::State::failed});
    case AttemptEnding::obsolete: return;  // its loss has an event of its own
  }
}

}  // namespace

void tell_speculator(MasterTurn& turn, const in::Input& input) {
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
    turn.effects.push_back(ReportToJobClient{Notice{to_string(task) + " is slow: a second attempt starts"}});
    turn.state.machines().speculate(turn.now, task);
  }
}

void tell_ends_to_speculator(MasterTurn& turn) {
  auto& state = turn.state;
  if (!state.speculation.speculator) return;
  const auto& job = state.machines().job();
  const auto& ended = job.completion_events().all();
  auto& told = state.speculation;
  for (; told.ends < ended.size(); ++told.ends) tell_end(turn, ended[told.ends]);
  const std::pair completed{job.ended_maps().all(), job.ended_reduces().all()};
  if (std::exchange(told.completed, completed) != completed)
    tell_speculator(turn, in::TasksCompleted{completed.first, completed.second});
}

void run_speculation_deadline(MasterTurn& turn) {
  const auto& speculator = turn.state.speculation.speculator;
  if (!turn.state.has_machines() || !speculator) return;
  if (const auto due = speculator->next_due(); due && *due <= turn.now) tell_speculator(turn, in::ScanDue{});
}

}  // namespace heddle::actors
