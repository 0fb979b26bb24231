// The containers of one node, by id and by process.
//
//   --StartContainer--> running --StopContainer, over memory, ForgetApplication--> stopping --process ended--> removed
//                          +------------------------- process ended -------------------------------------------^
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/container_end.hpp"
#include "model/ids.hpp"
#include "model/resources.hpp"

namespace heddle::actors {

struct Container {
  ContainerId id;
  AttemptId attempt;
  Resource resource;
  std::int64_t process = 0;
  bool is_stopping = false;
  ContainerEnd end = {};        // what is known of it; exit_status 0: the exit code of the process counts
  std::string executor;         // executor id; empty: the container runs another role
  bool was_over_limit = false;  // above its memory limit at the last measurement
};

class ContainerTable {
public:
  Container& add(const Container& container);
  void remove(ContainerId id);
  [[nodiscard]] Container* find(ContainerId id);
  [[nodiscard]] Container* find_process(std::int64_t process);
  [[nodiscard]] std::map<ContainerId, Container>& rows() { return containers_; }
  [[nodiscard]] bool holds_any_of(const ApplicationId& application) const;
  [[nodiscard]] std::vector<ContainerId> ids() const;

  /// Later StartContainers of this container or application are refused. Keeps the newest 65,536 ids of each kind.
  void refuse(ContainerId id);
  void refuse(const ApplicationId& application);
  /// Call when the node registers at a ResourceManager: a new one assigns the same ids again.
  void forget_refused();
  [[nodiscard]] bool is_refused(ContainerId id) const { return refused_.contains(id); }
  [[nodiscard]] bool is_refused(const ApplicationId& application) const {
    return refused_applications_.contains(application);
  }

  void check_invariants() const;

private:
  std::map<ContainerId, Container> containers_;
  std::map<std::int64_t, ContainerId> by_process_;
  std::set<ContainerId> refused_;
  std::deque<ContainerId> refused_order_;
  std::set<ApplicationId> refused_applications_;
  std::deque<ApplicationId> refused_applications_order_;
};

}  // namespace heddle::actors
