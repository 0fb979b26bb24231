#include "apps/bench/bench_functions.hpp"

#include <poll.h>

#include <atomic>
#include <stdexcept>

#include "work/function_registry.hpp"
#include "work/task_context.hpp"

namespace heddle::apps {
namespace {

std::atomic<std::int64_t> tasks_run{0};
std::atomic<std::int64_t> tasks_beside_slow_one{0};

void no_op(work::TaskContext&) {}

void mostly_no_op(work::TaskContext& task) {
  if (task.index() == slow_task) {
    const auto before = tasks_run.load();
    ::poll(nullptr, 0, slow_ms);
    tasks_beside_slow_one = tasks_run.load() - before;
  }
  if (task.index() % failing_stride == 0 && task.attempt() == 0) throw std::runtime_error{"meant to fail once"};
  tasks_run.fetch_add(1, std::memory_order_relaxed);
}

const work::FunctionRegistration registered_no_op{no_op_function, no_op};
const work::FunctionRegistration registered_mostly_no_op{mostly_no_op_function, mostly_no_op};

}  // namespace

std::int64_t take_tasks_beside_slow_one() { return tasks_beside_slow_one.exchange(0); }

}  // namespace heddle::apps
