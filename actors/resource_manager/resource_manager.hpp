// Shares the nodes of a cluster between applications, and keeps each application going until it has ended.
// Owns the resource scheduler and the tables of nodes and applications.
// Hears: Client, NodeManager, ApplicationMaster, YarnAllocator. Tells the same.
#pragma once

#include <caf/actor_addr.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "actors/resource_manager/application_table.hpp"
#include "actors/resource_manager/node_table.hpp"
#include "actors/resource_manager/offer_candidates.hpp"
#include "config/table/sections.hpp"
#include "messages/handles.hpp"
#include "policies/cluster/queue_access.hpp"
#include "policies/cluster/scheduler/resource_scheduler.hpp"
#include "policies/containers/container_limit.hpp"
#include "runtime/actor_tools.hpp"
#include "runtime/event_log/recorded.hpp"
#include "runtime/timers.hpp"

namespace heddle::actors {

/// What a ResourceManager is apart from its settings.
struct ResourceManagerStart {
  std::int64_t cluster_start = 0;  // wall clock in ms; the first half of application ids
  std::string build_id;            // nodes of another build are refused; empty: all are taken
  std::int32_t nodes_expected =
      0;  // once so many have registered, the largest of them bounds what can be asked; 0: never
  policies::ResourceScheduler scheduler;
  /// Understands a queue file: its name and content. Empty: the scheduler has no queues that could change.
  std::function<Result<policies::QueueFile>(const std::string& file, const std::string& content)> read_queues = {};
  /// Keys of the queue file that nothing reads, each with its file and line; the first client is told.
  std::vector<std::string> unread_keys = {};
  /// The groups of a user, the primary one first. Empty: none are known.
  std::function<std::vector<std::string>(const std::string& user)> groups_of = {};
  /// Who may submit where; read anew with the queue file. Empty: everybody everywhere.
  std::optional<policies::QueueAccess> access = {};
  /// A secret for one application, from which no other follows. Empty: from the actor's own stream of numbers.
  std::function<std::string()> make_token = {};
};

/// Who ended a container: its node reports it, its node is gone, or it was decided here and the node has to be told.
enum class EndCause : std::uint8_t { reported, node_lost, decided };

class ResourceManager {
public:
  using Handle = ResourceManagerActor;
  ResourceManager(ResourceManagerActor::pointer self, config::ResourceManagerSettings settings,
                  runtime::ActorTools tools, ResourceManagerStart start);
  ResourceManagerActor::behavior_type make_behavior();

private:
  /// Reads the clock, calls the handler, and arms the timer for what is due next.
  template <class Message>
  void handle(void (ResourceManager::*handler)(Instant, const Message&), const Message& message);
  void after_message(Instant now);
  // -- from the client -------------------------------------------------------
  void on_submit_application(Instant now, const SubmitApplication& message);
  void on_kill_application(Instant now, const KillApplication& message);
  // -- from application masters ------------------------------------------------
  void on_register_application_master(Instant now, const RegisterApplicationMaster& message);
  void on_finish_application(Instant now, const FinishApplication& message);
  // -- from allocators -----------------------------------------------------------
  void on_allocate_request(Instant now, const AllocateRequest& message);
  // -- from node managers ----------------------------------------------------------
  void on_register_node(Instant now, const RegisterNode& message);
  void on_node_heartbeat(Instant now, const NodeHeartbeat& message);
  void on_container_exited(Instant now, const ContainerExited& message);
  void on_tell_ends(Instant now, const TellEnds& message);
  // -- from whoever watches the queue file -------------------------------------------
  void on_reload_queues(Instant now, const ReloadQueues& message);
  // -- timers and ends of peers ------------------------------------------------------
  void on_resource_manager_tick(Instant now, const ResourceManagerTick& message);
  void on_continuous_offers_tick(Instant now, const ContinuousOffersTick& message);
  void on_peer_down(Instant now, const caf::actor_addr& peer);
  // -- changes of state that several events lead to ------------------------------
  [[nodiscard]] policies::SubmissionAnswer admit(Instant now, const Application& application);
  [[nodiscard]] std::string make_token();
  void start_attempt(Instant now, Application& application);
  /// The attempt is over: its containers end, and another attempt begins or the application ends.
  void end_attempt(Instant now, Application& application, std::int32_t exit_status, const std::string& text);
  void finish(Instant now, Application& application, bool succeeded, const std::string& text);
  void lose_node(Instant now, NodeId node, const std::string& text);
  /// Tells the ends that were collected. Whatever could meet a container whose end is not told yet calls this first.
  void tell_ends(Instant now);
  /// In this order, each of a container that stands in the table of nodes.
  void end_containers(Instant now, std::span<const ContainerEnd> ends);
  void end_up_to_master(Instant now, std::span<const ContainerEnd> ends);
  /// Something has changed: nodes with room are offered, unless heartbeats alone offer them.
  void offer_after_change(Instant now);
  void note_room(const policies::ResourceEffect& effect);
  /// Something happened there that may have made room.
  void note_room(NodeId node) {
    if (settings_.offer_on_change) offer_candidates_.note(node);
  }
  void begin_decommission(Instant now, NodeId node);
  /// True if a container was granted.
  bool offer_node(Instant now, NodeId node, policies::OfferCause cause);
  void run_scheduler(Instant now);
  /// What time alone changes for an application: its master's silence, its leave, the waits that are explained.
  void expire_application(Instant now, Application& application);
  void explain_wait(Instant now, Application& application);
  void explain_extras(Application& application);
  void explain_containers(Application& application);
  void tell_unread_keys(const std::vector<std::string>& keys);
  void expire_unused(Instant now);
  // -- telling: every send of this actor is in one of these ------------------------
  void apply_effects(Instant now, const policies::ResourceEffects& effects, EndCause cause, const std::string& text);
  void apply_effects(Instant now, const policies::ResourceEffect& effect, EndCause cause, const std::string& text);
  void on_assigned(Instant now, const policies::ContainerAssigned& assigned);
  void on_ended(const policies::ContainerEnded& ended, EndCause cause, const std::string& text);
  void start_master(Instant now, Application& application, const policies::ContainerAssigned& assigned);
  void answer(Instant now, Application& application, const AllocateRequest& request);
  void refuse_request(Instant now, const AllocateRequest& request);
  void announce(Application& application);
  void stop_container(ContainerId container, std::int32_t exit_status, const std::string& reason);
  void forget_when_empty(Application& application);
  void tell_client_of_end(Application& application, const std::string& text);
  void tell_clients(const std::string& text);
  void arm_tick(Instant now);
  void note(Instant now, std::string_view name, const ports::EventFields& fields = {});
  // -- questions -------------------------------------------------------------------
  /// How much memory is asked for, and where most of it is left.
  [[nodiscard]] std::string memory_in_words(const Resource& asked) const;
  /// Of what may be asked for in one container.
  [[nodiscard]] policies::ContainerLimit limit() const;
  [[nodiscard]] std::vector<GrantedContainer> described(const policies::Allocation& allocation);
  [[nodiscard]] bool has_untold_end(NodeId node) const;
  [[nodiscard]] bool has_untold_end(const ApplicationId& application) const;
  // -- state ---------------------------------------------------------------------------------
  ResourceManagerActor::pointer self_;
  config::ResourceManagerSettings settings_;
  runtime::ActorTools tools_;
  ResourceManagerStart start_;
  runtime::Recorded<policies::ResourceScheduler> scheduler_;
  struct UntoldEnd {
    NodeId node;
    ApplicationId application;
  };
  std::vector<ContainerEnd> ends_;      // that nodes have reported, of containers that still stand in the tables
  std::vector<UntoldEnd> ends_are_of_;  // the same in the same order
  NodeTable nodes_;
  OfferCandidates offer_candidates_;
  ApplicationTable applications_;
  std::set<std::string> named_keys_;        // of queue files: clients were told that nothing reads them
  std::optional<ApplicationId> answering_;  // its grants ride on the answer that is being made
  bool has_ended_applications_ = false;     // one more has ended since the last message
  std::optional<Instant> tick_due_;         // none: the timer is not armed
  runtime::Timer tick_;                     // armed for what is due next; it may come early
  runtime::Timer offers_tick_;              // the same, where the scheduler offers nodes continuously
};

/// The ResourceManager lives as long as its process.
[[nodiscard]] ResourceManagerActor spawn_resource_manager(caf::actor_system& system,
                                                          const config::ResourceManagerSettings& settings,
                                                          const runtime::ActorTools& tools,
                                                          const ResourceManagerStart& start);

}  // namespace heddle::actors
