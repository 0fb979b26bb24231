// The books that all three resource schedulers keep: nodes, applications, containers, who holds what where.
// It decides nothing. Slots are dense numbers; a freed slot is used again. Names become numbers at its border.
// Cost: constant per container event, apart from the ask tables and a look through the containers of the node that one
// leaves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/large_table.hpp"
#include "model/resources.hpp"
#include "model/time.hpp"
#include "policies/cluster/ask_table.hpp"
#include "policies/cluster/resource_events.hpp"
#include "policies/tables/name_table.hpp"
#include "policies/tables/sequence_table.hpp"
#include "policies/tables/slot_list.hpp"

namespace heddle::policies {

using Slot = std::int32_t;
inline constexpr Slot no_slot = -1;

/// One line of the processor's cache, as containers end in random order.
struct alignas(64) LedgerContainer {
  ContainerId id;
  std::int64_t number = 0;
  Slot application = no_slot;
  Slot node = no_slot;
  std::int32_t priority = 0;
  ExtrasId extras = no_extras;
  Resource resource;
  AskLocality locality = AskLocality::off_switch;
  bool is_master = false;
  bool is_fetched = false;      // handed to its application
  bool is_launched = false;     // the node reported it as running
  bool is_live = false;         // its application still owns it
  bool is_reservation = false;  // holds a node, not resources
  bool is_chosen = false;       // for preemption
  std::int32_t live_at = -1;    // position in the application's list
};

/// An allocation that its application has not heard of yet, and what returns to the asks if it ends before.
struct UnfetchedContainer {
  Slot container = no_slot;
  UsedAsk used;
  ContainerAssigned granted;
};

/// Two lines of the processor's cache, side by side.
struct alignas(128) LedgerNode {
  NodeId id;
  PlaceId host = 0;
  PlaceId rack = 0;
  Resource unallocated;
  Resource capacity;
  std::uint32_t tie_break = 0;
  Slot reservation = no_slot;  // container slot
  bool is_present = false;
  SlotList containers;  // those that hold resources here, launched and then ended ones included
};
static_assert(sizeof(LedgerContainer) == 64 && sizeof(LedgerNode) == 128);

/// What each grant and each end touch stands first.
struct alignas(64) LedgerApplication {
  std::optional<AttemptId> attempt;
  Resource usage;
  Slot queue = no_slot;
  std::int32_t user = -1;
  std::int32_t priority = 0;
  bool is_present = false;
  bool is_master_running = false;             // the first container of a managed application was allocated
  std::vector<Slot> live;                     // containers, without reservations
  std::vector<UnfetchedContainer> unfetched;  // in the order of their allocation
  std::int64_t next_number = 1;
  AskTable asks;
  Resource reserved;
  std::optional<Resource> master;
  ExtrasId master_extras = no_extras;
  std::vector<PlaceId> excluded;  // sorted
  std::vector<Slot> reservations;
  ApplicationId id;
  Instant start;
  std::int64_t arrival = 0;
  Resource counted_otherwise;  // part of the usage that is in no container

  /// A hint that containers will end.
  void fetch_ahead_usage() const {
    fetch_ahead(&attempt);
    fetch_ahead(&live);
  }
};

class ResourceLedger {
public:
  explicit ResourceLedger(std::int64_t container_epoch = 0) : container_epoch_{container_epoch} { places_.intern("*"); }

  // -- nodes -------------------------------------------------------------------
  Slot add_node(const NodeDescription& description);
  void update_node(Slot node, Resource capacity);
  void remove_node(Slot node);
  [[nodiscard]] Slot find_node(NodeId id) const {
    return id.value >= 0 && id.value < static_cast<std::int64_t>(near_nodes_.size())
               ? near_nodes_[static_cast<std::size_t>(id.value)]
               : far_nodes_.find(id.value);
  }
  [[nodiscard]] LedgerNode& node(Slot slot) { return nodes_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const LedgerNode& node(Slot slot) const { return nodes_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] std::int32_t node_count() const { return node_count_; }
  [[nodiscard]] std::int32_t node_count_of_rack(PlaceId rack) const;
  [[nodiscard]] const Resource& cluster() const { return cluster_; }
  /// The largest memory and the largest core count of any node, each on its own; nothing with no node.
  [[nodiscard]] std::optional<Resource> largest_node() const;
  /// `configured`, cut to the largest node.
  [[nodiscard]] Resource maximum_allocation(const Resource& configured) const;
  /// Slots of nodes that have this host or rack; used for preemption and headroom only.
  [[nodiscard]] const std::vector<Slot>& nodes_of_place(PlaceId place) const;
  [[nodiscard]] const std::map<NodeId, Slot>& nodes_in_order() const { return nodes_in_order_; }

  // -- applications ------------------------------------------------------------
  Slot add_application(Instant now, const ApplicationSubmission& submission, Slot queue);
  void remove_application(Slot application);
  [[nodiscard]] Slot find_application(const ApplicationId& id) const;
  /// The slot only if this is the application's current attempt.
  [[nodiscard]] Slot find_attempt(const AttemptId& id) const;
  [[nodiscard]] LedgerApplication& application(Slot slot) { return applications_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const LedgerApplication& application(Slot slot) const {
    return applications_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] const std::map<ApplicationId, Slot>& applications_in_order() const { return application_slots_; }
  /// True if a place was put in or taken out, even the same one.
  bool update_exclusions(Slot application, const std::vector<std::string>& exclude,
                         const std::vector<std::string>& include);
  [[nodiscard]] bool is_excluded(const LedgerApplication& application, const LedgerNode& node) const;
  /// The asks of a call with place names made numbers; capabilities are taken as they are. Their names were fetched
  /// ahead.
  [[nodiscard]] std::vector<AskTable::Update> interned(const std::vector<ResourceAsk>& asks);
  /// Hints that a call will be carried out: first its names and its application, then what it asks for, then what it is
  /// handed.
  void fetch_ahead_names(const AttemptId& attempt, const std::vector<ResourceAsk>& asks);
  void fetch_ahead_asks(Slot application) const;
  void fetch_ahead_fetched(Slot application) const;
  /// A hint that a container will be made.
  void fetch_ahead_container() const {
    if (!free_containers_.empty()) fetch_ahead(&container(free_containers_.back()));
  }

  // -- containers --------------------------------------------------------------
  [[nodiscard]] Slot find_container(ContainerId id) const {
    return container_slots_.find(id.value - (container_epoch_ << 40));
  }
  [[nodiscard]] LedgerContainer& container(Slot slot) { return containers_[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const LedgerContainer& container(Slot slot) const {
    return containers_[static_cast<std::size_t>(slot)];
  }
  /// Numbers a new container of this size; it holds nothing yet.
  Slot create_container(Slot application, Slot node, std::int32_t priority, Resource resource,
                        ExtrasId extras = no_extras);
  /// The container takes its ask, its node's room and its place in the application.
  void allocate(Slot container, PriorityAsks& asks, AskLocality locality);
  /// The application counts so much more, for good, than its containers have.
  void count_otherwise(Slot application, const Resource& by);
  void reserve(Slot container);
  /// Forgets the reservation. The container goes too unless `keep`.
  void unreserve(Slot container, bool keep);
  /// The container leaves its application. Unless it still runs on its node, it leaves the node too and its slot is
  /// free afterwards. An ask that was taken and not fetched returns. False if it was ended before.
  bool end(Slot container, std::int32_t exit_status, bool is_reported_by_node, ResourceEffects& effects);
  /// Hints that these containers will end. Few at a time: what is fetched has to stay until it is used.
  static constexpr std::size_t ends_at_once = 16;
  void fetch_ahead_ends(std::span<const ContainerCompleted> ends) const;
  void fetch_ahead_ends(std::span<const Slot> containers) const;
  /// Calls `end` for each in order, with the records of the next ones fetched meanwhile.
  template <class End>
  void end_each(std::span<const Slot> containers, End end) const {
    for (std::size_t first = 0; first < containers.size(); first += ends_at_once) {
      const auto next = containers.subspan(first, std::min(containers.size() - first, ends_at_once));
      for (const Slot slot : next) fetch_ahead(&container(slot));
      fetch_ahead_ends(next);
      for (const Slot slot : next) end(slot);
    }
  }
  /// Hands over what was allocated since the last call.
  void fetch(Slot application, std::vector<ContainerAssigned>* granted);
  [[nodiscard]] ContainerAssigned described(Slot container) const;
  [[nodiscard]] NodeReserved described_reservation(Slot container) const;
  /// All resources that live containers hold.
  [[nodiscard]] const Resource& used() const { return used_; }

  [[nodiscard]] const ExtraBooks& extras() const { return extras_; }
  /// Whether the node has room for what such a container needs beside memory and cores.
  [[nodiscard]] bool has_extras(Slot node, ExtrasId what) const {
    return what == no_extras || extras_.fits(static_cast<std::size_t>(node), what);
  }
  /// The same of the node if it were empty.
  [[nodiscard]] bool could_have_extras(Slot node, ExtrasId what) const {
    return what == no_extras || extras_.fits_empty(static_cast<std::size_t>(node), what);
  }
  /// None if some node has that free; otherwise that no node has it at all, or who holds it.
  [[nodiscard]] std::optional<ResourceExplanation> missing_extras(ExtrasId what) const;

  [[nodiscard]] NameTable& places() { return places_; }
  [[nodiscard]] const NameTable& places() const { return places_; }
  [[nodiscard]] NameTable& users() { return users_; }
  [[nodiscard]] const NameTable& users() const { return users_; }
  /// How many applications have arrived so far.
  [[nodiscard]] std::int64_t arrivals() const { return next_arrival_; }
  [[nodiscard]] std::size_t application_slots() const { return applications_.size(); }
  [[nodiscard]] std::size_t node_slots() const { return nodes_.size(); }

  void check_invariants() const;

private:
  Slot take_container_slot();
  void leave_node(Slot container);
  void free_container(Slot container);
  void put_node(NodeId id, Slot slot);
  void count_size(const Resource& capacity, std::int32_t by);
  [[nodiscard]] ResourceExplanation holders_of_extras(const std::vector<Slot>& able, ExtrasId what) const;

  std::int64_t container_epoch_ = 0;
  std::int64_t next_container_ = 1;
  NameTable places_;
  NameTable users_;
  std::vector<std::uint64_t> hashes_;  // of the names of the call that is carried out
  LargeTable<LedgerNode> nodes_;
  std::vector<Slot> free_nodes_;
  std::vector<Slot> near_nodes_;  // by id, of small ids
  SlotTable far_nodes_;           // of the others
  std::map<NodeId, Slot> nodes_in_order_;
  std::vector<std::vector<Slot>> nodes_of_place_;
  std::int32_t node_count_ = 0;
  Resource cluster_;
  std::map<std::int64_t, std::int32_t> memory_sizes_;
  std::map<std::int64_t, std::int32_t> core_sizes_;
  LargeTable<LedgerApplication> applications_;
  std::vector<Slot> free_applications_;
  std::map<ApplicationId, Slot> application_slots_;
  SlotTable applications_by_number_;  // of two with one number the later one
  std::int64_t next_arrival_ = 0;
  UnfetchedContainer blank_unfetched_;  // to copy: cleared in place it would wait for all stores before it
  LargeTable<LedgerContainer> containers_;
  std::vector<Slot> free_containers_;
  SequenceTable container_slots_;  // by the number within the epoch
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
