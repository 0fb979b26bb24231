// Memory of processes with all that they started, measured on a thread of its own.
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

/// A process with the mark of what it starts.
struct TreeRoot {
  pid_t pid = 0;
  std::string mark;
};

/// Whose orphans are looked at, and how.
struct OrphanRules {
  pid_t adopter = 0;                                      // orphans of the trees become its children
  std::function<bool(pid_t)> is_own_child;                // started here, so no orphan
  std::function<bool(pid_t, std::string_view)> has_mark;  // may block: it reads the environment of the process
};

/// Resident pages of each tree: its root, what belongs to the root's session or group, and descendants of these; then
/// orphans with its mark, and their descendants. Only orphans are asked for their mark.
[[nodiscard]] std::vector<std::int64_t> resident_pages(const std::vector<ProcessRow>& rows,
                                                       const std::vector<TreeRoot>& roots, const OrphanRules& orphans);

/// Resident bytes of each tree, by one walk of /proc; nothing if /proc is that of another pid namespace.
[[nodiscard]] std::optional<std::vector<std::int64_t>> resident_bytes(const std::vector<TreeRoot>& roots);

/// Measures on a thread of its own, which starts with the first request.
class MemoryMeasurer {
public:
  using Sizes = std::optional<std::vector<std::int64_t>>;
  using Measure = std::function<Sizes(const std::vector<TreeRoot>&)>;
  using OnMeasured = std::function<void(Sizes)>;

  explicit MemoryMeasurer(Measure measure = resident_bytes);
  /// A measurement that hangs is left behind, with its thread.
  ~MemoryMeasurer();
  MemoryMeasurer(const MemoryMeasurer&) = delete;
  MemoryMeasurer& operator=(const MemoryMeasurer&) = delete;

  /// `on_measured` is called on the thread; here, with nothing, if no thread can be started.
  void run(std::vector<TreeRoot> roots, OnMeasured on_measured);

private:
  struct State;
  std::shared_ptr<State> state_;  // the thread may outlive this object
};

}  // namespace heddle::work
