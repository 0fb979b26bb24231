// The containers of one node, by id and by process.
//
//   (unknown) --StartContainer--> running --StopContainer, memory, application forgotten--> stopping --process ended-->
//   (unknown)
//                                    +-----------------------process ended--------------------------------------------^
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
  ContainerEnd end = {};        // as far as it is known; exit_status 0: that of the process
  std::string executor;         // its id; empty: another role
  bool was_over_limit = false;  // at the last measurement
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

  /// What was stopped before it started, or forgotten, does not start any more. The oldest of many are let go.
  void refuse(ContainerId id);
  void refuse(const ApplicationId& application);
  /// Another ResourceManager gives the same numbers again.
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
