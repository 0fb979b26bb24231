// A small world for one actor: CAF's testing coordinator with a clock that is set by hand, peers that record what they
// hear, and a connector that hands out the peers. Everything runs on the test's thread and every run is bounded.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "messages/registration.hpp"
#include "ports/clock.hpp"
#include "runtime/actor_tools.hpp"

namespace heddle::tests {

/// Virtual time as CAF's own timers see it.
class CoordinatorClock final : public ports::Clock {
public:
  explicit CoordinatorClock(caf::actor_system& system) : system_{system} {}
  [[nodiscard]] Instant now() const override {
    return Instant{std::chrono::duration_cast<Duration>(system_.clock().now().time_since_epoch())};
  }

private:
  caf::actor_system& system_;
};

/// Keeps the events in order: their names, and their lines as a log would hold them.
class EventNames final : public ports::EventSink {
public:
  using EventSink::write;
  void write(Instant when, std::string_view name, const ports::EventFields& fields) override {
    names.emplace_back(name);
    auto line = ports::EventFields{}.add("time_us", when).add("event", name).text();
    lines.push_back("{" + line + (fields.is_empty() ? "" : ",") + fields.text() + "}");
  }
  void summarize(const ports::EventFields&) override {}
  [[nodiscard]] bool has_room() const override { return true; }
  [[nodiscard]] std::string error() const override { return {}; }
  [[nodiscard]] int count(std::string_view name) const {
    int count = 0;
    for (const auto& each : names) count += each == name ? 1 : 0;
    return count;
  }
  std::vector<std::string> names;
  std::vector<std::string> lines;
};

/// A peer of any role: records all messages, answers none.
struct Peer {
  caf::actor actor;
  std::shared_ptr<std::vector<caf::message>> heard;

  template <class Handle>
  [[nodiscard]] Handle as() const {
    return caf::actor_cast<Handle>(caf::actor_cast<caf::strong_actor_ptr>(actor));
  }
  /// All messages of one kind, in order.
  template <class Message>
  [[nodiscard]] std::vector<Message> all() const {
    std::vector<Message> found;
    for (const auto& each : *heard)
      if (each.match_elements<Message>()) found.push_back(each.get_as<Message>(0));
    return found;
  }
  template <class Message>
  [[nodiscard]] int count() const {
    return static_cast<int>(all<Message>().size());
  }
  /// The last message of one kind; a test that has none fails.
  template <class Message>
  [[nodiscard]] Message last() const {
    const auto found = all<Message>();
    if (found.empty()) throw std::logic_error("no such message was heard");
    return found.back();
  }
  void clear() { heard->clear(); }
};

class ActorWorld {
public:
  ActorWorld() : system_{prepared(config_)}, clock_{system_} {
    connector_ = system_.spawn(
        [](PeerConnectorActor::pointer, std::map<std::string, Peer>* peers) -> PeerConnectorActor::behavior_type {
          return {
              [peers](const ConnectPeer& message) -> caf::result<caf::strong_actor_ptr> {
                const auto row = peers->find(message.address);
                if (row == peers->end()) return caf::make_error(caf::sec::cannot_connect_to_node);
                return caf::actor_cast<caf::strong_actor_ptr>(row->second.actor);
              },
              [](const RetryConnect&) {},
          };
        },
        &peers_);
    adopt(connector_);
  }
  ActorWorld(const ActorWorld&) = delete;
  ActorWorld& operator=(const ActorWorld&) = delete;
  /// Actors end before the system does: a periodic one would keep it waiting for ever.
  ~ActorWorld() {
    for (const auto& actor : owned_) caf::anon_send_exit(actor, caf::exit_reason::kill);
    owned_.clear();
    for (auto& [address, peer] : peers_) caf::anon_send_exit(peer.actor, caf::exit_reason::kill);
    coordinator().run(steps_max);
    system_.clock().cancel_all();
    peers_.clear();
    connector_ = nullptr;
    coordinator().run(steps_max);
  }

  [[nodiscard]] caf::actor_system& system() { return system_; }
  [[nodiscard]] Instant now() const { return clock_.now(); }
  [[nodiscard]] const EventNames& events() const { return events_; }
  [[nodiscard]] runtime::ActorTools tools() { return {&clock_, &events_, RandomStream{1}, connector_, true}; }

  /// The actor under test; it is ended with the world.
  template <class Handle>
  Handle adopt(const Handle& handle) {
    owned_.push_back(caf::actor_cast<caf::strong_actor_ptr>(handle));
    return handle;
  }
  /// The peer that is reached at an address, made at its first mention.
  Peer& peer(const std::string& address) {
    const auto row = peers_.find(address);
    if (row != peers_.end()) return row->second;
    auto heard = std::make_shared<std::vector<caf::message>>();
    auto actor = system_.spawn(
        [](caf::event_based_actor* self, const std::shared_ptr<std::vector<caf::message>>& into) -> caf::behavior {
          self->set_default_handler(
              [into](caf::scheduled_actor*, caf::message_view& view) -> caf::result<caf::message> {
                into->push_back(view.copy_content_to_message());
                return caf::message{};
              });
          return {[](caf::unit_t) {}};
        },
        heard);
    return peers_.emplace(address, Peer{actor, heard}).first->second;
  }
  /// A peer dies, as its process would.
  void kill(const Peer& peer) {
    caf::anon_send_exit(peer.actor, caf::exit_reason::kill);
    settle();
  }
  void forget_address(const std::string& address) { peers_.erase(address); }
  /// A real actor is reached at an address.
  template <class Handle>
  void publish(const std::string& address, const Handle& handle) {
    peers_.emplace(address, Peer{caf::actor_cast<caf::actor>(caf::actor_cast<caf::strong_actor_ptr>(handle)), nullptr});
  }

  /// `from` says something to `to`; all that follows at this instant happens.
  template <class Handle, class Message>
  void say(const Peer& from, const Handle& to, Message message) {
    caf::send_as(from.actor, to, std::move(message));
    settle();
  }
  template <class Handle, class Message>
  void say(const Handle& to, Message message) {
    caf::anon_send(to, std::move(message));
    settle();
  }
  void settle() {
    if (coordinator().run(steps_max) >= steps_max) throw std::logic_error("the world does not come to rest");
  }
  /// Lets time pass, from timer to timer.
  void advance(Duration span) {
    settle();
    auto& clock = coordinator().clock();
    const auto end = clock.now() + span;
    for (std::size_t step = 0; clock.has_pending_timeout() && clock.schedule().begin()->first <= end; ++step) {
      if (step >= steps_max) throw std::logic_error("timers without end");
      const auto due = clock.schedule().begin()->first;
      clock.advance_time(due > clock.now() ? due - clock.now() : std::chrono::steady_clock::duration{0});
      settle();
    }
    clock.advance_time(end - clock.now());
    settle();
  }
  /// How many timers are due within that time, those that were armed again included.
  [[nodiscard]] std::size_t timers_in(Duration span) {
    const auto& clock = coordinator().clock();
    const auto& schedule = clock.schedule();
    std::size_t count = 0;
    for (auto row = schedule.begin(); row != schedule.end() && row->first <= clock.now() + span; ++row) ++count;
    return count;
  }
  /// True once the actor has ended.
  template <class Handle>
  [[nodiscard]] bool has_ended(const Handle& handle) {
    return caf::actor_cast<caf::abstract_actor*>(handle)->getf(caf::abstract_actor::is_terminated_flag);
  }

private:
  static constexpr std::size_t steps_max = 100'000;

  static caf::actor_system_config& prepared(caf::actor_system_config& config) {
    register_messages(config);
    config.set("scheduler.policy", caf::atom("testing"));
    return config;
  }
  [[nodiscard]] caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  caf::actor_system_config config_;
  caf::actor_system system_;
  CoordinatorClock clock_;
  EventNames events_;
  std::map<std::string, Peer> peers_;
  PeerConnectorActor connector_;
  std::vector<caf::strong_actor_ptr> owned_;
};

}  // namespace heddle::tests
