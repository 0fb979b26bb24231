// Bookkeeping that all three resource schedulers share: nodes, applications, containers and their resources. Makes no
// decisions. Rows are dense numbers and are reused. Names are converted to numbers here. Cost: constant per container
// event, except for the ask tables and a scan of the node's containers when one is removed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/cluster/application_table.hpp"
#include "policies/cluster/container_table.hpp"
#include "policies/cluster/node_table.hpp"
#include "policies/tables/name_table.hpp"

namespace heddle::policies {

class ResourceLedger {
public:
  explicit ResourceLedger(std::int64_t container_epoch = 0) : containers_{container_epoch} { places_.intern("*"); }

  // -- nodes -------------------------------------------------------------------
  RowIndex add_node(const NodeDescription& description);
  void update_node(RowIndex node, MemoryAndCores capacity) { nodes_.update(node, capacity); }
  void remove_node(RowIndex node);
  [[nodiscard]] RowIndex find_node(NodeId id) const { return nodes_.find(id); }
  [[nodiscard]] LedgerNode& node(RowIndex row) { return nodes_.at(row); }
  [[nodiscard]] const LedgerNode& node(RowIndex row) const { return nodes_.at(row); }
  [[nodiscard]] const NodeTable& nodes() const { return nodes_; }
  [[nodiscard]] const MemoryAndCores& cluster() const { return nodes_.cluster(); }

  // -- applications ------------------------------------------------------------
  RowIndex add_application(Instant now, const ApplicationSubmission& submission, RowIndex queue);
  void remove_application(RowIndex application) { applications_.remove(application); }
  [[nodiscard]] RowIndex find_application(const ApplicationId& id) const { return applications_.find(id); }
  /// The row, if the id is the application's current attempt; otherwise no_row.
  [[nodiscard]] RowIndex find_attempt(const AttemptId& id) const { return applications_.find_attempt(id); }
  [[nodiscard]] LedgerApplication& application(RowIndex row) { return applications_.at(row); }
  [[nodiscard]] const LedgerApplication& application(RowIndex row) const { return applications_.at(row); }
  [[nodiscard]] const ApplicationTable& applications() const { return applications_; }
  /// True if a name was added or removed, also if that changed nothing.
  bool update_exclusions(RowIndex application, const std::vector<std::string>& exclude,
                         const std::vector<std::string>& include);
  /// The asks of a call with resource names as numbers; capabilities unchanged. Uses the names of fetch_ahead_names.
  [[nodiscard]] std::vector<PendingRequests::Update> interned(const std::vector<ResourceRequest>& asks);
  /// Prefetches the records of a call, and stores the hashes of its names.
  void fetch_ahead_names(const AttemptId& attempt, const std::vector<ResourceRequest>& asks);

  // -- containers --------------------------------------------------------------
  [[nodiscard]] RowIndex find_container(ContainerId id) const { return containers_.find(id); }
  [[nodiscard]] LedgerContainer& container(RowIndex row) { return containers_.at(row); }
  [[nodiscard]] const LedgerContainer& container(RowIndex row) const { return containers_.at(row); }
  [[nodiscard]] const ContainerTable& containers() const { return containers_; }
  /// Numbers a new container of this size; it holds nothing yet.
  RowIndex create_container(RowIndex application, RowIndex node, std::int32_t priority, MemoryAndCores resource,
                            OthersId others = no_others);
  /// Takes the container's ask, its node's resources and its place in the application.
  void allocate(RowIndex container, PriorityAsks& asks, AskLocality locality);
  /// The application counts so much more, for good, than its containers have.
  void add_unbacked_usage(RowIndex application, const MemoryAndCores& by);
  void reserve(RowIndex container);
  /// Removes the reservation. Removes the container too unless `keep`.
  void unreserve(RowIndex container, bool keep);
  /// Removes the container from its application. Unless it still runs on its node, also from the node, and frees its
  /// row. If it was not fetched, its ask returns. False if it had ended before.
  bool end(RowIndex container, std::int32_t exit_status, bool is_reported_by_node, ResourceEffects& effects);
  /// Returns the containers that were allocated since the last call.
  void fetch(RowIndex application, std::vector<ContainerAssigned>* granted);
  /// All resources that live containers hold.
  [[nodiscard]] const MemoryAndCores& used() const { return used_; }

  [[nodiscard]] const OtherResources& others() const { return others_; }
  /// True if the node has the required resources besides memory and cores.
  [[nodiscard]] bool has_others(RowIndex node, OthersId what) const {
    return what == no_others || others_.fits(static_cast<std::size_t>(node), what);
  }
  /// As has_others, for an empty node.
  [[nodiscard]] bool could_have_others(RowIndex node, OthersId what) const {
    return what == no_others || others_.fits_empty(static_cast<std::size_t>(node), what);
  }

  [[nodiscard]] const NameTable& places() const { return places_; }
  [[nodiscard]] NameTable& users() { return users_; }
  [[nodiscard]] const NameTable& users() const { return users_; }

  void check_invariants() const;

private:
  void leave_node(RowIndex container);

  NameTable places_;
  NameTable users_;
  std::vector<std::uint64_t> hashes_;  // of the resource names of the current call
  NodeTable nodes_;
  ApplicationTable applications_;
  ContainerTable containers_;
  MemoryAndCores used_;
  OtherResources others_;
};

/// One resource rounded the way the memory-only calculator rounds it: the memory as below, one core whatever was asked.
[[nodiscard]] MemoryAndCores normalized_memory_only(const MemoryAndCores& ask, const MemoryAndCores& minimum,
                                                    const MemoryAndCores& step, const MemoryAndCores& maximum);
/// min(round up to a multiple of `step`(max(ask, minimum)), maximum), for memory and cores alike. A step of 0 does not
/// round.
[[nodiscard]] MemoryAndCores normalized(const MemoryAndCores& ask, const MemoryAndCores& minimum,
                                        const MemoryAndCores& step, const MemoryAndCores& maximum);

}  // namespace heddle::policies
