// The books that all three resource schedulers keep: nodes, applications, containers, who holds what where.
// It decides nothing. Slots are dense numbers; a freed row is used again. Names become numbers at its border.
// Cost: constant per container event, apart from the ask tables and a look through the containers of the node that one
// leaves.
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
  void update_node(RowIndex node, Resource capacity) { nodes_.update(node, capacity); }
  void remove_node(RowIndex node);
  [[nodiscard]] RowIndex find_node(NodeId id) const { return nodes_.find(id); }
  [[nodiscard]] LedgerNode& node(RowIndex row) { return nodes_.at(row); }
  [[nodiscard]] const LedgerNode& node(RowIndex row) const { return nodes_.at(row); }
  [[nodiscard]] const NodeTable& nodes() const { return nodes_; }
  [[nodiscard]] const Resource& cluster() const { return nodes_.cluster(); }

  // -- applications ------------------------------------------------------------
  RowIndex add_application(Instant now, const ApplicationSubmission& submission, RowIndex queue);
  void remove_application(RowIndex application) { applications_.remove(application); }
  [[nodiscard]] RowIndex find_application(const ApplicationId& id) const { return applications_.find(id); }
  /// The row only if this is the application's current attempt.
  [[nodiscard]] RowIndex find_attempt(const AttemptId& id) const { return applications_.find_attempt(id); }
  [[nodiscard]] LedgerApplication& application(RowIndex row) { return applications_.at(row); }
  [[nodiscard]] const LedgerApplication& application(RowIndex row) const { return applications_.at(row); }
  [[nodiscard]] const ApplicationTable& applications() const { return applications_; }
  /// True if a place was put in or taken out, even the same one.
  bool update_exclusions(RowIndex application, const std::vector<std::string>& exclude,
                         const std::vector<std::string>& include);
  /// The asks of a call with place names made numbers; capabilities are taken as they are. Their names were fetched
  /// ahead.
  [[nodiscard]] std::vector<AskTable::Update> interned(const std::vector<ResourceAsk>& asks);
  /// Hints that a call will be carried out, and remembers its names.
  void fetch_ahead_names(const AttemptId& attempt, const std::vector<ResourceAsk>& asks);

  // -- containers --------------------------------------------------------------
  [[nodiscard]] RowIndex find_container(ContainerId id) const { return containers_.find(id); }
  [[nodiscard]] LedgerContainer& container(RowIndex row) { return containers_.at(row); }
  [[nodiscard]] const LedgerContainer& container(RowIndex row) const { return containers_.at(row); }
  [[nodiscard]] const ContainerTable& containers() const { return containers_; }
  /// Numbers a new container of this size; it holds nothing yet.
  RowIndex create_container(RowIndex application, RowIndex node, std::int32_t priority, Resource resource,
                            ExtrasId extras = no_extras);
  /// The container takes its ask, its node's room and its place in the application.
  void allocate(RowIndex container, PriorityAsks& asks, AskLocality locality);
  /// The application counts so much more, for good, than its containers have.
  void add_unbacked_usage(RowIndex application, const Resource& by);
  void reserve(RowIndex container);
  /// Forgets the reservation. The container goes too unless `keep`.
  void unreserve(RowIndex container, bool keep);
  /// The container leaves its application. Unless it still runs on its node, it leaves the node too and its row is
  /// free afterwards. An ask that was taken and not fetched returns. False if it was ended before.
  bool end(RowIndex container, std::int32_t exit_status, bool is_reported_by_node, ResourceEffects& effects);
  /// Hands over what was allocated since the last call.
  void fetch(RowIndex application, std::vector<ContainerAssigned>* granted);
  /// All resources that live containers hold.
  [[nodiscard]] const Resource& used() const { return used_; }

  [[nodiscard]] const ExtraBooks& extras() const { return extras_; }
  /// Whether the node has room for what such a container needs beside memory and cores.
  [[nodiscard]] bool has_extras(RowIndex node, ExtrasId what) const {
    return what == no_extras || extras_.fits(static_cast<std::size_t>(node), what);
  }
  /// The same of the node if it were empty.
  [[nodiscard]] bool could_have_extras(RowIndex node, ExtrasId what) const {
    return what == no_extras || extras_.fits_empty(static_cast<std::size_t>(node), what);
  }

  [[nodiscard]] const NameTable& places() const { return places_; }
  [[nodiscard]] NameTable& users() { return users_; }
  [[nodiscard]] const NameTable& users() const { return users_; }

  void check_invariants() const;

private:
  void leave_node(RowIndex container);

  NameTable places_;
  NameTable users_;
  std::vector<std::uint64_t> hashes_;  // of the names of the call that is carried out
  NodeTable nodes_;
  ApplicationTable applications_;
  UnfetchedContainer blank_unfetched_;  // to copy: cleared in place it would wait for all stores before it
  ContainerTable containers_;
  Resource used_;
  ExtraBooks extras_;
};

/// One resource rounded the way the memory-only calculator rounds it: the memory as below, one core whatever was asked.
[[nodiscard]] Resource normalized_memory_only(const Resource& ask, const Resource& minimum, const Resource& step,
                                              const Resource& maximum);
/// min(round up to a multiple of `step`(max(ask, minimum)), maximum), for memory and cores alike. A step of 0 does not
/// round.
[[nodiscard]] Resource normalized(const Resource& ask, const Resource& minimum, const Resource& step,
                                  const Resource& maximum);

}  // namespace heddle::policies
