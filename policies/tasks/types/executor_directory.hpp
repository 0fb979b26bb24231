// Executors with their hosts and racks, and their decommissioning: the base of locality. Executors, hosts and racks are
// dense numbers. Cost: a look-up is constant; "alive on a host" is linear in the host's executors. Source: the tables
// of Spark's TaskSchedulerImpl (spec TS-2, TS-11, TS-12).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/preferred_location.hpp"
#include "model/time.hpp"
#include "policies/tasks/types/attempt_table.hpp"
#include "policies/tasks/types/task_questions.hpp"
#include "policies/tasks/types/task_set_key.hpp"

namespace heddle::policies {

/// One ended attempt of a map task on an executor. Its output is lost with the executor.
struct EndedMapAttempt {
  LaunchId id;
  std::uint32_t set = 0;
  std::uint32_t set_life = 0;  // a slot of a finished set is reused
  std::int32_t index = 0;
  std::int32_t attempt = 0;
};

class ExecutorDirectory {
public:
  /// The fields that every offer and every end of an attempt reads.
  struct alignas(32) Executor {
    HostId host;
    std::uint32_t name_hash = 0;
    bool is_known = false;    // may run tasks
    bool has_host = false;    // known, or lost with the reason not known yet
    bool has_detail = false;  // offered with a profile or resources besides cores
    bool is_decommissioned = false;
    bool host_is_decommissioned = false;
    std::int32_t known_attempts = 0;
    std::int32_t slots = 0;  // largest number of tasks that it could run at an offer
    AttemptList attempts;    // live attempts
  };
  struct ExecutorPast {
    Instant decommissioned_at;
    std::vector<EndedMapAttempt> ended_maps;
    std::size_t ended_maps_limit = 64;  // at this size, entries of removed sets are dropped
  };
  struct Host {
    std::string name;
    std::uint32_t name_hash = 0;
    bool is_known = false;  // has been offered and not removed since
    bool is_on_rack = false;
    std::vector<std::int32_t> executors;
  };
  struct Rack {
    std::string name;
    std::uint32_t name_hash = 0;
    std::vector<std::int32_t> hosts;  // known hosts
  };

  void introduce_host(HostId host, std::string_view name, std::string_view rack);
  void introduce_executor(ExecutorId executor, std::string_view name);

  /// The record of an executor or host; adds one if none exists.
  Executor& executor(std::int32_t number) {
    if (static_cast<std::size_t>(number) >= executors_.size()) make_executors(number);
    return executors_[static_cast<std::size_t>(number)];
  }
  /// Precondition: the executor has a record.
  [[nodiscard]] ExecutorPast& past(std::int32_t number) { return pasts_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const ExecutorPast& past(std::int32_t number) const { return pasts_[static_cast<std::size_t>(number)]; }
  Host& host(HostId id);
  /// Hash of the name, also of an executor or host that was never offered.
  [[nodiscard]] std::uint32_t name_hash_of(std::int32_t executor) const;
  [[nodiscard]] std::uint32_t name_hash_of(HostId id) const;
  [[nodiscard]] const Executor* find_executor(std::int32_t number) const;
  [[nodiscard]] const Host* find_host(HostId id) const;
  [[nodiscard]] std::int32_t rack_of(HostId id) const {
    return id.value >= 0 && static_cast<std::size_t>(id.value) < rack_of_.size()
               ? rack_of_[static_cast<std::size_t>(id.value)]
               : -1;
  }
  [[nodiscard]] const Rack& rack(std::int32_t number) const { return racks_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const std::vector<Executor>& executors() const { return executors_; }
  [[nodiscard]] const std::vector<Host>& hosts() const { return hosts_; }
  [[nodiscard]] std::int32_t known_hosts() const { return known_hosts_; }

  /// Records that the executor was offered. True if it was unknown.
  bool record_offer(std::int32_t number, HostId host) {
    if (static_cast<std::size_t>(number) < executors_.size()) {
      const Executor& record = executors_[static_cast<std::size_t>(number)];
      if (record.is_known && record.host == host) return false;
    }
    return record_first_offer(number, host);
  }
  /// Records the slots of an executor: free ones plus running tasks. True if that is more than known.
  bool record_slots(std::int32_t executor, std::int32_t free);
  /// Slots of all executors of a host. An executor that never had a free slot counts as large as the largest one, and
  /// full.
  [[nodiscard]] std::int32_t slots_of(HostId host) const;
  /// Used slots of the host's executors.
  [[nodiscard]] std::int32_t running_on(HostId host) const;
  /// Removes the executor from its host, and a host without executors from its rack.
  void remove(std::int32_t executor);

  /// Precondition: the executor is being decommissioned.
  [[nodiscard]] DecommissionState decommission_state(std::int32_t executor) const;
  [[nodiscard]] bool is_alive(std::int32_t executor) const;
  [[nodiscard]] bool has_alive_executor(HostId host) const;
  [[nodiscard]] bool rack_is_alive(std::int32_t rack) const;
  [[nodiscard]] bool is_host_decommissioned(const Host& host) const;

private:
  void make_executors(std::int32_t last);
  bool record_first_offer(std::int32_t number, HostId id);
  std::vector<Executor> executors_;
  std::vector<ExecutorPast> pasts_;  // indexed like executors
  std::vector<Host> hosts_;
  std::vector<std::int32_t> rack_of_;  // rack by host; -1: none
  std::vector<Rack> racks_;
  std::map<std::string, std::int32_t, std::less<>> rack_numbers_;
  std::int32_t known_hosts_ = 0;
  std::int32_t slots_most_ = 0;  // largest number of slots of an executor
};

}  // namespace heddle::policies
