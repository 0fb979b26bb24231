// Scheduling policy of heddle's actor systems: one queue of actors for all scheduler threads, as
// caf::policy::work_sharing. That one notifies under its mutex: the woken thread interrupts the sender, finds the mutex
// locked and sleeps again, so a message to an idle actor may cost two more thread switches. This one notifies after it
// has unlocked the mutex.
#pragma once

#include <caf/policy/unprofiled.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace heddle::runtime {

class SharingPolicy : public caf::policy::unprofiled {
public:
  struct Queue {
    std::mutex mutex;
    std::condition_variable has_jobs;
    std::deque<caf::resumable*> jobs;
  };
  // CAF's names from here on: its coordinator and its threads call them.
  struct coordinator_data {
    explicit coordinator_data(caf::scheduler::abstract_coordinator*) {}
    std::shared_ptr<Queue> queue = std::make_shared<Queue>();
  };
  struct worker_data {
    explicit worker_data(caf::scheduler::abstract_coordinator*) {}
  };

  template <class Coordinator>
  void central_enqueue(Coordinator* self, caf::resumable* job) {
    const auto queue = d(self).queue;  // the job may end the actor system, and with it the coordinator
    {
      const std::lock_guard lock{queue->mutex};
      queue->jobs.push_back(job);
    }
    queue->has_jobs.notify_one();
  }
  template <class Thread>
  void external_enqueue(Thread* self, caf::resumable* job) {
    central_enqueue(self->parent(), job);
  }
  template <class Thread>
  void internal_enqueue(Thread* self, caf::resumable* job) {
    central_enqueue(self->parent(), job);
  }
  template <class Thread>
  void resume_job_later(Thread* self, caf::resumable* job) {
    central_enqueue(self->parent(), job);
  }
  template <class Thread>
  caf::resumable* dequeue(Thread* self) {
    auto& queue = *d(self->parent()).queue;
    std::unique_lock lock{queue.mutex};
    queue.has_jobs.wait(lock, [&queue] { return !queue.jobs.empty(); });
    auto* job = queue.jobs.front();
    queue.jobs.pop_front();
    return job;
  }
  template <class Thread, class Function>
  void foreach_resumable(Thread*, Function) {}
  template <class Coordinator, class Function>
  void foreach_central_resumable(Coordinator* self, Function apply) {
    auto& queue = *d(self).queue;
    std::unique_lock lock{queue.mutex};
    while (!queue.jobs.empty()) {
      auto* job = queue.jobs.front();
      queue.jobs.pop_front();
      lock.unlock();  // the end of a job may enqueue another one
      apply(job);
      lock.lock();
    }
  }
};

}  // namespace heddle::runtime
