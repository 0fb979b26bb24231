// Plays a task set to its end, as its scheduler would launch it, with expected task times: what a plan of waiting comes
// to. Order: as in an offer round, hosts by number; a host takes its lowest waiting task, then slots without one take a
// task far away. Cost: one step per task, times the hosts that are looked at for a task far away. Times are in units of
// a task's time near its data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace heddle::policies {

/// Until when slots without a task near them take tasks far away: if they end by `deadline`. Without one nobody waits.
struct LocalityPlan {
  static constexpr double nobody_waits = std::numeric_limits<double>::infinity();
  double deadline = nobody_waits;
  [[nodiscard]] bool has_deadline() const { return deadline < nobody_waits; }
};

class LocalityForecast {
public:
  struct Task {
    double time = 1;
    std::int32_t home = 0;  // the host that is expected to do it
  };
  struct Host {
    std::size_t first_slot = 0;
    std::size_t slots = 0;
    double busy = 0;  // when its slots are free, in sum
    double load = 0;  // times of the waiting tasks that are at home here
  };
  /// A task far away may end so much later than the plan's deadline.
  static constexpr double tolerance = 0.01;

  /// What is known at the start, filled by the owner: hosts with their slots, waiting tasks by index, and the hosts of
  /// each task.
  std::vector<Host> hosts;
  std::vector<double> free_at;
  std::vector<Task> tasks;
  std::vector<std::int32_t> places;       // hosts with slots, of all tasks one after another
  std::vector<std::size_t> places_first;  // per task, and one more
  double far_cost = 1;

  /// Makes the lists of tasks per host.
  void prepare();
  static constexpr double never = std::numeric_limits<double>::infinity();
  /// When the last task ends. A play that does not end before `limit` is broken off: then it is some time from there
  /// on.
  [[nodiscard]] double end_of(LocalityPlan plan, double limit = never);
  /// Whether the deadline kept a slot idle in the last play: if not, a later one changes nothing.
  [[nodiscard]] bool has_waited() const { return has_waited_; }
  /// No plan ends before this: all slots work all the time, near the data.
  [[nodiscard]] double earliest_thinkable() const;
  /// The earliest end that hosts and slots would allow if tasks could be cut evenly.
  [[nodiscard]] double earliest_end() const;
  /// The host whose tasks are done last; -1: no task waits.
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
  // -- of one play
  std::vector<Host> played_;
  std::vector<std::size_t> cursor_;
  std::vector<std::uint8_t> is_taken_;
  std::vector<std::int32_t> idle_;        // slots per host
  std::vector<std::int32_t> idle_hosts_;  // in order
  std::vector<Busy> running_;             // a heap
  std::size_t next_of_all_ = 0;
  std::size_t left_ = 0;
  double now_ = 0;
  double end_ = 0;
  bool has_waited_ = false;
};

}  // namespace heddle::policies
