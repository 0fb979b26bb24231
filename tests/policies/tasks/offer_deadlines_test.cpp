// Goal: a scheduler that is called only at next_due() launches what a scheduler that is revived each second launches
// (docs/decisions/0031). Method: random histories of a Driver; between two events a copy is revived each second.
#include "policies/tasks/offer_deadlines.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <sstream>

#include "model/random_stream.hpp"
#include "policies/tasks/task_scheduler.hpp"

namespace offer_deadlines_test {

using namespace heddle;
using namespace heddle::policies;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int32_t executors = 6;
constexpr std::int32_t hosts = 4;
constexpr std::int32_t cores = 2;
constexpr int rounds_at_once_max = 20;

/// A scheduler, and the attempts that hold cores as its Driver knows them.
struct Side {
  TaskScheduler scheduler;
  std::map<LaunchId, TaskLaunch> live;
  std::set<std::int32_t> alive;

  [[nodiscard]] std::int32_t free_cores(std::int32_t number) const {
    std::int32_t used = 0;
    for (const auto& row : live) used += row.second.executor.value == number ? row.second.cores : 0;
    return std::max(0, cores - used);
  }
  [[nodiscard]] std::vector<SlotOffer> offers_of(const std::set<std::int32_t>& numbers) const {
    std::vector<SlotOffer> offers;
    for (const std::int32_t number : numbers)
      if (alive.contains(number)) offers.push_back({ExecutorId{number}, HostId{number % hosts}, free_cores(number)});
    return offers;
  }
  TaskSchedulerEffects offer(Instant now, const std::set<std::int32_t>& numbers, bool is_full) {
    TaskSchedulerEffects effects;
    scheduler.apply(now, task_input::OffersMade{offers_of(numbers), is_full}, effects);
    for (const TaskLaunch& launch : effects.launches) live.emplace(launch.id, launch);
    return effects;
  }
  TaskSchedulerEffects offer_all(Instant now) { return offer(now, alive, true); }
};

bool wants_round(const TaskSchedulerEffects& effects) {
  return std::any_of(effects.events.begin(), effects.events.end(),
                     [](const auto& event) { return std::holds_alternative<ReviveOffersWanted>(event); });
}

/// True if a round decided more than launches: aborted sets, requested or killed executors.
bool decides_more(const TaskSchedulerEffects& effects) {
  return std::any_of(effects.events.begin(), effects.events.end(), [](const auto& event) {
    return std::holds_alternative<TaskSetFailed>(event) || std::holds_alternative<UnschedulableSetAdded>(event) ||
           std::holds_alternative<KillExcludedExecutor>(event);
  });
}

std::string text_of(const TaskLaunch& launch) {
  std::ostringstream text;
  text << launch.set.stage.value << '.' << launch.set.attempt << '/' << launch.index << " on " << launch.executor.value;
  return text.str();
}

std::string text_of(const TaskSchedulerEffects& effects) {
  std::string text;
  for (const TaskLaunch& launch : effects.launches) text += " " + text_of(launch);
  return text;
}

class RandomHistory {
public:
  explicit RandomHistory(std::uint64_t seed) : random_{seed}, side_{TaskScheduler{settings()}, {}, {}} {
    for (std::int32_t host = 0; host < hosts; ++host)
      side_.scheduler.apply(now_, task_input::HostIntroduced{HostId{host}, "host" + std::to_string(host),
                                                             host == 3 ? "" : "rack" + std::to_string(host % 2)});
    for (std::int32_t number = 0; number < executors; ++number) join(number);
  }

  /// Number of launches of the copies that were revived each second.
  [[nodiscard]] int checked() const { return checked_; }

  void run(int events) {
    for (int step = 0; step < events; ++step) {
      happen();
      settle(side_, now_);
      compare_with_eager(step);
      const Instant next = now_ + milliseconds{random_.below(random_.chance(1, 2) ? 200 : 6000)};
      for (auto due = side_.scheduler.next_due(); due && *due <= next; due = side_.scheduler.next_due()) {
        now_ = std::max(now_, *due);
        settle(side_, now_);
        compare_with_eager(step);
      }
      now_ = next;
    }
  }

private:
  Duration random_wait() {
    constexpr std::array waits{0, 500, 1000, 3000, 10'000};
    return milliseconds{waits[random_.below(waits.size())]};
  }
  TaskSchedulerSettings settings() {
    TaskSchedulerSettings made;
    made.mode = random_.chance(1, 2) ? SchedulingMode::fair : SchedulingMode::fifo;
    made.wait_process = random_wait();
    made.wait_node = random_wait();
    made.wait_rack = random_wait();
    made.legacy_reset = random_.chance(1, 4);
    made.fixes.reject_of_stale = random_.chance(1, 2);
    made.dynamic_allocation = random_.chance(1, 2);
    made.unschedulable_timeout = seconds{20};
    if (random_.chance(1, 2)) {
      made.exclusion.emplace();
      made.exclusion->timeout = seconds{5 + static_cast<int>(random_.below(20))};
      made.exclusion->application_failed_tasks_per_executor = 1;
    }
    if (random_.chance(1, 3)) {
      made.speculation.emplace();
      made.speculation->quantile = 0.5;
    }
    return made;
  }

  // -- events -----------------------------------------------------------------------
  void happen() {
    TaskSchedulerEffects effects;
    const std::uint64_t what = random_.below(20);
    if (what < 4) submit(effects);
    else if (what < 13) end_one(effects);
    else if (what == 13) lose(effects);
    else if (what == 14) {
      for (std::int32_t number = 0; number < executors; ++number)
        if (!side_.alive.contains(number)) {
          join(number);
          break;
        }
    } else if (what == 15) {
      side_.scheduler.apply(now_, task_input::PartitionFinished{some_stage(), std::int32_t(random_.below(5))}, effects);
    } else if (what == 16) {
      side_.scheduler.apply(now_, task_input::SpeculationDue{}, effects);
    } else if (what == 17) {
      queue_ahead(effects);
    } else if (what == 18) {
      retract();
    } else if (random_.chance(1, 3)) {
      side_.scheduler.apply(now_, task_input::ExecutorDecommissioned{some_executor(), random_.chance(1, 2)}, effects);
    }
    if (wants_round(effects)) side_.offer_all(now_);
  }
  StageId some_stage() { return StageId{static_cast<std::int64_t>(random_.below(5))}; }
  ExecutorId some_executor() { return ExecutorId{static_cast<std::int64_t>(random_.below(executors))}; }

  void submit(TaskSchedulerEffects& effects) {
    TaskSetDescription set;
    set.key.stage = some_stage();
    set.key.attempt = next_attempt_[set.key.stage]++;
    set.job = JobId{set.key.stage.value};
    set.kind = random_.chance(1, 2) ? TaskSetKind::map : TaskSetKind::result;
    set.is_barrier = has_barriers_ && random_.chance(1, 4);
    set.tasks = 1 + static_cast<std::int32_t>(random_.below(set.is_barrier ? 4 : 8));
    set.task_cores = random_.chance(1, 5) ? 2 : 1;
    set.pool = random_.chance(1, 2) ? "a" : "b";
    PreferredLocationLists lists;
    for (std::int32_t task = 0; task < set.tasks; ++task) {
      std::vector<PreferredLocation> places;
      for (auto left = random_.below(3); left > 0; --left) {
        const auto executor = static_cast<std::int32_t>(random_.below(executors));
        places.push_back(random_.chance(1, 2) ? PreferredLocation{HostId{executor % hosts}}
                                              : PreferredLocation{HostId{executor % hosts}, ExecutorId{executor}});
      }
      lists.add(places);
    }
    set.places = {std::make_shared<const PreferredLocationLists>(std::move(lists)), false};
    side_.scheduler.apply(now_, task_input::TaskSetSubmitted{set}, effects);
  }

  void end_one(TaskSchedulerEffects& effects) {
    if (side_.live.empty()) return;
    auto chosen = side_.live.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random_.below(side_.live.size())));
    const TaskLaunch launch = chosen->second;
    side_.live.erase(chosen);
    const auto state = random_.below(10) < 7 ? AttemptState::finished : AttemptState::failed;
    task_input::apply_attempt_status(side_.scheduler, now_, launch.id, {state, AttemptFailure::exception, {}, {}},
                                     effects);
    side_.offer(now_, {static_cast<std::int32_t>(launch.executor.value)}, false);
  }

  void lose(TaskSchedulerEffects& effects) {
    const ExecutorId executor = some_executor();
    const auto number = static_cast<std::int32_t>(executor.value);
    if (!side_.alive.erase(number)) return;
    if (random_.chance(1, 2)) {
      side_.scheduler.apply(now_, task_input::ExecutorGone{executor, {LossKind::pending, true}}, effects);
      if (wants_round(effects)) side_.offer_all(now_);
      effects.clear();
    }
    std::erase_if(side_.live, [&](const auto& row) { return row.second.executor == executor; });
    side_.scheduler.apply(now_, task_input::ExecutorGone{executor, {LossKind::process_lost, random_.chance(1, 2)}},
                          effects);
  }

  void join(std::int32_t number) {
    side_.alive.insert(number);
    side_.offer(now_, {number}, false);
  }

  void queue_ahead(TaskSchedulerEffects& effects) {
    side_.scheduler.apply(now_, task_input::TasksWantedAhead{some_executor(), 3}, effects);
    for (const TaskLaunch& launch : effects.launches) side_.live.emplace(launch.id, launch);
  }

  void retract() {
    const std::vector<LaunchId> queued = side_.scheduler.queued_on(some_executor());
    if (queued.empty() || !side_.scheduler.apply(now_, task_input::AttemptRetracted{queued.back()})) return;
    side_.live.erase(queued.back());
    side_.offer_all(now_);
  }

  /// What is due now. Rounds at one instant come to an end: a Driver does not spin.
  static std::vector<std::string> settle(Side& side, Instant now) {
    std::vector<std::string> launched;
    int rounds = 0;
    for (auto due = side.scheduler.next_due(); due && *due <= now; due = side.scheduler.next_due()) {
      BOOST_REQUIRE(++rounds <= rounds_at_once_max);
      TaskSchedulerEffects effects;
      side.scheduler.apply(now, task_input::TimePassed{}, effects);
      if (!wants_round(effects)) continue;
      for (const TaskLaunch& launch : side.offer_all(now).launches) launched.push_back(text_of(launch));
    }
    return launched;
  }

  /// Until the next event: a copy that is revived each second decides nothing more before next_due(), and then launches
  /// the same tasks.
  void compare_with_eager(int step) {
    if (side_.scheduler.needs_revival()) return;  // a Driver revives after an interval in this case
    Side eager = side_;
    const auto due = side_.scheduler.next_due();
    const Instant end = std::min(due.value_or(now_ + seconds{40}), now_ + seconds{40});
    for (Instant at = now_ + milliseconds{random_.below(1000)}; at < end; at += seconds{1}) {
      const TaskSchedulerEffects effects = eager.offer_all(at);
      ++checked_;
      BOOST_REQUIRE_MESSAGE(effects.launches.empty(), "step " << step << ": a revival launches" << text_of(effects));
      // A barrier set that is placed in part resets unschedulable sets in each round, as in Spark.
      BOOST_REQUIRE_MESSAGE(has_barriers_ || !decides_more(effects),
                            "step " << step << ": a revival decides more than next_due()");
    }
    if (!due || *due > end) return;
    Side lazy = side_;
    std::vector<std::string> launched = settle(lazy, *due);
    std::vector<std::string> eagerly = settle(eager, *due);
    for (const TaskLaunch& launch : eager.offer_all(*due).launches) eagerly.push_back(text_of(launch));
    std::sort(launched.begin(), launched.end());
    std::sort(eagerly.begin(), eagerly.end());
    BOOST_REQUIRE_MESSAGE(std::includes(launched.begin(), launched.end(), eagerly.begin(), eagerly.end()),
                          "step " << step << ": a scheduler that was revived in between launches more when it is due");
  }

  RandomStream random_;
  bool has_barriers_ = random_.chance(1, 2);
  Instant now_{milliseconds{1}};
  Side side_;
  std::map<StageId, std::int32_t> next_attempt_;
  int checked_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(offer_deadlines)

BOOST_AUTO_TEST_CASE(a_revival_each_second_launches_nothing_more) {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomHistory history{seed};
      history.run(120);
      checked += history.checked();
    }
  }
  BOOST_TEST(checked > 5'000);
}

BOOST_AUTO_TEST_CASE(a_round_is_due_when_the_next_level_opens_and_never_without_waiting_tasks) {
  TaskSchedulerSettings settings;
  settings.wait_node = seconds{2};
  Side side{TaskScheduler{settings}, {}, {0, 1}};
  const Instant start{seconds{1}};
  side.offer_all(start);
  TaskSetDescription set;
  set.tasks = 3;
  PreferredLocationLists lists;
  for (int task = 0; task < 3; ++task) lists.add(std::array{PreferredLocation{HostId{0}}});
  set.places = {std::make_shared<const PreferredLocationLists>(std::move(lists)), false};
  TaskSchedulerEffects effects;
  side.scheduler.apply(start, task_input::TaskSetSubmitted{set}, effects);
  BOOST_TEST(!side.scheduler.next_due().has_value());
  BOOST_TEST(side.offer_all(start).launches.size() == 2U);  // executor 1 is refused
  BOOST_TEST((side.scheduler.next_due() == start + seconds{2}));
  effects.clear();
  side.scheduler.apply(start + seconds{2}, task_input::TimePassed{}, effects);
  BOOST_TEST(wants_round(effects));
  BOOST_TEST(!side.scheduler.next_due().has_value());
  BOOST_TEST(side.offer_all(start + seconds{2}).launches.size() == 1U);
  BOOST_TEST(!side.scheduler.next_due().has_value());
}

BOOST_AUTO_TEST_CASE(deadlines_are_handed_out_once) {
  const auto at = [](std::int64_t us) { return Instant{Duration{us}}; };
  OfferDeadlines deadlines;
  deadlines.postpone(1, at(20), at(0));
  deadlines.postpone(1, at(30), at(10));
  BOOST_TEST((deadlines.next_due() == at(30)));
  deadlines.set_now(1, at(12));
  deadlines.postpone(1, at(40), at(12));  // a deadline that has passed stays
  BOOST_TEST((deadlines.next_due() == at(12)));
  deadlines.replace(2, at(50));
  BOOST_TEST(deadlines.take_due(at(13)));
  BOOST_TEST(!deadlines.take_due(at(13)));
  deadlines.replace(2, std::nullopt);
  BOOST_TEST(!deadlines.next_due().has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace offer_deadlines_test
