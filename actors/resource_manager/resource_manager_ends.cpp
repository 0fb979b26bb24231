// Containers that have ended. What nodes report is collected while a mailbox is worked off and told to the scheduler in
// one call, which fetches the records of the next ends from memory meanwhile. No end overtakes a message that could
// meet its container: its node's next heartbeat, its application's next request, and everything that is no heartbeat or
// request find it told.
//
//   first ContainerExited -> TellEnds behind all that is waiting -> more of them join -> TellEnds, or whatever needs
//   them told
#include <algorithm>
#include <utility>

#include "actors/resource_manager/resource_manager.hpp"

namespace heddle::actors {
namespace {

/// More bring no gain, and would make what waits for them wait longer.
constexpr std::size_t ends_at_once_max = 32;

}  // namespace

// -- from node managers ----------------------------------------------------------

void ResourceManager::on_container_exited(Instant now, const ContainerExited& message) {
  const PlacedContainer* placed = nodes_.find_container(message.end.container);
  const bool is_told_twice = std::any_of(
      ends_.begin(), ends_.end(), [&](const ContainerEnd& each) { return each.container == message.end.container; });
  if (nodes_.find(message.node, message.epoch) == nullptr || placed == nullptr || is_told_twice)
    return note(now, "stale_container_exited", ports::EventFields{}.add("container", message.end.container));
  if (ends_.empty()) self_->send(self_, TellEnds{});
  ends_.push_back(message.end);
  ends_are_of_.push_back({placed->node, placed->attempt.application});
  if (ends_.size() == ends_at_once_max) tell_ends(now);
}

void ResourceManager::on_tell_ends(Instant now, const TellEnds&) { tell_ends(now); }

// -- changes of state ------------------------------------------------------------

void ResourceManager::tell_ends(Instant now) {
  if (ends_.empty()) return;
  const auto ends = std::exchange(ends_, {});
  ends_are_of_.clear();
  end_containers(now, ends);
  offer_after_change(now);
}

void ResourceManager::end_containers(Instant now, std::span<const ContainerEnd> ends) {
  // With a master its attempt ends, and with that the other containers of its application: nothing after it is told
  // before that.
  const auto is_master = [&](const ContainerEnd& end) {
    const PlacedContainer* placed = nodes_.find_container(end.container);
    return placed != nullptr && placed->is_master;
  };
  while (!ends.empty()) {
    const auto master = std::find_if(ends.begin(), ends.end(), is_master);
    const auto count = static_cast<std::size_t>(master - ends.begin()) + (master == ends.end() ? 0 : 1);
    end_up_to_master(now, ends.first(count));
    ends = ends.subspan(count);
  }
}

void ResourceManager::end_up_to_master(Instant now, std::span<const ContainerEnd> ends) {
  std::vector<policies::ContainerCompleted> told;
  std::vector<ApplicationId> owners;
  std::vector<const std::string*> texts;
  for (const ContainerEnd& end : ends) {
    const PlacedContainer* placed = nodes_.find_container(end.container);
    if (placed == nullptr) continue;
    note(now, "container_ended",
         ports::EventFields{}.add("container", end.container).add("exit_status", end.exit_status));
    told.push_back({end.container, end.exit_status});
    owners.push_back(placed->attempt.application);
    note_room(placed->node);  // also where its application had given it up before: no effect tells of that
    texts.push_back(&end.text);
  }
  policies::ResourceEffects effects;
  scheduler_.apply(now, policies::resource_input::ContainersEnded{told}, effects);
  const std::string no_text;
  for (const policies::ResourceEffect& effect : effects) {
    const auto* ended = std::get_if<policies::ContainerEnded>(&effect);
    const auto row = std::find_if(told.begin(), told.end(), [&](const auto& each) {
      return ended != nullptr && each.container == ended->container;
    });
    apply_effects(now, effect, EndCause::reported,
                  row == told.end() ? no_text : *texts[static_cast<std::size_t>(row - told.begin())]);
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    nodes_.forget(told[i].container);
    Application* application = applications_.find(owners[i]);
    if (application == nullptr) continue;
    application->containers.erase(told[i].container);
    if (told[i].container == application->master_container && application->is_live())
      end_attempt(now, *application, told[i].exit_status, "the master container ended: " + *texts[i]);
    forget_when_empty(*application);
  }
}

// -- questions -------------------------------------------------------------------

bool ResourceManager::has_untold_end(NodeId node) const {
  return std::any_of(ends_are_of_.begin(), ends_are_of_.end(),
                     [&](const UntoldEnd& each) { return each.node == node; });
}

bool ResourceManager::has_untold_end(const ApplicationId& application) const {
  return std::any_of(ends_are_of_.begin(), ends_are_of_.end(),
                     [&](const UntoldEnd& each) { return each.application == application; });
}

}  // namespace heddle::actors
