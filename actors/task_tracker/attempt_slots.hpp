// The attempts of a TaskTracker, the child processes that run them, and the jobs that they belong to. The end of an
// attempt frees its slot; its row stays until the JobTracker has got the report, its child until the process has ended.
//
// A JobTracker does not count attempts that wait for their commit, so it may launch more than there are slots: the
// others wait, maps and reduces each in the order of their launches.
//
//   attempt:  waiting --a slot is free--> running --CommitPending--> commit_pending --AttemptDone--> succeeded
//                |                           |                             |
//              killed                        +---- failed, killed, or its child died ----> (un)clean failed or killed
//   child:    starting --GetTask--> running --end of its attempt--> leaving --process ended--> removed
//                ^                   ^  |                              ^
//                |        next launch|  '-success, may run more--> idle -- its job ended, or its place is needed
//                '--------------------------- next launch --------'
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/attempt_work.hpp"
#include "model/due_heap.hpp"
#include "model/time.hpp"

namespace heddle::actors {

struct SlotAttempt {
  AttemptLaunch launch;
  std::int64_t child = 0;  // 0: it waits for a slot
  TaskAttemptStatus status;
  AttemptCounters reported;  // so far, until it ends
  Instant launched{};
  bool has_ended = false;
  std::string kill_reason;  // empty: nobody asked for its end

  [[nodiscard]] bool is_waiting() const { return child == 0 && !has_ended; }
  [[nodiscard]] bool is_work() const { return launch.type == AttemptType::map || launch.type == AttemptType::reduce; }
};

enum class HostedPhase : std::uint8_t { starting, running, idle, leaving };

struct HostedChild {
  std::int64_t number = 0;
  TaskAttemptId attempt;  // idle, leaving: its last one
  ApplicationId application;
  std::string token;
  std::int64_t process = 0;  // 0: it was not started
  HostedPhase phase = HostedPhase::starting;
  std::int32_t tasks = 0;                       // attempts that it got
  bool waits_for_task = false;                  // idle: it has asked
  bool is_stopping = false;                     // its process is being killed
  bool was_over_limit = false;                  // in the last measurement of its memory
  std::optional<std::int32_t> waits_from = {};  // it waits for completion events from this position on
};

/// A job of which attempts were launched here.
struct HostedJob {
  TrackerJob job;
  std::string directory;                     // files of its application on this node
  std::vector<MapCompletion> completions{};  // of its maps, as far as known here
};

class AttemptSlots {
public:
  // -- attempts --------------------------------------------------------------------------------------
  /// It waits for a slot.
  SlotAttempt& add(const AttemptLaunch& launch);
  /// The waiting attempt whose turn it is and that has a free slot; null if there is none.
  [[nodiscard]] SlotAttempt* next_waiting(std::int32_t map_slots, std::int32_t reduce_slots);
  /// The attempt gets an idle child of the job, or a new one in phase starting.
  void give_child(SlotAttempt& attempt, const TrackerJob& job);
  [[nodiscard]] SlotAttempt* find(const TaskAttemptId& attempt);
  /// The attempt that the child runs now; null if that has ended.
  [[nodiscard]] SlotAttempt* attempt_of(const HostedChild& child);
  /// Marks the end of an attempt; its slot is free.
  void end(SlotAttempt& attempt, TaskAttemptState state, TaskOutcome outcome);
  void remove(const TaskAttemptId& attempt) { attempts_.erase(attempt); }
  [[nodiscard]] std::vector<TaskAttemptId> attempts_of(JobId job) const;
  [[nodiscard]] std::vector<TaskAttemptStatus> statuses() const;
  /// The running reduce with the least progress, or else the map; ties: the first. Not one that is being killed.
  [[nodiscard]] std::optional<TaskAttemptId> least_advanced() const;
  /// Of each job with a running reduce, ascending.
  [[nodiscard]] std::vector<CompletionsWanted> completions_wanted() const;
  /// More than running and waiting attempts need.
  [[nodiscard]] bool has_free_slot(std::int32_t map_slots, std::int32_t reduce_slots) const;

  // -- children --------------------------------------------------------------------------------------
  [[nodiscard]] HostedChild* find_child(std::int64_t number);
  [[nodiscard]] HostedChild* find_process(std::int64_t process);
  [[nodiscard]] std::map<std::int64_t, HostedChild>& children() { return children_; }
  /// An idle child that ran maps, or reduces; of the job, or of any other. Null: there is none.
  [[nodiscard]] HostedChild* find_idle(JobId job, bool is_reduce, bool is_of_job);
  void set_process(HostedChild& child, std::int64_t process);
  void remove_child(std::int64_t number);
  [[nodiscard]] bool has_children_of(const ApplicationId& application) const;

  // -- jobs ------------------------------------------------------------------------------------------
  [[nodiscard]] std::map<JobId, HostedJob>& jobs() { return jobs_; }
  [[nodiscard]] HostedJob* find_job(JobId job);

  /// By child: when it must have connected, reported progress or exited.
  DueHeap<std::int64_t> dues;
  void check_invariants() const;

private:
  std::int64_t last_child_ = 0;
  std::map<TaskAttemptId, SlotAttempt> attempts_;
  std::deque<TaskAttemptId> waiting_;  // those that ended or left stay until their turn
  std::map<std::int64_t, HostedChild> children_;
  std::map<std::int64_t, std::int64_t> child_of_process_;
  std::map<JobId, HostedJob> jobs_;
};

}  // namespace heddle::actors
