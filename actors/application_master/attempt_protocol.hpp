// The protocol of one application attempt with the ResourceManager. No CAF.
//
//   connecting --connected--> registering --registered--> running --end--> finishing --finished--> leaves
//                                  ^                         |
//                                  '---- registration lost --'
//
// In any phase the ApplicationMaster leaves if the ResourceManager is lost or too many answers in a row are missing. If
// the ResourceManager does not know the attempt in phase finishing, the ApplicationMaster registers again and repeats
// the end; the phase stays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle::actors {

/// Name of the event with which an attempt leaves after the ResourceManager has recorded its end.
inline constexpr std::string_view application_finished = "application_finished";

enum class MasterPhase : std::uint8_t { connecting, registering, running, finishing };

struct AttemptEnd {
  bool succeeded = false;
  std::string text;
};

/// Send RegisterApplicationMaster and arm the deadline of its answer.
struct RegisterAttempt {};
/// Cancel the deadline: the answer has arrived.
struct StopWaiting {};
/// Send StartAllocating to the allocator.
struct BeginAllocating {};
/// Send FinishApplication and arm the deadline of its answer.
struct FinishAttempt {
  AttemptEnd end;
};
/// End the process.
struct LeaveProcess {
  std::string_view why;  // name of the event that is written
};
/// A message does not fit the phase: write an event.
struct RecordStale {
  std::string_view name;  // of the event
};
struct RecordRegistered {};
struct RecordRegistersAgain {};

using AttemptEffect = std::variant<RegisterAttempt, StopWaiting, BeginAllocating, FinishAttempt, LeaveProcess,
                                   RecordStale, RecordRegistered, RecordRegistersAgain>;
using AttemptEffectList = std::vector<AttemptEffect>;

class AttemptProtocol {
public:
  /// `retries_max`: it leaves after more time-outs than this in a row.
  explicit AttemptProtocol(std::int64_t retries_max) : retries_max_{retries_max} {}

  [[nodiscard]] MasterPhase phase() const { return phase_; }
  [[nodiscard]] AttemptEffectList on_connected();
  [[nodiscard]] AttemptEffectList on_unreachable() const;
  [[nodiscard]] AttemptEffectList on_registered();
  [[nodiscard]] AttemptEffectList on_attempt_unknown();
  /// `is_unknown`: the ResourceManager no longer knows the attempt.
  [[nodiscard]] AttemptEffectList on_finished(bool is_unknown) const;
  [[nodiscard]] AttemptEffectList on_end(AttemptEnd end);
  /// The ResourceManager refused a request of the allocator.
  [[nodiscard]] AttemptEffectList on_registration_lost();
  [[nodiscard]] AttemptEffectList on_answer_timeout();
  [[nodiscard]] AttemptEffectList on_resource_manager_lost() const;
  /// Leaves, because only the allocator reports the end of the application; the next application attempt has a new one.
  [[nodiscard]] AttemptEffectList on_allocator_lost() const;

private:
  void enter(MasterPhase next);
  [[nodiscard]] AttemptEffect finish();

  std::int64_t retries_max_;
  std::int64_t timeouts_ = 0;  // in a row
  MasterPhase phase_ = MasterPhase::connecting;
  std::optional<AttemptEnd> end_;
};

}  // namespace heddle::actors
