// Finds and kills what a process has started, also what left its group and session. Linux: reads /proc.
// A process counts as a descendant by its parents, by its session, or by the mark in the environment that it was
// started with.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "work/commands/process_rows.hpp"

namespace heddle::work {

/// Name of the environment variable that marks everything that was started for one process or task.
inline constexpr std::string_view process_mark_name = "HEDDLE_PROCESS_MARK";

/// A mark that no other process of this machine carries. What carries it carries ours as well, if we have one.
[[nodiscard]] std::string make_process_mark();

/// A mark of its own below `mark`: what carries it carries `mark` as well.
[[nodiscard]] std::string make_process_mark_below(const std::string& mark);
/// Carried by everything that was started with a mark of make_process_mark in this process.
[[nodiscard]] std::string mark_of_this_process();

/// Orphans of our descendants become our children, so that they can be found. False if the system refuses.
bool become_subreaper();

/// Which processes may have left the tree of a root, and whether they have its mark.
struct MarkRules {
  pid_t self = 0;
  std::optional<pid_t> adopter;             // orphans of the tree become its children; none: their parents are unknown
  std::function<bool(pid_t)> is_own_child;  // started here, so no orphan
  std::function<bool(pid_t)> has_mark;      // may block: it reads the environment of the process
};

/// Rows of `root`'s session and group, of orphans with its mark, and of descendants of all these; zombies too. Only
/// processes that may be orphans are asked for their mark: children of the adopter, and those whose parent ended while
/// the rows were read. Without an adopter, all are.
[[nodiscard]] std::vector<ProcessRow> descendants_of(pid_t root, const std::vector<ProcessRow>& rows,
                                                     const MarkRules& rules);

/// Living processes that descend from `root`, without `root` itself. Cost: one walk of /proc. In a subreaper it reads
/// the environment of our orphans only, otherwise of every process of this user: that read blocks while a process
/// changes its memory map.
[[nodiscard]] std::vector<pid_t> find_descendants(pid_t root, std::string_view mark);

/// Sends `signal` to the group of `root` and to all its descendants.
void signal_tree(pid_t root, std::string_view mark, int signal);

/// Kills until nothing is found any more, at most about two seconds, and reaps orphans that became our children.
/// With ourselves as root: what descends from us by its parents, and neither us nor others of our group.
void kill_tree(pid_t root, std::string_view mark);

/// Living processes that carry the mark, and what descends from them.
[[nodiscard]] std::vector<pid_t> find_marked(std::string_view mark);

/// Kills these as kill_tree does, whoever their parents are.
void kill_marked(std::string_view mark);

/// True if the living process was started, by whatever way, with this mark in its environment.
[[nodiscard]] bool carries_process_mark(pid_t pid, std::string_view mark);

/// Children of this process's first thread, where orphans arrive. Cheap: no walk of /proc.
[[nodiscard]] std::vector<pid_t> orphan_candidates();

/// Declares that this program starts children by spawn_process only: any other child that comes is an orphan of theirs.
/// Children that are there already, which a shell may have left to us by exec, are left alone. An embedding program has
/// children of its own and does not call this.
void own_all_children(bool owns = true);

/// Reaps orphans that have ended by themselves. In a program that has other children too, only those that were
/// certainly left by our commands: in the session of a command, or seen with our mark by an earlier call.
void reap_orphans();

/// Kills and reaps all orphans, also what carries no mark. Only where all children are our own, and once nothing runs
/// here that may need them.
void kill_orphans();

/// Kills those orphans, with all they started, that can write into the pipe behind one of the descriptors.
void kill_pipe_holders(const std::vector<int>& pipes);

}  // namespace heddle::work
