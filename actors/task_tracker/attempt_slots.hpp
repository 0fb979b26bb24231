// The attempts of a TaskTracker, the child processes that run them, and the jobs that they belong to. The end of an
// attempt frees its slot; its row stays until the JobTracker has got the report, its child until the process has ended.
//
//   attempt:  running --CommitPending--> commit_pending --AttemptDone--> succeeded
//                |                             |
//                +---- failed, killed, or its child died ----> (un)clean failed or killed
//   child:    starting --GetTask--> running --end of its attempt--> leaving --process ended--> removed
//                ^                   ^  |                              ^
//                |        next launch|  '-success, may run more--> idle -- its job ended, or its place is needed
//                '--------------------------- next launch --------'
#pragma once

#include <cstdint>
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
  std::int64_t child = 0;
  TaskAttemptStatus status;
  Instant launched{};
  bool has_ended = false;
  std::string kill_reason;  // empty: nobody asked for its end

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
  /// For an idle child of the job, or for a new one in phase starting.
  SlotAttempt& add(const AttemptLaunch& launch, const TrackerJob& job);
  [[nodiscard]] SlotAttempt* find(const TaskAttemptId& attempt);
  /// The attempt that the child runs now; null if that has ended.
  [[nodiscard]] SlotAttempt* attempt_of(const HostedChild& child);
  /// Marks the end of an attempt; its slot is free.
  void end(SlotAttempt& attempt, TaskAttemptState state, TaskOutcome outcome);
  void remove(const TaskAttemptId& attempt) { attempts_.erase(attempt); }
  [[nodiscard]] std::vector<TaskAttemptId> attempts_of(JobId job) const;
  [[nodiscard]] std::vector<TaskAttemptStatus> statuses() const;
  /// Of each job with a running reduce, ascending.
  [[nodiscard]] std::vector<CompletionsWanted> completions_wanted() const;
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
  std::map<std::int64_t, HostedChild> children_;
  std::map<std::int64_t, std::int64_t> child_of_process_;
  std::map<JobId, HostedJob> jobs_;
};

}  // namespace heddle::actors
