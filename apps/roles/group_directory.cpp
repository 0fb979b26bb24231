#include "apps/roles/group_directory.hpp"

#include <grp.h>
#include <pwd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

namespace heddle::apps {

struct GroupDirectory::State {
  struct Request {
    std::string user;
    std::function<void()> on_found;
  };

  explicit State(LookUp how) : look_up{std::move(how)} {}

  /// One look-up after the other, until none waits.
  void work() {
    std::unique_lock lock{mutex};
    while (!is_closing && !waiting.empty()) {
      const auto request = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      auto groups = look_up(request.user);
      lock.lock();
      cache.keep(request.user, std::move(groups), std::chrono::steady_clock::now());
      under_way.erase(request.user);
      if (is_closing) break;
      ++calls;
      lock.unlock();
      request.on_found();
      lock.lock();
      --calls;
      has_called.notify_all();
    }
    --threads;
  }

  LookUp look_up;
  std::mutex mutex;
  std::condition_variable has_called;
  GroupCache cache;
  std::set<std::string> under_way;  // or waiting
  std::deque<Request> waiting;
  std::size_t threads = 0;
  std::size_t calls = 0;  // of on_found
  bool is_closing = false;
};

GroupDirectory::GroupDirectory(LookUp look_up) : state_{std::make_shared<State>(std::move(look_up))} {}

GroupDirectory::~GroupDirectory() {
  std::unique_lock lock{state_->mutex};
  state_->is_closing = true;
  state_->has_called.wait(lock, [this] { return state_->calls == 0; });
}

std::optional<GroupDirectory::Groups> GroupDirectory::known(const std::string& user) {
  const std::lock_guard lock{state_->mutex};
  return state_->cache.find(user, std::chrono::steady_clock::now());
}

void GroupDirectory::look_up(const std::string& user, std::function<void()> on_found) {
  {
    const std::lock_guard lock{state_->mutex};
    if (!state_->under_way.insert(user).second) return;
    state_->waiting.push_back({user, std::move(on_found)});
    if (state_->threads >= look_ups_max) return;
    ++state_->threads;
  }
  try {
    std::thread{[state = state_] { state->work(); }}.detach();
  } catch (const std::system_error&) {
    state_->work();  // no thread: nobody else may look it up
  }
}

std::vector<std::string> groups_of_user(const std::string& user) {
  const passwd* entry = ::getpwnam(user.c_str());
  if (entry == nullptr) return {};
  int count = 64;
  std::vector<gid_t> ids(static_cast<std::size_t>(count));
  if (::getgrouplist(user.c_str(), entry->pw_gid, ids.data(), &count) < 0) {
    ids.resize(static_cast<std::size_t>(count));
    if (::getgrouplist(user.c_str(), entry->pw_gid, ids.data(), &count) < 0) return {};
  }
  ids.resize(static_cast<std::size_t>(count));
  std::vector<std::string> names;
  for (const gid_t id : ids)
    if (const group* known = ::getgrgid(id)) names.emplace_back(known->gr_name);
  return names;
}

}  // namespace heddle::apps
