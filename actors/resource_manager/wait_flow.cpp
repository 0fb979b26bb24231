// Sends a client the reason why its application waits, after explained_wait.
#include "actors/resource_manager/wait_flow.hpp"

#include <fmt/format.h>

namespace heddle::actors {
namespace {

/// Reason code of the scheduler: no node has enough free resources.
constexpr std::string_view no_room = "no_room";

/// The requested memory, and the node with the most free memory; empty if that node has enough.
std::string memory_in_words(ClusterTurn& turn, const Resource& asked) {
  auto& state = turn.state;
  const Node* roomiest = nullptr;
  for (const auto& [id, node] : state.nodes.rows())
    if (roomiest == nullptr || state.nodes.free_memory_mib(node) > state.nodes.free_memory_mib(*roomiest))
      roomiest = &node;
  if (roomiest == nullptr || state.nodes.free_memory_mib(*roomiest) >= asked.memory_mib) return {};
  return fmt::format(" It needs {} MiB of memory; the most that is free is {} of {} MiB, on node {}.", asked.memory_mib,
                     state.nodes.free_memory_mib(*roomiest), roomiest->capacity.memory_mib, roomiest->host);
}

/// The master runs, but requested containers with other resources than memory and cores are not granted.
void explain_others(ClusterTurn& turn, Application& application) {
  auto& state = turn.state;
  application.waits.others_since.reset();
  if (application.phase != ApplicationPhase::running || !application.peers.client) return;
  const auto why = state.scheduler->explain(application.id);
  if (why.reason != "resource_held" && why.reason != "no_node_has_resource" && why.reason != "queue_at_maximum") return;
  notify_client(turn, application,
                fmt::format("a container waits in {}: {}", application.submission.queue, why.sentence));
}

/// The master runs, but no other container does, and the client does not know the reason.
void explain_containers(ClusterTurn& turn, Application& application) {
  auto& state = turn.state;
  application.waits.containers_since.reset();
  const bool is_waiting = application.phase == ApplicationPhase::running && application.containers.size() <= 1;
  if (!is_waiting || !application.peers.client || application.waits.are_containers_explained) return;
  const auto why = state.scheduler->explain(application.id);
  if (why.reason == "nothing_asked" || why.reason == "demand_not_seen") return;
  application.waits.are_containers_explained = true;
  notify_client(turn, application,
                fmt::format("a container waits in {}: {}{}", application.submission.queue, why.sentence,
                            why.reason == no_room ? memory_in_words(turn, application.waits.asked) : ""));
}

}  // namespace

void explain_wait(ClusterTurn& turn, Application& application) {
  auto& state = turn.state;
  if (application.waits.others_since && turn.now - *application.waits.others_since >= explained_wait)
    explain_others(turn, application);
  if (application.waits.containers_since && turn.now - *application.waits.containers_since >= explained_wait)
    explain_containers(turn, application);
  if (!application.is_master_wait_open() || turn.now - application.accepted_at < explained_wait) return;
  application.waits.is_master_explained = true;
  if (state.submissions.find(application.id) != nullptr)
    return notify_client(
        turn, application,
        fmt::format("the application waits until the groups of user {0} are known: the user directory of this machine "
                    "has not answered; `id {0}` shows whether it does",
                    application.submission.user));
  const auto why = state.scheduler->explain(application.id);
  notify_client(turn, application,
                fmt::format("the application waits in {}: {}{}", application.submission.queue, why.sentence,
                            why.reason == no_room ? memory_in_words(turn, application.submission.master) : ""));
}

void notify_client(ClusterTurn& turn, const Application& application, const std::string& text) {
  if (application.peers.client) turn.effects.push_back(SendToApplicant{application.id, Notice{text}});
}

}  // namespace heddle::actors
