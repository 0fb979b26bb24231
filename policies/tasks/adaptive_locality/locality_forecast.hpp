// Simulates a task set to its end with expected task times, as its scheduler would launch it, and returns the makespan
// of a plan. Near: on a host with the input; far: elsewhere. Order: as in an offer round, hosts by number; a host takes
// its lowest waiting task, then slots without a near task take a far one. Cost: linear in the tasks, times the hosts
// that are searched for a far task. Times are in units of the mean time of a near task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace heddle::policies {

/// A slot without a near task takes a far task only if the task ends by `deadline`. Without a deadline no slot waits.
struct LocalityPlan {
  static constexpr double nobody_waits = std::numeric_limits<double>::infinity();
  double deadline = nobody_waits;
  [[nodiscard]] bool has_deadline() const { return deadline < nobody_waits; }
};

class LocalityForecast {
public:
  struct Task {
    double time = 1;
    std::int32_t home = 0;  // host that is expected to run it
  };
  struct Host {
    std::size_t first_slot = 0;
    std::size_t slots = 0;
    double busy = 0;  // sum of the times at which its slots become free
    double load = 0;  // sum of the times of the waiting tasks with this home
  };
  /// A far task may end this much after the plan's deadline.
  static constexpr double tolerance = 0.01;

  /// Start of the simulation, set by the owner: hosts with their slots, waiting tasks by index, and the hosts of each
  /// task.
  std::vector<Host> hosts;
  std::vector<double> free_at;
  std::vector<Task> tasks;
  std::vector<std::int32_t> places;       // hosts with slots, for all tasks one after another
  std::vector<std::size_t> places_first;  // first entry in `places` per task, and the end
  double far_cost = 1;

  /// Builds the lists of tasks per host.
  void prepare();
  static constexpr double never = std::numeric_limits<double>::infinity();
  /// End of the last task. The simulation stops at `limit`; the result is then an instant after it.
  [[nodiscard]] double end_of(LocalityPlan plan, double limit = never);
  /// True if the deadline kept a slot idle in the last simulation. If not, a later deadline changes nothing.
  [[nodiscard]] bool has_waited() const { return has_waited_; }
  /// Lower bound of the end for all plans: all slots run near tasks all the time.
  [[nodiscard]] double end_lower_bound() const;
  /// Lower bound of the end with the hosts' slots, if tasks could be divided evenly.
  [[nodiscard]] double earliest_end() const;
  /// The host with the latest end of its tasks; -1 if no task waits.
  [[nodiscard]] static std::int32_t last_done(std::span<const Host> hosts);

private:
  struct Busy {
    double until = 0;
    std::int32_t host = 0;
  };
  [[nodiscard]] bool is_feasible(double end) const;
  [[nodiscard]] double near_end(const Host& host) const;
  /// The lowest waiting task of the host; -1: none.
  std::int32_t next_at(std::size_t host);
  void start(std::size_t host, std::int32_t task, bool is_near);
  void fill_near();
  void fill_far(LocalityPlan plan);

  std::vector<std::int32_t> lists_;  // tasks of all hosts, by index
  std::vector<std::size_t> lists_first_;
  // -- one simulation
  std::vector<Host> played_;
  std::vector<std::size_t> cursor_;
  std::vector<std::uint8_t> is_taken_;
  std::vector<std::int32_t> idle_;        // idle slots by host
  std::vector<std::int32_t> idle_hosts_;  // sorted
  std::vector<Busy> running_;             // a heap
  std::size_t next_of_all_ = 0;
  std::size_t left_ = 0;
  double now_ = 0;
  double end_ = 0;
  bool has_waited_ = false;
};

}  // namespace heddle::policies
