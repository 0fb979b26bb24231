// Goal: in any history no slot is used twice, no task runs twice except as a copy, and every set ends. Method: random
// clusters, sets, failures and losses from a seed; invariants after each event; then a phase without faults.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "model/random_stream.hpp"
#include "policies/tasks/task_scheduler.hpp"

namespace task_scheduler_properties_test {

using namespace heddle;
using namespace heddle::policies;

namespace {

constexpr std::int32_t executors = 8;
constexpr std::int32_t hosts = 4;
constexpr std::int32_t cores = 2;

class RandomCluster {
public:
  explicit RandomCluster(std::uint64_t seed) : random_{seed}, scheduler_{settings()} {
    for (std::int32_t host = 0; host < hosts; ++host)
      scheduler_.apply(Instant{}, task_input::HostIntroduced{HostId{host}, "host" + std::to_string(host),
                                                             "rack" + std::to_string(host % 2)});
  }

  void stir(int events) {
    for (int i = 0; i < events; ++i) {
      now_ += std::chrono::milliseconds{random_.below(1500)};
      const std::uint64_t what = random_.below(20);
      if (what < 2) submit();
      else if (what < 9) offer(random_.chance(1, 3));
      else if (what < 15) end_one(random_.below(10) < 7 ? AttemptState::finished : AttemptState::failed);
      else if (what == 15) lose();
      else if (what == 16)
        scheduler_.apply(
            now_,
            task_input::PartitionFinished{StageId{std::int64_t(random_.below(6))}, std::int32_t(random_.below(5))},
            effects_);
      else if (what == 17) scheduler_.apply(now_, task_input::SpeculationDue{}, effects_);
      else if (what == 18) queue_ahead();
      else retract();
      apply_effects();
    }
  }

  /// Without further faults every set must end.
  void calm_down() {
    for (int round = 0; round < 2000 && !scheduler_.task_sets().empty(); ++round) {
      now_ += std::chrono::seconds{4};
      for (std::int32_t number = 0; number < executors; ++number) alive_.insert(number);
      offer(true);
      apply_effects();
      while (!live_.empty()) {
        end(live_.begin()->first, AttemptState::finished);
        apply_effects();
      }
      if (const auto due = scheduler_.next_due(); due && *due <= now_)
        scheduler_.apply(now_, task_input::TimePassed{}, effects_);
      replace_stuck_attempts();
      apply_effects();
    }
    for (const TaskSetKey key : scheduler_.task_sets())
      BOOST_ERROR("set " << key.stage.value << "." << key.attempt
                         << " never ends: " << scheduler_.explain(now_, key).text);
  }

private:
  static TaskSchedulerSettings settings() {
    TaskSchedulerSettings made;
    made.mode = SchedulingMode::fair;
    made.speculation.emplace();
    made.speculation->quantile = 0.5;
    made.exclusion.emplace();
    made.exclusion->timeout = std::chrono::seconds{30};
    made.unschedulable_timeout = std::chrono::seconds{20};
    return made;
  }

  void submit() {
    TaskSetDescription set;
    const auto stage = static_cast<std::int64_t>(random_.below(6));
    set.key = {StageId{stage}, next_attempt_[stage]++};
    set.kind = random_.chance(1, 2) ? TaskSetKind::map : TaskSetKind::result;
    set.tasks = 1 + static_cast<std::int32_t>(random_.below(6));
    set.pool = random_.chance(1, 2) ? "a" : "b";
    PreferredLocationLists lists;
    for (std::int32_t task = 0; task < set.tasks; ++task) {
      std::vector<PreferredLocation> places;
      for (auto left = random_.below(3); left > 0; --left) {
        const auto executor = static_cast<std::int32_t>(random_.below(executors));
        places.push_back(random_.chance(1, 2) ? PreferredLocation{host_of(executor)}
                                              : PreferredLocation{host_of(executor), ExecutorId{executor}});
      }
      lists.add(places);
    }
    set.places = {std::make_shared<const PreferredLocationLists>(std::move(lists)), false};
    scheduler_.apply(now_, task_input::TaskSetSubmitted{set}, effects_);
  }

  void offer(bool is_full) {
    std::vector<SlotOffer> offers;
    for (std::int32_t number = 0; number < executors; ++number)
      if (is_full || random_.chance(1, 3)) {
        offers.push_back({ExecutorId{number}, host_of(number), cores - used(number)});
        alive_.insert(number);
      }
    scheduler_.apply(now_, task_input::OffersMade{offers, is_full}, effects_);
    // No executor gets more tasks than it offered.
    std::map<std::int64_t, std::int32_t> given;
    for (const TaskLaunch& launch : effects_.launches) ++given[launch.executor.value];
    for (const SlotOffer& one : offers) BOOST_TEST(given[one.executor.value] <= one.free_cores);
  }

  void queue_ahead() {
    const std::size_t before = effects_.launches.size();
    scheduler_.apply(now_, task_input::TasksWantedAhead{ExecutorId{std::int64_t(random_.below(executors))}, 3},
                     effects_);
    for (std::size_t i = before; i < effects_.launches.size(); ++i) {
      BOOST_TEST(effects_.launches[i].queued);
      BOOST_TEST((effects_.launches[i].set == effects_.launches[before].set));
      BOOST_TEST((effects_.launches[i].level == effects_.launches[before].level));
    }
  }

  void retract() {
    const std::vector<LaunchId> queued = scheduler_.queued_on(ExecutorId{std::int64_t(random_.below(executors))});
    if (queued.empty()) return;
    const LaunchId id = queued.back();
    const bool is_over = scheduler_.progress(scheduler_.launch_of(id)->set)->zombie;
    BOOST_TEST(scheduler_.apply(now_, task_input::AttemptRetracted{id}) == !is_over);
    if (is_over) end(id, AttemptState::killed);
    else live_.erase(id);
  }

  void end_one(AttemptState state) {
    if (live_.empty()) return;
    auto chosen = live_.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random_.below(live_.size())));
    const LaunchId id = chosen->first;
    if (random_.chance(1, 2))
      task_input::apply_attempt_status(scheduler_, now_, id, {AttemptState::running, {}, {}, {}}, effects_);
    end(id, state);
  }
  void end(LaunchId id, AttemptState state) {
    live_.erase(id);
    task_input::apply_attempt_status(scheduler_, now_, id, {state, AttemptFailure::exception, {}, {}}, effects_);
    BOOST_TEST(!task_input::apply_attempt_status(scheduler_, now_, id, {},
                                                 effects_));  // the second end of an attempt is ignored
  }

  void lose() {
    const auto number = static_cast<std::int32_t>(random_.below(executors));
    alive_.erase(number);
    scheduler_.apply(now_, task_input::ExecutorGone{ExecutorId{number}, {LossKind::process_lost, random_.chance(1, 2)}},
                     effects_);
    std::erase_if(live_, [number](const auto& row) { return row.second.executor.value == number; });
  }

  /// Sets whose last task index was marked by a fetch failure would wait forever; this prevents them.
  void replace_stuck_attempts() {
    for (const TaskSetKey key : scheduler_.task_sets())
      if (scheduler_.progress(key)->zombie) scheduler_.apply(now_, task_input::StageKilled{key.stage}, effects_);
  }

  void apply_effects() {
    for (const TaskLaunch& launch : effects_.launches) {
      BOOST_TEST(live_.emplace(launch.id, launch).second);
      BOOST_TEST(
          attempts_.insert({launch.set, launch.index, launch.attempt}).second);  // an attempt number is used once
      int of_task = 0;
      for (const auto& row : live_) of_task += row.second.set == launch.set && row.second.index == launch.index ? 1 : 0;
      BOOST_TEST(of_task <= 2);
    }
    effects_.clear();
    scheduler_.check_invariants();
    for (const TaskSetKey key : scheduler_.task_sets()) BOOST_TEST(!scheduler_.explain(now_, key).text.empty());
  }

  [[nodiscard]] std::int32_t used(std::int32_t number) const {
    std::int32_t count = 0;
    for (const auto& row : live_) count += row.second.executor.value == number ? 1 : 0;
    return std::min(count, cores);
  }
  [[nodiscard]] static HostId host_of(std::int32_t executor) { return HostId{executor % hosts}; }

  RandomStream random_;
  TaskScheduler scheduler_;
  TaskSchedulerEffects effects_;
  Instant now_{std::chrono::milliseconds{1}};
  std::map<LaunchId, TaskLaunch> live_;
  std::set<std::tuple<TaskSetKey, std::int32_t, std::int32_t>> attempts_;
  std::set<std::int32_t> alive_;
  std::map<std::int64_t, std::int32_t> next_attempt_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(task_scheduler_properties)

BOOST_AUTO_TEST_CASE(random_histories_keep_every_promise_and_every_set_ends) {  // seed 39 hangs with copies below zero
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomCluster cluster{seed};
      cluster.stir(300);
      cluster.calm_down();
    }
  }
}

BOOST_AUTO_TEST_CASE(a_copy_of_the_scheduler_goes_its_own_way) {
  TaskScheduler scheduler{TaskSchedulerSettings{}};
  TaskSchedulerEffects effects;
  TaskSetDescription set;
  set.key = {StageId{0}, 0};
  set.tasks = 2;
  scheduler.apply(Instant{}, task_input::TaskSetSubmitted{set}, effects);
  TaskScheduler copy = scheduler;
  const SlotOffer offer{ExecutorId{0}, HostId{0}, 2};
  copy.apply(Instant{}, task_input::OffersMade{{&offer, 1}, true}, effects);
  BOOST_TEST(copy.progress(set.key)->running == 2);
  BOOST_TEST(scheduler.progress(set.key)->running == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace task_scheduler_properties_test
