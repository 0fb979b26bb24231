// Single container requests of an application, with hosts, racks and relaxed or strict locality: the asks for each
// name, and the requests that a container of a given size matches. Order: requests in the order of creation; sizes from
// the largest memory down, then cores; asks by priority, name, size. Cost: logarithmic in the names and sizes per
// request; a match scans the sizes with no more memory. After YARN's AMRMClientImpl (spec CL-1 to CL-6).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/rack_table.hpp"
#include "model/resources.hpp"
#include "model/result.hpp"

namespace heddle::policies {

struct ContainerRequest {
  std::int32_t priority = 0;
  Resource capability;
  std::vector<std::string> hosts;
  std::vector<std::string> racks;  // besides those of the hosts
  bool relax_locality = true;      // false: only the named hosts and racks
  std::string node_label = {};     // of the nodes; empty: nodes without a label
};

/// Accepts one label; refuses expressions of several labels, with Hadoop's error message.
[[nodiscard]] Result<Done> check_node_label(const std::string& label);

/// One row of the request table, absolute; a count of 0 cancels it.
struct RequestAsk {
  std::int32_t priority = 0;
  std::string name;  // host, rack or "*"
  Resource capability;
  std::int32_t count = 0;
  bool relax_locality = true;
  std::string node_label = {};  // only at "*": label of the last request of this size
  bool operator==(const RequestAsk&) const = default;
};

class ContainerRequests {
public:
  using Number = std::int64_t;
  /// Requests of one size, in the order of creation.
  using Group = std::vector<Number>;

  explicit ContainerRequests(RackTable racks) : racks_{std::move(racks)} {}

  /// Refused if requests of one priority differ in relax_locality at one name, or if the label is invalid.
  Result<Number> add(const ContainerRequest& request);
  /// Ignores an unknown number.
  void remove(Number number);
  /// Removes and returns the rows that changed since the last call.
  [[nodiscard]] std::vector<RequestAsk> pop_asks();
  /// The requests that a container of this size at this name matches: those of exactly this size if there are any,
  /// otherwise all that fit. A request with strict locality matches only at its own names.
  [[nodiscard]] std::vector<Group> matching(std::int32_t priority, const std::string& name,
                                            const Resource& capability) const;
  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  /// Number of containers of this size that are requested at this name.
  [[nodiscard]] std::int32_t count_at(std::int32_t priority, const std::string& name, const Resource& capability) const;
  void check_invariants() const;

private:
  struct LargestFirst {
    bool operator()(const Resource& a, const Resource& b) const {
      return std::tie(a.memory_mib, a.cores) > std::tie(b.memory_mib, b.cores);
    }
  };
  struct Line {
    std::int32_t count = 0;
    bool relax_locality = true;
    std::string node_label = {};
    Group answered_here = {};
  };
  using Place = std::pair<std::int32_t, std::string>;  // priority, name
  using Lines = std::map<Resource, Line, LargestFirst>;
  struct Name {
    std::string name;
    bool relax_locality = true;
  };

  void mark_changed(const Place& place, const Resource& capability, const Line& line);
  [[nodiscard]] std::vector<Name> names_of(const ContainerRequest& request) const;
  [[nodiscard]] const Lines* lines_at(std::int32_t priority, const std::string& name) const;

  RackTable racks_;
  std::map<Place, Lines> lines_;
  std::map<Number, ContainerRequest> requests_;
  std::map<Place, std::map<Resource, RequestAsk, LargestFirst>> changed_;
  Number next_ = 1;
};

}  // namespace heddle::policies
