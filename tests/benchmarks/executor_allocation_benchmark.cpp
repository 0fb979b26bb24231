// Speed of ExecutorAllocation with 10,000 executors of one core and a stage of 1 M tasks; one line per measure.
//   events            half of the executors are busy; alternately a random task ends and one starts on a random idle
//                     executor; 1 ms passes per 100 events; listener and monitor are measured, drawing is not
//   events_recorded   the same with the Driver's recording, and its additional cost per event
//   events_polled     the same with a poll each 100 ms of virtual time
//   poll_nothing_due  one poll with a running stage and no timeout; mean of 100,000
//   poll_all_due      one poll in which all 10,000 executors time out and are removed; mean of 40
//   events_at_ten_times        cost of an event, relative to that with a tenth of the executors
//   poll_all_due_at_ten_times  cost per timed-out executor, relative to that with a tenth of the executors
// The argument multiplies the number of executors. The seed is fixed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "model/assert.hpp"
#include "model/random_stream.hpp"
#include "policies/executors/executor_allocation.hpp"
#include "tests/benchmarks/measured_deciders.hpp"

namespace {

using namespace heddle;
using namespace heddle::policies;
using Clock = std::chrono::steady_clock;

constexpr std::int32_t stage_tasks = 1'000'000;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

using PlainAllocation = benchmarks::PlainDecider<ExecutorAllocation>;
using RecordedAllocation = benchmarks::RecordedDecider<ExecutorAllocation>;

template <class Decider = PlainAllocation>
struct Rig {
  explicit Rig(std::int64_t count) : executors{count}, decider{settings()} {
    decider.apply(now, allocation_input::Started{}, effects);
    add_all();
  }
  static ExecutorAllocationSettings settings() {
    ExecutorAllocationSettings result;
    result.executors_max = 1'000'000;
    return result;
  }
  void add_all() {
    for (std::int64_t id = 0; id < executors; ++id)
      decider.apply(now, allocation_input::ExecutorRegistered{ExecutorId{id}, ProfileId{0}});
  }
  void remove_all() {
    for (std::int64_t id = 0; id < executors; ++id)
      decider.apply(Instant{}, allocation_input::ExecutorGone{ExecutorId{id}, LossKind::process_lost});
  }
  void submit(std::int64_t stage) {
    decider.apply(
        now,
        allocation_input::StageBegun{StageId{stage}, 0, stage_tasks, ProfileId{0}, {IndexRange{0, stage_tasks}}, {}},
        effects);
  }
  /// One poll: accepts every request and acknowledges every removal. Returns the number of removed executors.
  std::size_t poll() {
    std::size_t gone = 0;
    effects.clear();
    decider.apply(now, allocation_input::PollDue{}, effects);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      if (const auto* request = std::get_if<RequestExecutorTotals>(&effects[i])) {
        if (request->needs_answer) decider.apply(now, allocation_input::RequestAnswered{true}, effects);
      } else {
        const std::vector<ExecutorId> going = std::get<RemoveIdleExecutors>(effects[i]).executors;
        gone += going.size();
        decider.apply(now, allocation_input::KillAnswered{going}, effects);
      }
    }
    return gone;
  }

  std::int64_t executors;
  Instant now{std::chrono::seconds{1'000}};
  Decider decider;
  AllocationEffects effects;
};

struct Event {
  std::int64_t executor = 0;
  std::int32_t index = 0;
  bool is_start = false;
};

/// Pairs of an end and a start, drawn before the measurement.
std::vector<Event> draw_events(std::int64_t executors, std::int32_t pairs, RandomStream& random) {
  struct Slot {
    std::int64_t executor = 0;
    std::int32_t index = 0;
  };
  std::vector<Slot> busy;
  std::vector<std::int64_t> idle;
  std::int32_t next_index = 0;
  for (std::int64_t id = 0; id < executors / 2; ++id) busy.push_back({id, next_index++});
  for (std::int64_t id = executors / 2; id < executors; ++id) idle.push_back(id);
  std::vector<Event> events;
  for (const Slot& slot : busy) events.push_back({slot.executor, slot.index, true});
  for (std::int32_t pair = 0; pair < pairs; ++pair) {
    Slot& ended = busy[random.below(busy.size())];
    std::int64_t& started = idle[random.below(idle.size())];
    events.push_back({ended.executor, ended.index, false});
    events.push_back({started, next_index, true});
    const std::int64_t free = ended.executor;
    ended = {started, next_index};
    started = free;
    next_index += 1;
  }
  return events;
}

template <class Decider = PlainAllocation>
benchmarks::Cost cost_of_events(std::int64_t executors, bool with_polls) {
  constexpr std::int32_t pairs = 400'000;
  Rig<Decider> rig{executors};
  RandomStream random{5};
  rig.submit(0);
  const std::vector<Event> events = draw_events(executors, pairs, random);
  const std::size_t warm_up = events.size() - 2 * static_cast<std::size_t>(pairs);
  const auto deliver = [&rig](const Event& event) {
    if (event.is_start) {
      rig.decider.apply(rig.now,
                        allocation_input::TaskStarted{StageId{0}, 0, event.index, ExecutorId{event.executor}, false});
    } else {
      rig.decider.apply(rig.now, allocation_input::TaskStopped{StageId{0}, 0, event.index, ExecutorId{event.executor},
                                                               false, TaskEndReason::success});
    }
  };
  for (std::size_t i = 0; i < warm_up; ++i) deliver(events[i]);
  const double bytes_before = rig.decider.bytes();
  const auto start = Clock::now();
  for (std::size_t i = warm_up; i < events.size(); ++i) {
    deliver(events[i]);
    if (i % 100 == 0) {
      rig.now += std::chrono::milliseconds{1};
      rig.decider.wait_for_room();
    }
    if (with_polls && i % 10'000 == 0) rig.poll();
  }
  const double seconds = seconds_since(start);
  return {seconds, static_cast<double>(events.size() - warm_up), rig.decider.bytes() - bytes_before};
}

double events_per_second(std::int64_t executors, bool with_polls) {
  const auto cost = cost_of_events(executors, with_polls);
  return cost.count / cost.seconds;
}

double poll_nothing_due_us(std::int64_t executors) {
  constexpr int polls = 100'000;
  Rig<> rig{executors};
  rig.submit(0);
  for (std::int64_t id = 0; id < executors / 2; ++id) {
    rig.decider.apply(
        rig.now, allocation_input::TaskStarted{StageId{0}, 0, static_cast<std::int32_t>(id), ExecutorId{id}, false});
  }
  for (int warm = 0; warm < 50; ++warm) {
    rig.now += std::chrono::seconds{1};
    rig.poll();
  }
  rig.remove_all();
  rig.add_all();
  rig.poll();
  const auto start = Clock::now();
  for (int poll = 0; poll < polls; ++poll) rig.poll();
  return seconds_since(start) / polls * 1e6;
}

double poll_all_due_ms(std::int64_t executors) {
  constexpr int polls = 40;
  Rig<> rig{executors};
  double seconds = 0;
  for (int poll = 0; poll < polls; ++poll) {
    rig.remove_all();
    rig.add_all();
    rig.now += std::chrono::seconds{120};
    const auto start = Clock::now();
    const std::size_t gone = rig.poll();
    seconds += seconds_since(start);
    HEDDLE_ASSERT(gone == static_cast<std::size_t>(executors), "removed " + std::to_string(gone));
  }
  return seconds / polls * 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t executors = 10'000 * (argc > 1 ? std::atoll(argv[1]) : 1);
  for (int run = 0; run < 3; ++run) {
    std::printf("events %.0f events/s\n", events_per_second(executors, false));
    std::printf("events_polled %.0f events/s\n", events_per_second(executors, true));
    benchmarks::print_recording("events", "events/s", cost_of_events(executors, false),
                                cost_of_events<RecordedAllocation>(executors, false));
    std::printf("poll_nothing_due %.3f us\n", poll_nothing_due_us(executors));
    std::printf("poll_all_due %.3f ms\n", poll_all_due_ms(executors));
    std::printf("events_at_ten_times %.2f x\n",
                events_per_second(executors / 10, false) / events_per_second(executors, false));
    std::printf("poll_all_due_at_ten_times %.2f x\n",
                poll_all_due_ms(executors) / poll_all_due_ms(executors / 10) / 10);
  }
  return 0;
}
