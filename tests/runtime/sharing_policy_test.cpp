// Goal: SharingPolicy hands out jobs in order, loses none, and ends with its actor system. Method: the policy alone,
// and an actor system to which several threads send.
#include "runtime/sharing_policy.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <thread>
#include <vector>

#include "runtime/system_settings.hpp"

namespace sharing_policy_test {
namespace {

using heddle::runtime::SharingPolicy;

struct FakeCoordinator {
  SharingPolicy::coordinator_data& data() { return own; }
  SharingPolicy::coordinator_data own{nullptr};
};
struct FakeThread {
  FakeCoordinator* parent() { return coordinator; }
  FakeCoordinator* coordinator;
};

class NoJob final : public caf::resumable {
public:
  resume_result resume(caf::execution_unit*, std::size_t) override { return done; }
  void intrusive_ptr_add_ref_impl() override {}
  void intrusive_ptr_release_impl() override {}
};

}  // namespace

BOOST_AUTO_TEST_CASE(jobs_leave_the_queue_in_order) {
  FakeCoordinator coordinator;
  FakeThread thread{&coordinator};
  SharingPolicy policy;
  NoJob first;
  NoJob second;
  NoJob third;
  policy.central_enqueue(&coordinator, &first);
  policy.external_enqueue(&thread, &second);
  policy.resume_job_later(&thread, &third);
  BOOST_TEST(policy.dequeue(&thread) == &first);
  BOOST_TEST(policy.dequeue(&thread) == &second);
  BOOST_TEST(policy.dequeue(&thread) == &third);
}

BOOST_AUTO_TEST_CASE(a_thread_that_waits_gets_a_job_that_comes_later) {
  FakeCoordinator coordinator;
  FakeThread thread{&coordinator};
  SharingPolicy policy;
  NoJob job;
  caf::resumable* got = nullptr;
  std::thread waiting{[&] { got = policy.dequeue(&thread); }};
  policy.central_enqueue(&coordinator, &job);
  waiting.join();
  BOOST_TEST(got == &job);
}

BOOST_AUTO_TEST_CASE(the_end_of_a_job_may_enqueue_another_one) {
  FakeCoordinator coordinator;
  SharingPolicy policy;
  NoJob first;
  NoJob second;
  std::vector<caf::resumable*> ended;
  policy.central_enqueue(&coordinator, &first);
  policy.foreach_central_resumable(&coordinator, [&](caf::resumable* job) {
    if (ended.empty()) policy.central_enqueue(&coordinator, &second);
    ended.push_back(job);
  });
  BOOST_TEST((ended == std::vector<caf::resumable*>{&first, &second}));
}

BOOST_AUTO_TEST_CASE(an_actor_system_handles_all_messages_of_many_threads_and_ends) {
  constexpr int senders = 4;
  constexpr int messages = 2000;
  std::atomic<int> handled{0};
  {
    caf::actor_system_config config;
    heddle::runtime::apply(config, heddle::runtime::SystemSettings{});
    caf::actor_system system{config};
    std::vector<caf::actor> actors;
    for (int i = 0; i < 3; ++i)
      actors.push_back(system.spawn(  // with an argument: CAF dereferences a null pointer if there is none
          [](caf::event_based_actor*, std::atomic<int>* count) -> caf::behavior {
            return {[count](int) { ++*count; }};
          },
          &handled));
    std::vector<std::thread> threads;
    for (int sender = 0; sender < senders; ++sender)
      threads.emplace_back([&actors, sender] {
        for (int i = 0; i < messages; ++i)
          caf::anon_send(actors[static_cast<std::size_t>(sender + i) % actors.size()], i);
      });
    for (auto& thread : threads) thread.join();
  }  // waits until the actors, to which no handle is left, have handled their messages
  BOOST_TEST(handled.load() == senders * messages);
}

}  // namespace sharing_policy_test
