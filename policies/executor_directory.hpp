// Which executors are there, on which hosts in which racks, and which of them are going away: what locality is measured against.
// Executors, hosts and racks are dense numbers. Cost: a look-up is constant; "alive on a host" is linear in the host's executors.
// Source: the tables of Spark's TaskSchedulerImpl (spec TS-2, TS-11, TS-12).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.hpp"
#include "policies/attempt_table.hpp"
#include "policies/task_place.hpp"
#include "policies/task_scheduler_events.hpp"

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
  struct Executor {
    HostId host;
    std::uint32_t name_hash = 0;
    bool is_known = false;    // takes tasks
    bool has_host = false;    // known, or gone for a reason that is still asked for
    bool has_detail = false;  // it was offered with a profile or resources of its own
    bool is_decommissioned = false;
    bool host_is_decommissioned = false;
    Instant decommissioned_at;
    std::int32_t known_attempts = 0;
    std::int32_t slots = 0;  // most tasks that it could run at any offer
    AttemptList attempts;    // live ones
    std::vector<EndedMapAttempt> ended_maps;
    std::size_t ended_maps_limit = 64;  // at this size the ones of sets that are gone are dropped
  };
  struct Host {
    std::string name;
    std::uint32_t name_hash = 0;
    std::int32_t rack = -1;
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
  Executor& executor(std::int32_t number);
  Host& host(HostId id);
  /// Hashes of names, also of an executor or a host that was never mentioned.
  [[nodiscard]] std::uint32_t name_hash_of(std::int32_t executor) const;
  [[nodiscard]] std::uint32_t name_hash_of(HostId id) const;
  [[nodiscard]] const Executor* find_executor(std::int32_t number) const;
  [[nodiscard]] const Host* find_host(HostId id) const;
  [[nodiscard]] std::int32_t rack_of(HostId id) const {
    const Host* record = find_host(id);
    return record == nullptr ? -1 : record->rack;
  }
  [[nodiscard]] const Rack& rack(std::int32_t number) const { return racks_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const std::vector<Executor>& executors() const { return executors_; }
  [[nodiscard]] const std::vector<Host>& hosts() const { return hosts_; }
  [[nodiscard]] std::int32_t known_hosts() const { return known_hosts_; }

  /// True if the executor was not known before.
  bool note_offer(std::int32_t executor, HostId host);
  /// The executor has room for so many tasks now, beside those that it runs. True if that is more than was known.
  bool note_slots(std::int32_t executor, std::int32_t free);
  /// Tasks that the executors of a host can run at a time.
  [[nodiscard]] std::int32_t slots_of(HostId host) const;
  /// Takes the executor out of its host, and a host without executors out of its rack.
  void remove(std::int32_t executor);

  /// Precondition: the executor is being decommissioned.
  [[nodiscard]] DecommissionState decommission_state(std::int32_t executor) const;
  [[nodiscard]] bool is_alive(std::int32_t executor) const;
  [[nodiscard]] bool has_alive_executor(HostId host) const;
  [[nodiscard]] bool rack_is_alive(std::int32_t rack) const;
  [[nodiscard]] bool is_host_decommissioned(const Host& host) const;

private:
  std::vector<Executor> executors_;
  std::vector<Host> hosts_;
  std::vector<Rack> racks_;
  std::map<std::string, std::int32_t, std::less<>> rack_numbers_;
  std::int32_t known_hosts_ = 0;
};

}  // namespace heddle::policies
