// Writes the inputs of one decider into the event log, in order, so that a replay can apply them to a fresh decider. A
// run of similar inputs (same instant, equal keys, consecutive numbers) is one line. Each line has a digest of the
// effects, by which a replay finds the first difference. Records and keys: docs/event-log.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ports/clock.hpp"
#include "ports/event_sink.hpp"
#include "runtime/event_log/effect_digest.hpp"

namespace heddle::runtime {

/// Name of a run record and of its keys.
struct RunKind {
  static constexpr std::size_t keys_max = 6;
  std::string_view name;
  std::array<std::string_view, keys_max> keys = {};
};

class InputRecords {
public:
  /// Sink and clock must outlive this object. Without a sink nothing is recorded.
  InputRecords(ports::EventSink* sink, const ports::Clock* clock) : sink_{sink}, clock_{clock} {}
  InputRecords(const InputRecords&) = delete;
  InputRecords& operator=(const InputRecords&) = delete;
  ~InputRecords() { flush(); }

  [[nodiscard]] bool is_kept() const { return sink_ != nullptr; }
  [[nodiscard]] Instant now() const { return clock_->now(); }
  /// Instant of the open run, so that an input without its own instant can join it; otherwise the time now.
  [[nodiscard]] Instant run_time() const { return kind_ != nullptr ? when_ : clock_->now(); }
  /// Writes one record with the digest of its effects.
  void write(Instant when, std::string_view name, ports::EventFields fields, const EffectDigest& effects = {});
  /// Adds one input to the open run if kind, instant and keys are equal and `number` is the next one; otherwise starts
  /// a new run. Returns the digest to which the caller adds the effects.
  [[nodiscard]] EffectDigest& add_to_run(Instant when, const RunKind& kind,
                                         const std::array<std::int64_t, RunKind::keys_max>& keys, std::int64_t number);
  /// Writes the open run, if there is one.
  void flush();

private:
  ports::EventSink* sink_;
  const ports::Clock* clock_;
  const RunKind* kind_ = nullptr;  // null: no run is open
  Instant when_{};
  std::array<std::int64_t, RunKind::keys_max> keys_{};
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  EffectDigest effects_;
};

}  // namespace heddle::runtime
