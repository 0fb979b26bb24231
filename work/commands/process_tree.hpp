// Finds and kills all descendants of a process, including those that left its group and session. Linux only: reads
// /proc. A process is a descendant if a chain of parents, its session, or the mark in its initial environment says so.
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

/// Environment variable with the mark of a process or task; descendants inherit it.
inline constexpr std::string_view process_mark_name = "HEDDLE_PROCESS_MARK";

/// Creates a mark that is unique on this machine. It contains the mark of this process, if there is one, so that a
/// search for either finds the process.
[[nodiscard]] std::string make_process_mark();

/// Creates a mark that contains `mark`: a search for `mark` finds its processes too.
[[nodiscard]] std::string make_process_mark_below(const std::string& mark);
/// The common prefix of all marks that make_process_mark created in this process.
[[nodiscard]] std::string mark_of_this_process();

/// Makes this process the subreaper: orphans of its descendants become its children and can be found. Returns false if
/// the system refuses.
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

/// Sends `signal` to the process group of `root` and to all its descendants.
void signal_tree(pid_t root, std::string_view mark, int signal);

/// False if no process that has ended can have left a descendant: this process, the subreaper, would have adopted it,
/// and has started all its children itself. Cheap, as orphan_candidates().
[[nodiscard]] bool may_have_orphans();

/// Kills descendants until none is found, at most about two seconds, and reaps adopted orphans. If `root` is this
/// process, kills only descendants by parent, neither itself nor other members of its group.
void kill_tree(pid_t root, std::string_view mark);

/// Living processes with the mark in their environment, and their descendants.
[[nodiscard]] std::vector<pid_t> find_marked(std::string_view mark);

/// Kills the processes of find_marked as kill_tree does.
void kill_marked(std::string_view mark);

/// Returns true if the process lives and has this mark in its initial environment.
[[nodiscard]] bool carries_process_mark(pid_t pid, std::string_view mark);

/// Children of the first thread of this process, which adopts orphans. Cheap: does not walk /proc.
[[nodiscard]] std::vector<pid_t> orphan_candidates();

/// Declares that this program starts children only with spawn_process; other new children are then orphans. Existing
/// children, such as those of a shell that called exec, are ignored. Do not call this in an embedding program: it has
/// other children.
void own_all_children(bool owns = true);

/// Reaps orphans that have ended. In a program with other children, reaps only orphans that surely came from commands
/// of heddle: members of a command's session, or processes in which an earlier call saw the mark.
void reap_orphans();

/// Kills and reaps all orphans, with and without mark. Only after own_all_children, and when no running task needs
/// them.
void kill_orphans();

/// Kills orphans, with their descendants, that hold the write end of one of the pipes.
void kill_pipe_holders(const std::vector<int>& pipes);

}  // namespace heddle::work
