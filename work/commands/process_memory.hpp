// Resident memory of process trees, measured on a separate thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "work/commands/process_rows.hpp"

namespace heddle::work {

/// Root of a process tree, and the mark of its descendants (make_process_mark).
struct TreeRoot {
  pid_t pid = 0;
  std::string mark;
};

/// How to find orphans of the trees.
struct OrphanRules {
  pid_t adopter = 0;                                      // orphans of the trees become its children
  std::function<bool(pid_t)> is_own_child;                // true: started by this process, not an orphan
  std::function<bool(pid_t, std::string_view)> has_mark;  // can block: reads the environment of the process
};

/// Resident pages of each tree: the root, members of its session or group, and their descendants; then orphans with its
/// mark, and their descendants. Calls `has_mark` only for orphans.
[[nodiscard]] std::vector<std::int64_t> resident_pages(const std::vector<ProcessRow>& rows,
                                                       const std::vector<TreeRoot>& roots, const OrphanRules& orphans);

/// Resident bytes of each tree, by one walk of /proc; nothing if /proc belongs to another pid namespace.
[[nodiscard]] std::optional<std::vector<std::int64_t>> resident_bytes(const std::vector<TreeRoot>& roots);

/// Measures on its own thread, which starts at the first request.
class MemoryMeasurer {
public:
  using Sizes = std::optional<std::vector<std::int64_t>>;
  using Measure = std::function<Sizes(const std::vector<TreeRoot>&)>;
  using OnMeasured = std::function<void(Sizes)>;

  explicit MemoryMeasurer(Measure measure = resident_bytes);
  /// Does not wait for a measurement that hangs; its thread is detached.
  ~MemoryMeasurer();
  MemoryMeasurer(const MemoryMeasurer&) = delete;
  MemoryMeasurer& operator=(const MemoryMeasurer&) = delete;

  /// Calls `on_measured` on the thread. If the thread cannot be started, calls it at once with nothing.
  void run(std::vector<TreeRoot> roots, OnMeasured on_measured);

private:
  struct State;
  std::shared_ptr<State> state_;  // the thread may outlive this object
};

}  // namespace heddle::work
