#include "work/commands/tree_kill.hpp"

#include <system_error>
#include <utility>

namespace heddle::work {

TreeKill::TreeKill(std::function<void()> kill, std::function<void()> on_done)
    : is_done_{std::make_shared<std::atomic<bool>>(false)} {
  const auto run = [is_done = is_done_, kill = std::move(kill), on_done = std::move(on_done)] {
    kill();
    is_done->store(true);
    on_done();
  };
  try {
    thread_ = std::thread{run};
  } catch (const std::system_error&) { run(); }
}

TreeKill::~TreeKill() {
  if (!thread_.joinable()) return;
  if (is_done()) thread_.join();
  else thread_.detach();
}

}  // namespace heddle::work
