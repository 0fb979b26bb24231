#include "work/commands/process_memory.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "work/commands/process_tree.hpp"
#include "work/commands/spawn.hpp"

namespace heddle::work {
namespace {

using TreeOf = std::map<pid_t, std::size_t>;  // pid to index of the tree

/// Adds descendants to the trees of their parents.
void add_descendants(const std::vector<ProcessRow>& rows, pid_t self, TreeOf& tree_of) {
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const auto& row : rows) {
      if (row.pid == self || tree_of.contains(row.pid)) continue;
      const auto parent = tree_of.find(row.parent);
      if (parent == tree_of.end()) continue;
      tree_of.emplace(row.pid, parent->second);
      has_grown = true;
    }
  }
}

/// The process that adopts orphans of descendants: this one if it is a subreaper, otherwise pid 1.
pid_t adopter_of_orphans() {
  int is_subreaper = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper, 0, 0, 0);
  return is_subreaper != 0 ? ::getpid() : 1;
}

}  // namespace

std::vector<std::int64_t> resident_pages(const std::vector<ProcessRow>& rows, const std::vector<TreeRoot>& roots,
                                         const OrphanRules& orphans) {
  const pid_t self = ::getpid();
  TreeOf tree_of;
  for (std::size_t i = 0; i < roots.size(); ++i) tree_of.emplace(roots[i].pid, i);
  const auto roots_alone = tree_of;
  for (const auto& row : rows) {
    if (row.pid == self || tree_of.contains(row.pid)) continue;
    auto root = roots_alone.find(row.session);
    if (root == roots_alone.end()) root = roots_alone.find(row.group);
    if (root != roots_alone.end()) tree_of.emplace(row.pid, root->second);
  }
  add_descendants(rows, self, tree_of);
  for (const auto& row : rows) {
    if (row.pid == self || row.parent != orphans.adopter || row.has_ended() || tree_of.contains(row.pid) ||
        orphans.is_own_child(row.pid))
      continue;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      if (!orphans.has_mark(row.pid, roots[i].mark)) continue;
      tree_of.emplace(row.pid, i);
      break;
    }
  }
  add_descendants(rows, self, tree_of);
  std::vector<std::int64_t> pages(roots.size(), 0);
  for (const auto& row : rows)
    if (const auto tree = tree_of.find(row.pid); tree != tree_of.end()) pages[tree->second] += row.resident_pages;
  return pages;
}

std::optional<std::vector<std::int64_t>> resident_bytes(const std::vector<TreeRoot>& roots) {
  if (!shows_own_namespace()) return std::nullopt;
  auto sizes = resident_pages(read_all_rows(), roots, {adopter_of_orphans(), is_own_child, carries_process_mark});
  for (auto& size : sizes) size *= ::sysconf(_SC_PAGESIZE);
  return sizes;
}

struct MemoryMeasurer::State {
  struct Request {
    std::vector<TreeRoot> roots;
    OnMeasured on_measured;
  };

  void work() {
    std::unique_lock lock{mutex};
    while (true) {
      is_busy = false;
      is_changed.wait(lock, [this] { return is_ending || !requests.empty(); });
      if (is_ending) return;
      auto request = std::move(requests.front());
      requests.pop_front();
      is_busy = true;
      lock.unlock();
      request.on_measured(measure(request.roots));
      request = {};
      lock.lock();
    }
  }

  explicit State(Measure how) : measure{std::move(how)} {}
  Measure measure;
  std::mutex mutex;
  std::condition_variable is_changed;
  std::deque<Request> requests;
  bool is_busy = false;
  bool is_ending = false;
  std::thread thread;
};

MemoryMeasurer::MemoryMeasurer(Measure measure) : state_{std::make_shared<State>(std::move(measure))} {}

MemoryMeasurer::~MemoryMeasurer() {
  bool is_busy = false;
  {
    const std::lock_guard lock{state_->mutex};
    state_->is_ending = true;
    is_busy = state_->is_busy;
  }
  state_->is_changed.notify_all();
  if (!state_->thread.joinable()) return;
  if (is_busy) state_->thread.detach();
  else state_->thread.join();
}

void MemoryMeasurer::run(std::vector<TreeRoot> roots, OnMeasured on_measured) {
  bool is_taken = false;
  {
    const std::lock_guard lock{state_->mutex};
    try {
      if (!state_->thread.joinable()) state_->thread = std::thread{[state = state_] { state->work(); }};
      state_->requests.push_back({std::move(roots), std::move(on_measured)});
      is_taken = true;
    } catch (const std::system_error&) {}  // no thread could be started: handled below
  }
  if (is_taken) state_->is_changed.notify_all();
  else on_measured(std::nullopt);
}

}  // namespace heddle::work
