// Connection of a Client to the job service that runs its jobs: the Driver of its own process, or in cluster mode the
// newest one that the ResourceManager named.
//
//   absent --DriverReady--> connecting --reached--> connected --lost--> absent
//                            |      ^
//                not reached |      | 500 ms
//                            v      |
//                            waiting
//
// DriverReady of a later attempt moves each phase to connecting; answers for earlier attempts are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/time.hpp"

namespace heddle::actors {

enum class LinkPhase : std::uint8_t { absent, connecting, waiting, connected };

class JobServiceLink {
public:
  /// A Driver of this process is connected from the start and never lost.
  explicit JobServiceLink(bool is_own) : is_own_{is_own}, phase_{is_own ? LinkPhase::connected : LinkPhase::absent} {}

  [[nodiscard]] bool is_own() const { return is_own_; }
  [[nodiscard]] LinkPhase phase() const { return phase_; }
  [[nodiscard]] bool is_connected() const { return phase_ == LinkPhase::connected; }
  /// Application attempt of the newest job service; 0: none was named.
  [[nodiscard]] std::int32_t attempt() const { return attempt_; }
  [[nodiscard]] const std::string& address() const { return address_; }
  /// Time of the next connection attempt; empty unless the phase is waiting.
  [[nodiscard]] std::optional<Instant> next_due() const;

  /// True if this job service is newer than the current one: connect to it.
  [[nodiscard]] bool on_driver_ready(std::int32_t attempt, const std::string& address);
  /// True if this attempt was being connected.
  [[nodiscard]] bool on_reached(std::int32_t attempt);
  void on_unreachable(Instant now, std::int32_t attempt);
  /// True if it was connected.
  [[nodiscard]] bool on_lost();
  /// True once the pause is over: connect again.
  [[nodiscard]] bool on_tick(Instant now);

private:
  void enter(LinkPhase next);

  bool is_own_;
  LinkPhase phase_;
  std::int32_t attempt_ = 0;
  std::string address_;
  Instant retry_due_{};
};

}  // namespace heddle::actors
