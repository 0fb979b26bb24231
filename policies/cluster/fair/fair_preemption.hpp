// Preemption: starved applications, choice of containers, their kill, and resources that stay reserved for the starved
// ones. Order: applications as in starved_queue.hpp; on a node other containers before masters, then the older one.
// Cost of a choice: the containers of the nodes that the ask allows. After Hadoop 3.4's FSPreemptionThread
// (PR-1 … PR-10).
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "policies/cluster/fair/fair_books.hpp"
#include "policies/cluster/fair/starved_queue.hpp"

namespace heddle::policies {

/// Result of one preemption run for one starved application.
struct StarvedApplication {
  ApplicationId application;
  MemoryAndCores fair_share_starvation;
  MemoryAndCores min_share_starvation;
  std::map<ApplicationId, std::int32_t> victims;
  std::int32_t master_victims = 0;
};

class FairPreemption {
public:
  using Kept = std::pair<RowIndex, MemoryAndCores>;

  void add_node(RowIndex node);
  void remove_node(RowIndex node);
  /// Resources that are kept for the application stay kept until the node's next heartbeat.
  void remove_application(const FairBooks& books, RowIndex application);

  // -- starvation ------------------------------------------------------------------
  /// Recomputes starvation, if preemption is on and the cluster is busy enough.
  void update_starvation(FairBooks& books, Instant now);
  /// Updates up to this one were skipped. They would have found the same leaves at their minimum share.
  void skip_updates(FairBooks& books, Instant last_skipped) const;
  /// True if time alone starves an application: one below its demand, in a busy cluster.
  [[nodiscard]] bool is_time_awaited(const FairBooks& books) const;

  // -- choice and kill -------------------------------------------------------------
  /// Chooses containers for each application that the last update found starved.
  std::vector<StarvedApplication> preempt(FairBooks& books, Instant now, ResourceEffects& effects);
  /// The kill time of the container that was chosen first.
  [[nodiscard]] std::optional<Instant> next_kill() const {
    return chosen_.empty() ? std::nullopt : std::optional{chosen_.front().kill_at};
  }
  /// Kills the chosen containers that are due.
  void kill_chosen(FairBooks& books, Instant now, ResourceEffects& effects);

  // -- resources kept on nodes -------------------------------------------------------
  [[nodiscard]] bool is_kept(RowIndex node) const {
    const auto at = static_cast<std::size_t>(node);
    return at < nodes_.size() && !nodes_[at].kept_for.empty();
  }
  [[nodiscard]] bool is_kept_for(RowIndex node, RowIndex application) const;
  /// Applications and amounts, in the order of recording.
  [[nodiscard]] const std::vector<Kept>& kept_for(RowIndex node) const {
    return nodes_[static_cast<std::size_t>(node)].kept_for;
  }
  void remove_satisfied(const FairBooks& books, RowIndex node);
  void count_allocated(RowIndex node, RowIndex application, const MemoryAndCores& size);

private:
  struct Node {
    std::vector<Kept> kept_for;
    MemoryAndCores total;
  };
  struct Choice {
    std::vector<RowIndex> containers;
    std::int32_t masters = 0;
  };
  struct StarvedAsk {
    ResourceNameId place;
    std::int32_t count;
    bool relax_locality;
    MemoryAndCores capability;
    OthersId others = no_others;
  };
  struct Chosen {
    ContainerId container;
    Instant kill_at;
  };

  void update_starvation_of(FairBooks& books, RowIndex leaf);
  void add_starved(const FairBooks& books, RowIndex application);
  [[nodiscard]] static std::vector<StarvedAsk> starved_asks(const FairBooks& books, RowIndex application);
  [[nodiscard]] std::optional<Choice> choose_on(const FairBooks& books, RowIndex node, const StarvedAsk& ask,
                                                std::int32_t masters_max) const;
  [[nodiscard]] std::optional<Choice> choose_among(const FairBooks& books, const std::vector<RowIndex>& nodes,
                                                   const StarvedAsk& ask) const;
  [[nodiscard]] std::optional<Choice> choose(const FairBooks& books, const StarvedAsk& ask) const;
  /// Chooses these containers to be killed, and keeps their resources for the application.
  void end_for(FairBooks& books, RowIndex application, const Choice& choice, Instant kill_at,
               StarvedApplication& report, ResourceEffects& effects);

  std::vector<RowIndex> all_nodes_;  // in order of arrival
  std::vector<Node> nodes_;          // by row
  StarvedQueue starved_;
  std::vector<Chosen> chosen_;          // in the order of choice
  std::int64_t starvation_at_ms_ = -1;  // time of the last update with starvation; -1: never
};

}  // namespace heddle::policies
