// Writes what one decider is told into the event log, in its order, so that a fresh decider can be told the same again.
// Many alike are one line: a run of consecutive numbers with equal keys at one instant. With each line goes a digest of
// the effects that it had, by which a replay notices the first difference. Records and keys: docs/event-log.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ports/clock.hpp"
#include "ports/event_sink.hpp"
#include "runtime/event_log/effect_digest.hpp"

namespace heddle::runtime {

/// The name of a record of runs and of its keys.
struct RunKind {
  static constexpr std::size_t keys_max = 6;
  std::string_view name;
  std::array<std::string_view, keys_max> keys = {};
};

class InputRecords {
public:
  /// Both outlive it; without a sink nothing is kept.
  InputRecords(ports::EventSink* sink, const ports::Clock* clock) : sink_{sink}, clock_{clock} {}
  InputRecords(const InputRecords&) = delete;
  InputRecords& operator=(const InputRecords&) = delete;
  ~InputRecords() { flush(); }

  [[nodiscard]] bool is_kept() const { return sink_ != nullptr; }
  [[nodiscard]] Instant now() const { return clock_->now(); }
  /// The instant of the run that is open, so that inputs without one of their own may join it; else the clock's.
  [[nodiscard]] Instant run_time() const { return kind_ != nullptr ? when_ : clock_->now(); }
  /// One record; `effects` of what it caused.
  void write(Instant when, std::string_view name, ports::EventFields fields, const EffectDigest& effects = {});
  /// One more of many alike. It joins the run that is open if kind, instant and keys are equal and its number is the
  /// next one. Its effects are added to the answer.
  [[nodiscard]] EffectDigest& add_to_run(Instant when, const RunKind& kind,
                                         const std::array<std::int64_t, RunKind::keys_max>& keys, std::int64_t number);
  /// Writes the run that is open.
  void flush();

private:
  ports::EventSink* sink_;
  const ports::Clock* clock_;
  const RunKind* kind_ = nullptr;  // none: no run is open
  Instant when_{};
  std::array<std::int64_t, RunKind::keys_max> keys_{};
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  EffectDigest effects_;
};

}  // namespace heddle::runtime
