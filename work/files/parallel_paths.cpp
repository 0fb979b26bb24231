#include "work/files/parallel_paths.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace heddle::work {
namespace {

constexpr std::size_t threads_max = 8;
constexpr std::size_t paths_per_thread = 16;

class Run {
public:
  Run(const std::vector<std::string>& paths, const std::function<Result<Done>(const std::string&)>& action)
      : paths_{paths}, action_{action} {}

  void take_rest() {
    try {
      for (auto i = next_++; i < paths_.size(); i = next_++)
        if (auto done = action_(paths_[i]); !done) stop(std::move(done), nullptr);
    } catch (...) {
      stop(Done{}, std::current_exception());  // such as bad_alloc
    }
  }
  [[nodiscard]] Result<Done> end() {
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(end_);
  }

private:
  void stop(Result<Done> end, std::exception_ptr thrown) {
    next_ = paths_.size();
    const std::lock_guard lock{mutex_};
    if (!end_ || thrown_) return;
    end_ = std::move(end);
    thrown_ = std::move(thrown);
  }

  const std::vector<std::string>& paths_;
  const std::function<Result<Done>(const std::string&)>& action_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  Result<Done> end_ = Done{};
  std::exception_ptr thrown_;
};

}  // namespace

Result<Done> for_paths_in_parallel(const std::vector<std::string>& paths,
                                   const std::function<Result<Done>(const std::string&)>& action) {
  Run run{paths, action};
  {
    std::vector<std::jthread> helpers;
    try {
      for (auto left = paths.size() / paths_per_thread; left > 1 && helpers.size() + 1 < threads_max; --left)
        helpers.emplace_back([&run] { run.take_rest(); });
    } catch (const std::exception&) {
      // No thread or no memory: without more threads it takes longer.
    }
    run.take_rest();
  }
  return run.end();
}

}  // namespace heddle::work
