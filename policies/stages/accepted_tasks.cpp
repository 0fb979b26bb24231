#include "policies/stages/accepted_tasks.hpp"

#include "model/java_number.hpp"

namespace heddle::policies {

void AcceptedTasks::accept(const Stage& stage, std::int32_t partition, const TaskOutcome* outcome, JobTotals& totals) {
  auto& tasks = stages_[stage];
  const auto at = static_cast<std::size_t>(partition);
  if (tasks.is_accepted.size() <= at) tasks.is_accepted.resize(at + 1);
  const bool is_result = stage.shuffle.is_none();
  if (tasks.is_accepted[at]) {
    if (is_result) return;
    if (const auto former = tasks.share_of.find(partition); former != tasks.share_of.end()) {
      add(former->second, -1, totals);
      tasks.share_of.erase(former);
    }
  } else {
    tasks.is_accepted[at] = true;
    totals.tasks += 1;
  }
  if (outcome == nullptr) return;
  auto share = share_of(*outcome);
  add(share, 1, totals);
  if (!is_result) tasks.share_of.emplace(partition, std::move(share));
}

AcceptedTasks::Share AcceptedTasks::share_of(const TaskOutcome& outcome) {
  Share share{outcome.bytes_read,    outcome.records_read,  outcome.bytes_shuffled_in,
              outcome.bytes_written, outcome.bytes_spilled, {}};
  for (const auto& [name, count] : outcome.counters) share.counters.emplace_back(counter(name), count);
  for (std::size_t i = 0; i < outcome.task_counters.size() && i < task_counters_.size(); ++i) {
    const auto count = outcome.task_counters[i];
    if (count == 0) continue;
    if (task_counters_[i] == nullptr) task_counters_[i] = counter(task_counter_names[i]);
    share.counters.emplace_back(task_counters_[i], count);
  }
  return share;
}

AcceptedTasks::Counter* AcceptedTasks::counter(std::string_view name) {
  const auto [row, is_new] = counters_.try_emplace(std::string{name});
  if (is_new && !is_counter_of_hadoop(name)) ++user_counters_;
  return &*row;
}

void AcceptedTasks::add(const Share& share, std::int64_t sign, JobTotals& totals) {
  totals.bytes_read += sign * share.bytes_read;
  totals.records_read += sign * share.records_read;
  totals.bytes_shuffled += sign * share.bytes_shuffled;
  totals.bytes_written += sign * share.bytes_written;
  totals.bytes_spilled += sign * share.bytes_spilled;
  for (const auto& [counter, count] : share.counters)
    counter->second = java::wrap_add(counter->second, java::wrap_mul(sign, count));
}

}  // namespace heddle::policies
