// What one attempt of an application says to the ResourceManager, and when it leaves.
//
//   connecting --connected--> registering --registered--> running --end--> finishing --finished--> leaves
//
// In any phase it leaves if the ResourceManager is lost or does not answer often enough. While finishing, a
// ResourceManager that does not know the attempt is told both again, registration and end; the phase stays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle::actors {

enum class MasterPhase : std::uint8_t { connecting, registering, running, finishing };

struct AttemptEnd {
  bool succeeded = false;
  std::string text;
};

/// Send RegisterApplicationMaster; an answer is due.
struct RegisterAttempt {};
/// The answer has come: nothing is due.
struct StopWaiting {};
/// Let the allocator begin.
struct BeginAllocating {};
/// Send FinishApplication with the attempt's end; an answer is due.
struct FinishAttempt {
  AttemptEnd end;
};
/// The process ends, for this reason: the name of an event.
struct LeaveProcess {
  std::string_view why;
};
/// A message came that does not belong to the phase: the name of an event.
struct RecordStale {
  std::string_view name;
};
struct RecordRegistered {};
struct RecordRegistersAgain {};

using AttemptEffect = std::variant<RegisterAttempt, StopWaiting, BeginAllocating, FinishAttempt, LeaveProcess,
                                   RecordStale, RecordRegistered, RecordRegistersAgain>;
using AttemptEffectList = std::vector<AttemptEffect>;

class AttemptProtocol {
public:
  /// It leaves after more than so many time-outs in a row.
  explicit AttemptProtocol(std::int64_t retries_max) : retries_max_{retries_max} {}

  [[nodiscard]] MasterPhase phase() const { return phase_; }
  [[nodiscard]] AttemptEffectList on_connected();
  [[nodiscard]] AttemptEffectList on_unreachable() const;
  [[nodiscard]] AttemptEffectList on_registered();
  [[nodiscard]] AttemptEffectList on_attempt_unknown();
  [[nodiscard]] AttemptEffectList on_finished() const;
  [[nodiscard]] AttemptEffectList on_end(AttemptEnd end);
  [[nodiscard]] AttemptEffectList on_answer_timeout();
  [[nodiscard]] AttemptEffectList on_resource_manager_lost() const;
  /// Without its allocator nobody would ever report the end; the next attempt has another.
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
