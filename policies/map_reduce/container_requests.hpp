// Containers that an application wants one by one, near named hosts and racks, and whether others will do: what is
// asked for at each name, and which of the requests a container answers by its size. Order: requests in the order of
// their making; sizes from the largest memory down, then cores; asks by priority, name, size. Cost: logarithmic in the
// names and sizes per request; a match looks through the sizes that are not larger in memory. After YARN's
// AMRMClientImpl (spec CL-1 to CL-6).
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
  std::vector<std::string> racks;  // beside those of the hosts
  bool relax_locality = true;      // else only the hosts and the racks that are named will do
  std::string node_label = {};     // of the nodes that will do; empty: those without one
};

/// One label and no expression of several; refused in Hadoop's words.
[[nodiscard]] Result<Done> check_node_label(const std::string& label);

/// One line of the table, absolute; a count of 0 withdraws it.
struct RequestAsk {
  std::int32_t priority = 0;
  std::string name;  // host, rack or "*"
  Resource capability;
  std::int32_t count = 0;
  bool relax_locality = true;
  std::string node_label = {};  // at "*" alone: what the last request of this size said
  bool operator==(const RequestAsk&) const = default;
};

class ContainerRequests {
public:
  using Number = std::int64_t;
  /// Equal sizes, in the order of the requests.
  using Group = std::vector<Number>;

  explicit ContainerRequests(RackTable racks) : racks_{std::move(racks)} {}

  /// Refused where requests of one priority disagree on whether others will do at one name, and where a label is none.
  Result<Number> add(const ContainerRequest& request);
  /// An unknown number changes nothing.
  void remove(Number number);
  /// Lines that changed since the last call.
  [[nodiscard]] std::vector<RequestAsk> take_asks();
  /// The requests that a container of this size at this name answers: those of its very size alone if there are any,
  /// else all that fit. A name at which a request does not let others do does not answer it.
  [[nodiscard]] std::vector<Group> matching(std::int32_t priority, const std::string& name,
                                            const Resource& capability) const;
  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  /// How many containers of this size are asked for at this name.
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

  void note_change(const Place& place, const Resource& capability, const Line& line);
  [[nodiscard]] std::vector<Name> names_of(const ContainerRequest& request) const;
  [[nodiscard]] const Lines* lines_at(std::int32_t priority, const std::string& name) const;

  RackTable racks_;
  std::map<Place, Lines> lines_;
  std::map<Number, ContainerRequest> requests_;
  std::map<Place, std::map<Resource, RequestAsk, LargestFirst>> changed_;
  Number next_ = 1;
};

}  // namespace heddle::policies
