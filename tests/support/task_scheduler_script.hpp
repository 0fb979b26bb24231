// A task scheduler told in short words: "e1@h1:2" offers two cores of executor e1 on host h1, "h1/e1" prefers it.
// What comes back are words as well, so that a test reads as a table.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policies/tasks/task_scheduler.hpp"
#include "policies/tasks/types/task_descriptions.hpp"
#include "policies/tasks/types/task_effects.hpp"
#include "policies/tasks/types/task_questions.hpp"
#include "policies/tasks/types/task_scheduler_settings.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::support {

class TaskSchedulerScript {
public:
  using Words = std::vector<std::string>;

  explicit TaskSchedulerScript(policies::TaskSchedulerSettings settings = {}) : scheduler{std::move(settings)} {}

  TaskSchedulerScript& rack(const std::string& rack_name, const Words& hosts) {
    for (const std::string& one : hosts) racks_[one] = rack_name;
    return *this;
  }
  TaskSchedulerScript& at(std::int64_t milliseconds) {
    now = Instant{std::chrono::milliseconds{milliseconds}};
    return *this;
  }
  TaskSchedulerScript& submit(std::int32_t stage, const std::vector<Words>& tasks, std::int32_t attempt = 0,
                              const std::string& pool = "",
                              policies::TaskSetKind kind = policies::TaskSetKind::result) {
    policies::TaskSetDescription set;
    set.key = {StageId{stage}, attempt};
    set.job = JobId{0};
    set.kind = kind;
    set.pool = pool;
    set.tasks = static_cast<std::int32_t>(tasks.size());
    set.task_cores = next_task_cores;
    set.is_barrier = next_is_barrier;
    set.need = next_need;
    set.task_binary_bytes = next_task_binary_bytes;
    PreferredLocationLists lists;
    for (const Words& words : tasks) {
      std::vector<PreferredLocation> places;
      for (const std::string& word : words) places.push_back(place(word));
      lists.add(places);
    }
    set.places = {std::make_shared<const PreferredLocationLists>(std::move(lists)), false};
    scheduler.apply(now, policies::task_input::TaskSetSubmitted{set}, effects);
    return *this;
  }
  /// Launches of a full round: "stage.attempt/index executor LEVEL", joined by commas; "*" behind a copy.
  std::string offer(const Words& offers) { return round(offers, true); }
  /// The same for a round in which only some executors are offered.
  std::string offer_some(const Words& offers) { return round(offers, false); }

  TaskSchedulerScript& status(std::int64_t task, policies::AttemptState state,
                              policies::AttemptFailure failure = policies::AttemptFailure::exception) {
    policies::AttemptStatus told;
    told.state = state;
    told.failure = failure;
    policies::task_input::apply_attempt_status(scheduler, now, policies::LaunchId{task}, told, effects);
    return *this;
  }
  TaskSchedulerScript& runs(std::int64_t task) { return status(task, policies::AttemptState::running); }
  TaskSchedulerScript& ends(std::int64_t task) { return status(task, policies::AttemptState::finished); }
  TaskSchedulerScript& fails(std::int64_t task) { return status(task, policies::AttemptState::failed); }
  TaskSchedulerScript& lose(const std::string& name, LossKind kind = LossKind::process_lost,
                            bool by_application = true) {
    scheduler.apply(now, policies::task_input::ExecutorGone{executor(name), {kind, by_application}}, effects);
    return *this;
  }
  TaskSchedulerScript& decommission(const std::string& name, bool whole_host = false) {
    scheduler.apply(now, policies::task_input::ExecutorDecommissioned{executor(name), whole_host}, effects);
    return *this;
  }
  /// True if copies of tasks were wanted.
  std::string speculate() {
    effects.clear();
    scheduler.apply(now, policies::task_input::SpeculationDue{}, effects);
    return events();
  }

  /// What was told since the last round or the last question, in words; offers wanted are left out.
  std::string events() {
    std::string text;
    for (const auto& effect : effects.events) {
      const std::string word = word_of(effect);
      if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
    }
    effects.clear();
    scheduler.check_invariants();
    return text;
  }
  std::string levels(std::int32_t stage, std::int32_t attempt = 0) const {
    std::string text;
    for (const LocalityLevel level : scheduler.locality_levels({StageId{stage}, attempt}))
      text += (text.empty() ? "" : " ") + std::string{to_string(level)};
    return text;
  }
  policies::TaskSetProgress progress(std::int32_t stage, std::int32_t attempt = 0) const {
    return scheduler.progress({StageId{stage}, attempt}).value_or(policies::TaskSetProgress{});
  }
  bool is_known(std::int32_t stage, std::int32_t attempt = 0) const {
    const auto found = scheduler.progress({StageId{stage}, attempt});
    return found && !found->finished;
  }

  HostId host(const std::string& name) {
    const auto [row, is_new] = hosts_.try_emplace(name, HostId{static_cast<std::int32_t>(hosts_.size())});
    if (is_new) scheduler.apply(Instant{}, policies::task_input::HostIntroduced{row->second, name, racks_[name]});
    return row->second;
  }
  ExecutorId executor(const std::string& name) {
    const auto [row, is_new] = executors_.try_emplace(name, ExecutorId{static_cast<std::int64_t>(executors_.size())});
    if (is_new) {
      scheduler.apply(Instant{}, policies::task_input::ExecutorIntroduced{row->second, name});
      executor_names_.push_back(name);
    }
    return row->second;
  }

  policies::TaskScheduler scheduler;
  policies::TaskSchedulerEffects effects;
  std::int32_t next_task_cores = 0;  // of sets submitted from now on
  bool next_is_barrier = false;      // the same
  std::optional<policies::TaskNeed> next_need;
  std::int64_t next_task_binary_bytes = 0;
  std::optional<RandomStream> random;  // shuffles what is offered; none: offers keep their order
  Instant now{std::chrono::milliseconds{1}};

private:
  PreferredLocation place(const std::string& word) {
    if (word.starts_with("cached:")) {
      PreferredLocation cached{host(word.substr(7))};
      cached.kind = PreferredLocation::Kind::cached_on_host;
      return cached;
    }
    const auto slash = word.find('/');
    if (slash == std::string::npos) return PreferredLocation{host(word)};
    const HostId on_host = host(word.substr(0, slash));
    return PreferredLocation{on_host, executor(word.substr(slash + 1))};
  }

  std::string round(const Words& words, bool is_full) {
    std::vector<policies::SlotOffer> offers;
    for (const std::string& word : words) {
      const auto on = word.find('@');
      const auto cores = word.find(':');
      const ExecutorId who = executor(word.substr(0, on));
      offers.push_back({who, host(word.substr(on + 1, cores - on - 1)), std::stoi(word.substr(cores + 1))});
    }
    effects.clear();
    scheduler.apply(now, policies::task_input::OffersMade{offers, is_full, random ? &*random : nullptr}, effects);
    scheduler.check_invariants();
    std::string text;
    for (const policies::TaskLaunch& launch : effects.launches)
      text += fmt::format("{}{}.{}/{} {} {}{}", text.empty() ? "" : ", ", launch.set.stage.value, launch.set.attempt,
                          launch.index, executor_names_[static_cast<std::size_t>(launch.executor.value)],
                          to_string(launch.level), launch.speculative ? "*" : "");
    return text;
  }

  static std::string word_of(const policies::TaskSchedulerEffect& effect) {
    using namespace policies;
    constexpr const char* outcomes[] = {
        "success",     "resubmitted",   "killed",  "exception",     "fetch_failed",
        "result_lost", "commit_denied", "unknown", "executor_lost", "executor_lost_by_application"};
    if (const auto* told = std::get_if<TaskEnded>(&effect))
      return fmt::format("{} {}", told->id.value, outcomes[static_cast<int>(told->outcome)]);
    if (const auto* told = std::get_if<TaskSetFailed>(&effect))
      return fmt::format("{}.{} failed", told->set.stage.value, told->set.attempt);
    if (const auto* told = std::get_if<LargeTaskBinary>(&effect))
      return fmt::format("{}.{} is large", told->set.stage.value, told->set.attempt);
    if (const auto* told = std::get_if<TaskSetFinished>(&effect))
      return fmt::format("{}.{} finished", told->set.stage.value, told->set.attempt);
    if (const auto* told = std::get_if<SpeculativeTaskSubmitted>(&effect))
      return fmt::format("copy of {}", told->index);
    if (const auto* told = std::get_if<KillAttempt>(&effect)) return fmt::format("kill {}", told->id.value);
    if (const auto* told = std::get_if<KillExcludedExecutor>(&effect))
      return told->idle ? "kill an idle executor" : "kill executor";
    if (std::holds_alternative<KillExcludedHost>(effect)) return "kill host";
    if (std::holds_alternative<UnschedulableSetAdded>(effect)) return "unschedulable";
    if (std::holds_alternative<UnschedulableSetRemoved>(effect)) return "schedulable again";
    return {};
  }

  std::map<std::string, std::string> racks_;
  std::map<std::string, HostId> hosts_;
  std::map<std::string, ExecutorId> executors_;
  std::vector<std::string> executor_names_;
};

}  // namespace heddle::support
