// Container requests that a ResourceManager has not fulfilled yet, and the changes that the next AllocateRequest
// sends. A request names hosts, their racks and "*"; it counts under each name. An AllocateRequest has the absolute
// counts of the names whose count changed. Order: requests match in the order of their creation; asks by profile, then
// name. Cost: a match is constant plus the names of the request; a batch costs its names and groups, not its
// containers. After YARN's AMRMClientImpl.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/container.hpp"
#include "model/resources.hpp"
#include "policies/containers/container_placement.hpp"
#include "policies/containers/node_health.hpp"
#include "policies/containers/resource_name_table.hpp"

namespace heddle::policies {

/// One row of the request table: `count` containers of this size at `name`, absolute; 0 cancels. Locality is always
/// relaxed.
struct ProfileAsk {
  ProfileId profile;  // the priority
  std::string name;   // host, rack or "*"
  Resource resource;
  std::int32_t count = 0;
  bool operator==(const ProfileAsk&) const = default;
  static void visit_fields(auto& visit, auto& self) {
    visit("profile", self.profile);
    visit("name", self.name);
    visit("resource", self.resource);
    visit("count", self.count);
  }
};

/// Content of one AllocateRequest.
struct AllocateCall {
  std::int32_t response_id = 0;       // of the last answer
  std::vector<ProfileAsk> asks;       // changed ones
  std::vector<ContainerId> releases;  // ascending
  std::vector<std::string> exclude;   // sorted; nodes that are excluded from now on
  std::vector<std::string> include;   // sorted; no longer excluded
  static void visit_fields(auto& visit, auto& self) {
    visit("response_id", self.response_id);
    visit("asks", self.asks);
    visit("releases", self.releases);
    visit("exclude", self.exclude);
    visit("include", self.include);
  }
};

/// Hosts by need, largest first, and their racks in order of first appearance. A request names a prefix of each.
struct PlaceList {
  std::vector<ResourceNameId> hosts;
  std::vector<ResourceNameId> racks;
};

/// `count` equal requests were added to the table or removed from it.
struct RequestsChanged {
  ProfileId profile;
  bool added = false;
  std::int32_t count = 0;
  std::shared_ptr<const PlaceList> places;  // null: any host
  std::int32_t hosts = 0;                   // length of the prefix of places->hosts
  std::int32_t racks = 0;
  /// `places` is not recorded: it follows from the recorded hints.
  static void visit_fields(auto& visit, auto& self) {
    visit("profile", self.profile);
    visit("added", self.added);
    visit("count", self.count);
    visit("hosts", self.hosts);
    visit("racks", self.racks);
  }
};

/// Class of a request: `local` names a preferred host, `stale` only others, `free` none.
enum class RequestClass : std::uint8_t { stale, free, local };

/// Pending requests by class, for one set of preferred hosts.
struct PendingSplit {
  std::int32_t stale = 0;
  std::int32_t free = 0;
  std::int32_t local = 0;
  std::vector<PendingGroup> local_groups;  // ordered; refer to the table
};

class RequestTable {
public:
  /// Preferred hosts as flags by number. A number beyond the end is not preferred.
  using Preferred = std::vector<bool>;

  void set_resource(ProfileId profile, Resource resource);
  void add_free(ProfileId profile, std::int32_t count, std::vector<RequestsChanged>& changes);
  void add_local(ProfileId profile, const Placement& placement, const ResourceNameTable& places,
                 std::vector<RequestsChanged>& changes);
  /// The oldest request under this name, taken out of the table.
  [[nodiscard]] std::optional<RequestsChanged> take(ProfileId profile, ResourceNameId name);
  [[nodiscard]] PendingSplit split(ProfileId profile, const Preferred& preferred) const;
  /// Removes up to `count` requests of one class, oldest first. Returns the number removed.
  std::int32_t cancel(ProfileId profile, RequestClass which, const Preferred& preferred, std::int32_t count,
                      std::vector<RequestsChanged>& changes);
  [[nodiscard]] std::int32_t pending(ProfileId profile) const;

  // -- the next call -------------------------------------------------------------
  void release(ContainerId container);
  void exclude(const ExclusionChanged& change);
  /// False if the next call would be empty.
  [[nodiscard]] bool has_call() const;
  [[nodiscard]] AllocateCall take_call(const ResourceNameTable& places);
  void on_answer(std::int32_t response_id) {
    response_id_ = response_id;
    last_call_ = {};
  }
  void on_completed(ContainerId container) { unconfirmed_releases_.erase(container); }
  /// The last call did not arrive: the next one repeats its content.
  void on_call_failed(const ResourceNameTable& places);
  void on_not_registered();

  void check_invariants() const;

private:
  struct Group {
    std::int32_t count = 0;
    std::int32_t hosts = 0;
    std::int32_t racks = 0;
  };
  /// Requests that were added together: groups with fewer and fewer hosts. Groups only shrink.
  struct Batch {
    std::shared_ptr<const PlaceList> places;  // null: any host
    std::vector<Group> groups;
    std::size_t first = 0;  // first group that is not empty
    std::int32_t total = 0;
  };
  struct Mention {
    std::int64_t batch = 0;
    std::int32_t position = 0;  // index in the batch's hosts or racks
    bool is_rack = false;
  };
  struct ProfileRequests {
    Resource resource;
    std::map<std::int64_t, Batch> batches;       // by number, so by age
    std::vector<std::vector<Mention>> mentions;  // by place; ends of those that are used up are dropped when met
    std::vector<std::size_t> first_mention;      // by place
    std::vector<std::int32_t> counts;            // by place
    std::vector<bool> is_dirty;                  // by place
    std::vector<ResourceNameId> dirty;
    std::int32_t total = 0;
  };

  static void grow(ProfileRequests& requests, ResourceNameId place);
  static void change_count(ProfileRequests& requests, ResourceNameId place, std::int32_t by);
  static void mark(ProfileRequests& requests, ResourceNameId place);
  static std::int32_t reach(const Batch& batch, const Preferred& preferred);
  static RequestsChanged remove(ProfileId profile, ProfileRequests& requests, Batch& batch, std::size_t group,
                                std::int32_t count);
  static std::map<std::int64_t, Batch>::iterator oldest_at(ProfileRequests& requests, ResourceNameId name);

  std::map<ProfileId, ProfileRequests> profiles_;
  std::int64_t next_batch_ = 0;
  std::int32_t response_id_ = 0;
  std::set<ContainerId> releases_;
  std::set<ContainerId> unconfirmed_releases_;
  std::set<std::string> exclude_;
  std::set<std::string> include_;
  std::set<std::string> excluded_;
  AllocateCall last_call_;
};

}  // namespace heddle::policies
