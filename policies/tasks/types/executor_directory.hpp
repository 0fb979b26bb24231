// Which executors are there, on which hosts in which racks, and which of them are going away: what locality is measured
// against. Executors, hosts and racks are dense numbers. Cost: a look-up is constant; "alive on a host" is linear in
// the host's executors. Source: the tables of Spark's TaskSchedulerImpl (spec TS-2, TS-11, TS-12).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.hpp"
#include "policies/tasks/types/attempt_table.hpp"
#include "policies/tasks/types/preferred_location.hpp"
#include "policies/tasks/types/task_scheduler_events.hpp"

namespace heddle::policies {

/// One ended attempt of a map task on an executor: its output goes when the executor goes.
struct EndedMapAttempt {
  LaunchId id;
  std::uint32_t set = 0;
  std::uint32_t set_life = 0;  // slots of sets are used again
  std::int32_t index = 0;
  std::int32_t attempt = 0;
};

class ExecutorDirectory {
public:
  /// What every offer and every end looks at.
  struct alignas(32) Executor {
    HostId host;
    std::uint32_t name_hash = 0;
    bool is_known = false;    // takes tasks
    bool has_host = false;    // known, or gone for a reason that is still asked for
    bool has_detail = false;  // it was offered with a profile or resources of its own
    bool is_decommissioned = false;
    bool host_is_decommissioned = false;
    std::int32_t known_attempts = 0;
    std::int32_t slots = 0;  // most tasks that it could run at any offer
    AttemptList attempts;    // live ones
  };
  struct ExecutorPast {
    Instant decommissioned_at;
    std::vector<EndedMapAttempt> ended_maps;
    std::size_t ended_maps_limit = 64;  // at this size the ones of sets that are gone are dropped
  };
  struct Host {
    std::string name;
    std::uint32_t name_hash = 0;
    bool is_known = false;  // mentioned by an offer and not gone since
    bool is_on_rack = false;
    std::vector<std::int32_t> executors;
  };
  struct Rack {
    std::string name;
    std::uint32_t name_hash = 0;
    std::vector<std::int32_t> hosts;  // that are known
  };

  void introduce_host(HostId host, std::string_view name, std::string_view rack);
  void introduce_executor(ExecutorId executor, std::string_view name);

  /// The record of an executor or host, made if there is none.
  Executor& executor(std::int32_t number) {
    if (static_cast<std::size_t>(number) >= executors_.size()) make_executors(number);
    return executors_[static_cast<std::size_t>(number)];
  }
  /// Precondition: the executor has a record.
  [[nodiscard]] ExecutorPast& past(std::int32_t number) { return pasts_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const ExecutorPast& past(std::int32_t number) const { return pasts_[static_cast<std::size_t>(number)]; }
  Host& host(HostId id);
  /// Hashes of names, also of an executor or a host that was never mentioned.
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

  /// True if the executor was not known before.
  bool note_offer(std::int32_t number, HostId host) {
    if (static_cast<std::size_t>(number) < executors_.size()) {
      const Executor& record = executors_[static_cast<std::size_t>(number)];
      if (record.is_known && record.host == host) return false;
    }
    return note_first_offer(number, host);
  }
  /// The executor has room for so many tasks now, beside those that it runs. True if that is more than was known.
  bool note_slots(std::int32_t executor, std::int32_t free);
  /// Tasks that the executors of a host can run at a time. One that never had room is taken to be as large as the
  /// largest, and full.
  [[nodiscard]] std::int32_t slots_of(HostId host) const;
  /// Slots of theirs that are taken.
  [[nodiscard]] std::int32_t running_on(HostId host) const;
  /// Takes the executor out of its host, and a host without executors out of its rack.
  void remove(std::int32_t executor);

  /// Precondition: the executor is being decommissioned.
  [[nodiscard]] DecommissionState decommission_state(std::int32_t executor) const;
  [[nodiscard]] bool is_alive(std::int32_t executor) const;
  [[nodiscard]] bool has_alive_executor(HostId host) const;
  [[nodiscard]] bool rack_is_alive(std::int32_t rack) const;
  [[nodiscard]] bool is_host_decommissioned(const Host& host) const;

private:
  void make_executors(std::int32_t last);
  bool note_first_offer(std::int32_t number, HostId id);
  std::vector<Executor> executors_;
  std::vector<ExecutorPast> pasts_;  // of the same executors
  std::vector<Host> hosts_;
  std::vector<std::int32_t> rack_of_;  // of the same hosts; -1: none
  std::vector<Rack> racks_;
  std::map<std::string, std::int32_t, std::less<>> rack_numbers_;
  std::int32_t known_hosts_ = 0;
  std::int32_t slots_most_ = 0;  // of an executor
};

}  // namespace heddle::policies
